//! The suite that every device has to pass.

use pelton_device_cpu::CpuDevice;
use pelton_job::conformance;

#[test]
fn one_thread() {
    conformance::run(CpuDevice::builder().threads(1).build());
}

#[test]
fn several_threads() {
    conformance::run(CpuDevice::builder().threads(4).build());
}
