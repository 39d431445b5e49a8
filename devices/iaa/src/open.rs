//! The machine's own accelerators.

use std::sync::Arc;

use crate::device::IaaDevice;
use crate::windows::Windows;

/// Opens every work queue of the machine's IAA that this process can use.
///
/// # Errors
/// Why there is none, in a line.
#[cfg(target_os = "linux")]
pub fn open(windows: Windows) -> Result<Arc<IaaDevice>, String> {
    use crate::options::Options;
    use crate::{discover, sys};

    let opener = discover::opener();
    let portals = opener().map_err(|error| error.to_string())?;
    let usual = Options::default();
    // As many jobs are in flight as the queue with most engines has work for.
    let engines = discover::open().iter().map(|queue| queue.engines).max().unwrap_or(usual.engines);
    let options = Options { opener: Some(opener), engines, node: sys::current_node, windows, ..usual };
    IaaDevice::new(portals, options).map_err(|error| error.to_string())
}

/// Says why there is none.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn open(_: Windows) -> Result<Arc<IaaDevice>, String> {
    Err("Intel's IAA is driven on Linux only".to_owned())
}
