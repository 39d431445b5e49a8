//! The host build: that it does what CUDA does, and that it finds what is wrong.

mod api;
mod collectives;
mod everything;
mod failures;
mod sanitized;
mod support;
mod threads;
