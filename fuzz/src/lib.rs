//! Fuzz targets, and a runner for them on stable Rust. See the README of this crate.

pub mod allocator;
mod craft;
mod mutate;
#[path = "../../crates/codec/tests/reference/mod.rs"]
mod reference;
pub mod run;
pub mod targets;
