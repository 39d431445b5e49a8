//! Accelerators of this machine.

use std::sync::Arc;

use pelton_job::Device;

use crate::choice::IaaSettings;

/// Opens every work queue of the machine's IAA that this process can use, or says why there is none.
#[cfg(target_os = "linux")]
pub(crate) fn open(settings: IaaSettings) -> Result<Arc<dyn Device>, String> {
    use pelton_device_iaa::{IaaDevice, Options, discover, sys};

    let opener = discover::opener();
    let portals = opener().map_err(|error| error.to_string())?;
    let usual = Options::default();
    // As many jobs are in flight as the queue with most engines has work for.
    let engines = discover::open().iter().map(|queue| queue.engines).max().unwrap_or(usual.engines);
    let node = sys::current_node;
    let options = Options { opener: Some(opener), engines, node, windows: settings.windows, ..usual };
    let device = IaaDevice::new(portals, options).map_err(|error| error.to_string())?;
    Ok(device)
}

/// Says why there is none.
#[cfg(not(target_os = "linux"))]
pub(crate) fn open(_: IaaSettings) -> Result<Arc<dyn Device>, String> {
    Err("Intel's IAA is driven on Linux only".to_owned())
}
