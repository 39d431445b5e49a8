//! The edge to libcuda: a check that it is there, and functions that cudarc's bindings lack.
//!
//! cudarc loads the library and each function at their first use, and panics if one is missing. So
//! [`load`] first checks that the library and every function that this crate calls are there.
//! Functions that drivers of the oldest supported version lack are looked up here, and are
//! optional.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::sync::OnceLock;

use cudarc::driver::sys::{CUevent, CUfunction, CUresult, culib, is_culib_present};

use crate::{Error, Result};

/// Oldest driver that runs code of NVRTC 12, as `cuDriverGetVersion` numbers it.
pub(super) const OLDEST: c_int = 12000;

/// Every function that [`super`] calls through cudarc. All have been there under these names since
/// CUDA 11.2 at the latest.
const NEEDED: &[&str] = &[
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetDefaultMemPool",
    "cuDeviceGetName",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxRetain",
    "cuDeviceTotalMem_v2",
    "cuDriverGetVersion",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventQuery",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuInit",
    "cuLaunchKernel",
    "cuMemAllocAsync",
    "cuMemFreeAsync",
    "cuMemFreeHost",
    "cuMemGetInfo_v2",
    "cuMemHostAlloc",
    "cuMemPoolSetAttribute",
    "cuMemPoolTrimTo",
    "cuMemcpyDtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemsetD8Async",
    "cuModuleGetFunction",
    "cuModuleLoadData",
    "cuModuleUnload",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
];

type ParamInfo = unsafe extern "C" fn(CUfunction, usize, *mut usize, *mut usize) -> CUresult;
type ElapsedTime = unsafe extern "C" fn(*mut f32, CUevent, CUevent) -> CUresult;

/// Functions that some drivers lack, or have under another name than cudarc looks for.
pub(super) struct Extra {
    /// `cuFuncGetParamInfo`, from CUDA 12.4 on.
    pub param_info: Option<ParamInfo>,
    /// `cuEventElapsedTime`, in every driver; cudarc takes its second version, which came with
    /// 12.8.
    pub elapsed_time: ElapsedTime,
}

/// Loads libcuda, once for the process.
pub(super) fn load() -> Result<&'static Extra> {
    static EXTRA: OnceLock<Result<Extra>> = OnceLock::new();
    EXTRA.get_or_init(look).as_ref().map_err(Error::clone)
}

fn look() -> Result<Extra> {
    // SAFETY: loads NVIDIA's driver by the names that systems have it under.
    if !unsafe { is_culib_present() } {
        return Err(Error::NoDriver { why: "libcuda.so.1 is not there".into() });
    }
    // SAFETY: it is there; it stays loaded.
    let library = unsafe { culib() };
    // SAFETY: only whether the symbol is there is asked.
    let missing = |name: &&&str| unsafe { library.get::<*const ()>(name.as_bytes()) }.is_err();
    let version = version_of(library);
    if let Some(name) = NEEDED.iter().find(missing) {
        return Err(Error::OldDriver { version, needed: OLDEST as u32, why: format!("it has no {name}") });
    }
    if version < OLDEST as u32 {
        return Err(Error::OldDriver { version, needed: OLDEST as u32, why: "it is too old".into() });
    }
    // SAFETY: the types are those of cuda.h.
    unsafe {
        let elapsed_time = library.get::<ElapsedTime>(b"cuEventElapsedTime").map(|function| *function);
        Ok(Extra {
            param_info: library.get(b"cuFuncGetParamInfo").ok().map(|function| *function),
            elapsed_time: elapsed_time.map_err(|_| Error::OldDriver {
                version,
                needed: OLDEST as u32,
                why: "it has no cuEventElapsedTime".into(),
            })?,
        })
    }
}

/// Returns the CUDA version of the driver, such as 12040; 0 if it does not say. It may be asked
/// before `cuInit`.
fn version_of(library: &libloading::Library) -> u32 {
    type Version = unsafe extern "C" fn(*mut c_int) -> CUresult;
    let mut version = 0;
    // SAFETY: the type is that of cuda.h; a number is written.
    unsafe {
        match library.get::<Version>(b"cuDriverGetVersion") {
            Ok(function) if function(&mut version) == CUresult::CUDA_SUCCESS => version.unsigned_abs(),
            _ => 0,
        }
    }
}

/// Returns the driver's version, once it is loaded.
pub(super) fn version() -> Result<u32> {
    load()?;
    // SAFETY: loaded, and kept.
    Ok(version_of(unsafe { culib() }))
}
