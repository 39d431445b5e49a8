//! Which IAA devices and work queues this machine has, which of them this process can use, and what
//! would enable the rest.
//!
//! Everything comes from sysfs, procfs and the character devices, without a library. [`report`]
//! puts it into words for `pelton devices`; [`open`] gives the queues that can be used, [`opener`]
//! opens them.

use std::sync::Arc;

use crate::device::IaaDevice;
#[cfg(target_os = "linux")]
use crate::options::Options;
use crate::windows::Windows;

#[cfg(target_os = "linux")]
mod attribute;
#[cfg(target_os = "linux")]
mod commands;
#[cfg(target_os = "linux")]
mod device;
#[cfg(target_os = "linux")]
mod judge;
#[cfg(target_os = "linux")]
mod machine;
#[cfg(target_os = "linux")]
mod obstacle;
#[cfg(target_os = "linux")]
mod queue;
mod report;
#[cfg(target_os = "linux")]
mod rows;
#[cfg(target_os = "linux")]
mod survey;
#[cfg(target_os = "linux")]
mod words;

#[cfg(target_os = "linux")]
pub use attribute::BadFile;
#[cfg(target_os = "linux")]
pub use device::{Device, DeviceState, Engine};
#[cfg(target_os = "linux")]
pub use obstacle::Obstacle;
#[cfg(target_os = "linux")]
pub use queue::{CharacterDevice, Queue, QueueType};
pub use report::{Report, Row};
#[cfg(target_os = "linux")]
pub use survey::{Host, Refusal, Survey, SurveyedDevice, SurveyedQueue, UsableQueue};

#[cfg(all(test, target_os = "linux"))]
mod tests;

/// What this machine has, in words. Each queue that looks usable is opened and closed again.
pub fn report() -> Report {
    #[cfg(target_os = "linux")]
    return Host::this().survey().report();
    #[cfg(not(target_os = "linux"))]
    Report::absent("Intel's IAA is driven on Linux only", Vec::new())
}

/// The queues of this machine that this process can use.
#[cfg(target_os = "linux")]
pub fn usable_queues() -> Vec<UsableQueue> {
    Host::this().survey().into_usable()
}

/// Opens all queues that can be used, and looks for them anew each time: what the driver's options
/// ask for, to open a device with, and again in a forked child.
///
/// The error of a call says why there is none, as [`report`] does.
#[cfg(target_os = "linux")]
pub fn opener() -> crate::Opener {
    Arc::new(|| Host::this().survey().into_portals())
}

/// Opens every work queue of the machine's IAA that this process can use.
///
/// # Errors
/// The reason why there is none, in one line.
#[cfg(target_os = "linux")]
pub fn open(windows: Windows) -> Result<Arc<IaaDevice>, String> {
    let opener = opener();
    let portals = opener().map_err(|error| error.to_string())?;
    let usual = Options::default();
    // The queue whose device has the most engines determines the number of jobs in flight.
    let engines = usable_queues().iter().map(|queue| queue.engines).max().unwrap_or(usual.engines);
    let options = Options { opener: Some(opener), engines, windows, ..usual };
    IaaDevice::new(portals, options).map_err(|error| error.to_string())
}

/// Fails: the driver needs Linux.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn open(_: Windows) -> Result<Arc<IaaDevice>, String> {
    Err("Intel's IAA is driven on Linux only".to_owned())
}
