//! The host build: it behaves as CUDA does, and finds errors in kernels.

mod api;
mod collectives;
mod everything;
mod failures;
mod sanitized;
mod support;
mod threads;
