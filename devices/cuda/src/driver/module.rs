//! Machine code that was loaded, and its kernels.
#![allow(unsafe_code)]

use std::ffi::CString;
use std::sync::Arc;

use cudarc::driver::result::{ctx, module};
use cudarc::driver::sys::{CUfunction, CUmodule, CUresult};

use super::handles::Context;
use super::result::{In, to_error};
use crate::Result;

/// A cubin on the device. Clones are the same.
#[derive(Clone)]
pub(crate) struct CudaModule {
    loaded: Arc<Loaded>,
}

struct Loaded {
    handle: CUmodule,
    context: Arc<Context>,
}

// SAFETY: a handle of the driver, as for `Context`.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}

/// A kernel, which keeps its module loaded.
#[derive(Clone)]
pub(crate) struct CudaKernel {
    function: CUfunction,
    /// Bytes of the struct of parameters, if the driver says it.
    params: Option<usize>,
    _loaded: Arc<Loaded>,
}

// SAFETY: a handle of the driver, as for `Context`.
unsafe impl Send for CudaKernel {}
// SAFETY: as above.
unsafe impl Sync for CudaKernel {}

impl CudaModule {
    pub fn load(context: &Arc<Context>, cubin: &[u8]) -> Result<CudaModule> {
        context.bind()?;
        // The image has its own length inside, and the compiler or the cache gave it whole. SAFETY:
        // an ELF image that NVRTC made; the driver copies it.
        let handle = unsafe { module::load_data(cubin.as_ptr().cast()) }.in_call("cuModuleLoadData")?;
        Ok(CudaModule { loaded: Arc::new(Loaded { handle, context: context.clone() }) })
    }

    /// Returns a kernel by its name; `None` if there is no such kernel.
    pub fn kernel(&self, name: &str) -> Result<Option<CudaKernel>> {
        let Ok(name) = CString::new(name) else { return Ok(None) };
        self.loaded.context.bind()?;
        // SAFETY: loaded.
        let function = match unsafe { module::get_function(self.loaded.handle, name) } {
            Ok(function) => function,
            Err(error) if error.0 == CUresult::CUDA_ERROR_NOT_FOUND => return Ok(None),
            Err(error) => return Err(to_error(error, "cuModuleGetFunction")),
        };
        let params = self.loaded.context.extra.param_info.and_then(|param_info| {
            let (mut offset, mut bytes) = (0, 0);
            // SAFETY: two numbers are written. A kernel has one parameter, its struct.
            let result = unsafe { param_info(function, 0, &mut offset, &mut bytes) };
            (result == CUresult::CUDA_SUCCESS).then_some(bytes)
        });
        Ok(Some(CudaKernel { function, params, _loaded: self.loaded.clone() }))
    }
}

impl CudaKernel {
    pub(super) fn function(&self) -> CUfunction {
        self.function
    }

    pub fn params(&self) -> Option<usize> {
        self.params
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        if self.context.bind().is_ok() {
            // Its kernels may be queued still.
            let _ = ctx::synchronize();
            // SAFETY: loaded in `load`, unloaded once, and nothing of it runs.
            let _ = unsafe { module::unload(self.handle) };
        }
    }
}
