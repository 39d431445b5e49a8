//! Fuzz targets, and what runs them on stable Rust. See the README beside this crate.

pub mod allocator;
mod craft;
mod mutate;
#[path = "../../crates/codec/tests/reference/mod.rs"]
mod reference;
pub mod run;
pub mod targets;
