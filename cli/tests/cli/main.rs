//! Tests of the `pelton` command, run as users run it.

mod advise;
mod cancel;
mod codecs;
mod errors;
#[cfg(target_os = "linux")]
mod exec;
mod formats;
mod gpu;
mod help;
mod killed;
mod output;
mod prompt;
mod repack;
mod scripts;
mod support;
mod tpch;
