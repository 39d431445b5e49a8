//! Diagnosis of the IAA devices and work queues of this machine.
//!
//! Each device and queue gets a state, and each state a message and the commands that make it
//! usable. Everything comes from sysfs, procfs and the character devices, without a library.

use std::sync::Arc;

use crate::device::IaaDevice;
use crate::windows::Windows;

#[cfg(target_os = "linux")]
mod diagnose;
#[cfg(target_os = "linux")]
mod messages;
#[cfg(target_os = "linux")]
mod state;
#[cfg(target_os = "linux")]
mod sysfs;
#[cfg(all(test, target_os = "linux"))]
mod test_machine;

/// One device or queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The name that `accel-config` uses, `iax1` or `iax1/wq1.0`; `iaa` if there is no device.
    pub name: String,
    /// Whether this process can use it.
    pub usable: bool,
    /// Description, and the blocker if there is one.
    pub detail: String,
    /// Commands that enable it or make it faster, in order.
    pub enable: Vec<String>,
}

/// Returns a row for each device and each of its queues, or one row that says why there is none.
/// Opens and closes each queue that looks usable.
pub fn report() -> Vec<Row> {
    #[cfg(target_os = "linux")]
    return diagnose::Host::this().diagnose().rows;
    #[cfg(not(target_os = "linux"))]
    vec![Row { name: "iaa".to_owned(), usable: false, detail: NOT_LINUX.to_owned(), enable: Vec::new() }]
}

/// Opens every work queue of the machine's IAA that this process can use.
///
/// # Errors
/// The reason why there is none, in one line.
#[cfg(target_os = "linux")]
pub fn open(windows: Windows) -> Result<Arc<IaaDevice>, String> {
    use crate::options::{Opener, Options};

    // A forked child calls this again to open queues of its own.
    let opener: Opener = Arc::new(|| diagnose::Host::this().diagnose().into_portals());
    let portals = opener().map_err(|error| error.to_string())?;
    let usual = Options::default();
    // The device with the most engines determines the number of jobs in flight.
    let queues = diagnose::Host::this().diagnose().usable;
    let engines = queues.iter().map(|queue| queue.engines).max().unwrap_or(usual.engines);
    let options = Options { opener: Some(opener), engines, windows, ..usual };
    IaaDevice::new(portals, options).map_err(|error| error.to_string())
}

#[cfg(not(target_os = "linux"))]
const NOT_LINUX: &str = "Intel's IAA is driven on Linux only";

/// Fails: the driver needs Linux.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn open(_: Windows) -> Result<Arc<IaaDevice>, String> {
    Err(NOT_LINUX.to_owned())
}
