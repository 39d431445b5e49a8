//! Which devices this machine has, and why it hasn't the others.

use std::sync::Arc;

use pelton_device_cpu::CpuDevice;
use pelton_job::Device;

/// One device that Pelton knows of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceReport {
    /// Its name, as the counters have it.
    pub name: String,
    /// Whether it is there and in use.
    pub available: bool,
    /// What it is, or why it is not there.
    pub detail: String,
}

/// Opens what is there. The CPU always is, and comes last: what it can't do, nothing else can.
pub(crate) fn open(threads: usize) -> (Vec<Arc<dyn Device>>, Vec<DeviceReport>) {
    let cpu: Arc<dyn Device> = CpuDevice::builder().threads(threads).build();
    let report =
        DeviceReport { name: cpu.name().to_string(), available: true, detail: cpu.description().to_string() };
    (vec![cpu], vec![report])
}
