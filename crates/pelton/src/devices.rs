//! Which devices this machine has, and why it hasn't the others.

use std::sync::Arc;

use pelton_device_cpu::CpuDevice;
use pelton_job::Device;

/// One device that Pelton knows of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceReport {
    /// Its name, as the counters have it.
    pub name: String,
    /// Whether it is there and can be used.
    pub available: bool,
    /// What it is, or why it is not there.
    pub detail: String,
    /// Commands that would enable it, or make it faster, one after another.
    pub enable: Vec<String>,
}

/// Opens what is there. The CPU always is, and comes last: what it can't do, nothing else can.
pub(crate) fn open(threads: usize) -> (Vec<Arc<dyn Device>>, Vec<DeviceReport>) {
    let cpu: Arc<dyn Device> = CpuDevice::builder().threads(threads).build();
    let report = DeviceReport {
        name: cpu.name().to_string(),
        available: true,
        detail: cpu.description().to_string(),
        enable: Vec::new(),
    };
    (vec![cpu], vec![report])
}

/// What there is of the accelerators, a row for each device and queue, or why there is none. Looked for when somebody
/// asks, as it reads many small files.
pub(crate) fn accelerators() -> impl Iterator<Item = DeviceReport> {
    pelton_device_iaa::discover::report().rows.into_iter().map(|row| DeviceReport {
        name: row.name,
        available: row.usable,
        detail: row.detail,
        enable: row.enable,
    })
}
