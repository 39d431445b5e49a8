//! The driver on the model, as a router uses it.

mod conformance;
mod faults;
mod filter;
mod support;
