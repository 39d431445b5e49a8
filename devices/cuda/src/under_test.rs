//! The GPU that tests run on: the host build, or a real one where `PELTON_TEST_GPU=cuda` is set.
//!
//! A test of rows and bytes holds on both. One that needs a feature of the host build (sanitizers,
//! orders of threads, faults on request) opens [`Gpu::host`] itself.

use crate::{CudaOptions, Gpu, HostOptions};

/// Returns the GPU's name in a choice of devices: `cuda-host` or `cuda`.
///
/// # Panics
/// `PELTON_TEST_GPU` has another value.
pub fn name() -> &'static str {
    match std::env::var("PELTON_TEST_GPU").as_deref() {
        Err(_) | Ok("" | "cuda-host") => "cuda-host",
        Ok("cuda") => "cuda",
        Ok(other) => panic!("PELTON_TEST_GPU is {other:?}: set cuda or cuda-host"),
    }
}

/// Returns the GPU. A real one takes only the memory limit of `options`.
///
/// # Panics
/// It can't be opened: a test that asks for a GPU must not pass without one.
pub fn gpu(options: HostOptions) -> Gpu {
    let opened = match name() {
        "cuda" => Gpu::cuda(CudaOptions { memory_limit: options.memory_limit, ..CudaOptions::default() }),
        _ => Gpu::host(options),
    };
    opened.unwrap_or_else(|error| panic!("{error}"))
}
