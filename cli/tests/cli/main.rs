//! Tests of the `pelton` command, run as users run it.

mod cancel;
mod codecs;
mod errors;
mod formats;
mod help;
mod output;
mod prompt;
mod scripts;
mod support;
mod tpch;
