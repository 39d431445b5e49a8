//! Accelerator that runs parts of queries on an opened GPU.

mod faults;

use std::sync::Arc;

use pelton_gpu::{GpuAccelerator, Limits};
use pelton_query::{Accelerator, ScanContext};
use pelton_registry::OpenGpu;

use faults::FailEvery;

/// Returns the accelerator over an opened GPU.
///
/// # Errors
/// The kernels that all queries use can't be compiled.
pub(crate) fn over(open: &OpenGpu, scan: ScanContext) -> Result<Arc<dyn Accelerator>, String> {
    let limits = Limits { passes: open.settings.passes.get() as u64, spill: open.spill };
    let accelerator = GpuAccelerator::new(open.gpu.clone(), scan, limits);
    let accelerator = accelerator.map_err(|failure| failure.0)?;
    Ok(match open.settings.fault_every {
        Some(every) => Arc::new(FailEvery::new(Arc::new(accelerator), every)),
        None => Arc::new(accelerator),
    })
}
