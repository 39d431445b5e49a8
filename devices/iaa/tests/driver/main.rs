//! The driver on the model, as a router uses it.

mod conformance;
mod device;
mod faults;
mod filter;
mod support;
