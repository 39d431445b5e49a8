//! Tests of the driver on the model.

mod conformance;
mod device;
#[cfg(all(target_os = "linux", target_arch = "s390x"))]
mod emulated;
mod faults;
mod support;
