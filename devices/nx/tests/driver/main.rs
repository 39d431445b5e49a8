//! Tests of the driver on the model.

mod conformance;
mod device;
mod faults;
mod for_ever;
mod limits;
mod support;
