//! Tests of the driver on the model.

mod conformance;
mod device;
mod faults;
mod support;
