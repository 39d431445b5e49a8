//! Errors of the driver, as this crate's errors.

use cudarc::driver::DriverError;
use cudarc::driver::sys::CUresult;

use crate::Error;

/// Names the call in an error.
pub(super) trait In<T> {
    /// `call` is the driver's function.
    fn in_call(self, call: &'static str) -> Result<T, Error>;
}

impl<T> In<T> for Result<T, DriverError> {
    fn in_call(self, call: &'static str) -> Result<T, Error> {
        self.map_err(|error| to_error(error, call))
    }
}

pub(super) fn to_error(error: DriverError, call: &'static str) -> Error {
    let name = format!("{:?}", error.0);
    let text = match error.error_string() {
        Ok(text) => format!("{name}: {}", text.to_string_lossy()),
        Err(_) => name,
    };
    match error.0 {
        CUresult::CUDA_ERROR_NO_DEVICE => Error::NoDevice { why: text },
        CUresult::CUDA_ERROR_STUB_LIBRARY => {
            Error::NoDriver { why: format!("the libcuda that was found is the toolkit's stub ({text})") }
        }
        result if is_lost(result) => Error::DeviceLost { call, why: text },
        _ => Error::Driver { call, why: text },
    }
}

/// Returns whether the context is unusable after this result: CUDA's errors that leave the process
/// in an inconsistent state, and the loss of the device.
fn is_lost(result: CUresult) -> bool {
    use CUresult::*;
    matches!(
        result,
        CUDA_ERROR_DEINITIALIZED
            | CUDA_ERROR_DEVICE_UNAVAILABLE
            | CUDA_ERROR_CONTAINED
            | CUDA_ERROR_CONTEXT_IS_DESTROYED
            | CUDA_ERROR_ECC_UNCORRECTABLE
            | CUDA_ERROR_NVLINK_UNCORRECTABLE
            | CUDA_ERROR_ILLEGAL_ADDRESS
            | CUDA_ERROR_LAUNCH_TIMEOUT
            | CUDA_ERROR_ASSERT
            | CUDA_ERROR_HARDWARE_STACK_ERROR
            | CUDA_ERROR_ILLEGAL_INSTRUCTION
            | CUDA_ERROR_MISALIGNED_ADDRESS
            | CUDA_ERROR_INVALID_ADDRESS_SPACE
            | CUDA_ERROR_INVALID_PC
            | CUDA_ERROR_LAUNCH_FAILED
            | CUDA_ERROR_TENSOR_MEMORY_LEAK
            | CUDA_ERROR_EXTERNAL_DEVICE
            | CUDA_ERROR_MPS_CLIENT_TERMINATED
            | CUDA_ERROR_UNKNOWN
    )
}
