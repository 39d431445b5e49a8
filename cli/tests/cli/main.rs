//! Tests of the `pelton` command, run as users run it.

mod advise;
mod codecs;
mod errors;
#[cfg(target_os = "linux")]
mod exec;
mod gpu;
mod help;
mod repack;
mod sql;
mod substrait;
mod support;
mod tpch;
