//! `pelton-bench-deflate`: Pelton's DEFLATE against other libraries on one core, block by block.
//!
//! [`inflate`] measures decompression and [`encoder`] compression, both on the blocks of [`data`]
//! and with the clock of [`measure`]; the libraries are in [`inflaters`] and [`encoders`], those of
//! C behind [`sys`]. [`front`] sums up the measurements of encoders, and [`plot`] draws them.

#![deny(unsafe_code)]

mod data;
#[cfg(test)]
#[path = "data/tests.rs"]
mod data_tests;
mod encoder;
mod encoders;
mod front;
mod inflate;
mod inflaters;
mod measure;
mod options;
mod plot;
mod sys;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The packages that are measured.
const MEASURED: [&str; 6] = ["libdeflate-sys", "isal-sys", "libz-sys", "libz-ng-sys", "zlib-rs", "zstd-sys"];

/// Measures Pelton's DEFLATE against libdeflate, ISA-L, zlib, zlib-ng, zlib-rs and Zstandard: one
/// core, contenders in turn, this thread's CPU time, medians.
#[derive(Parser)]
#[command(
    version,
    after_help = "Examples:\n  pelton-bench-deflate coder --data lineitem,source --size 64K --contender pelton,igzip1,libdeflate1\n  \
                                 pelton-bench-deflate inflate --size 64K --batches 1,4,8,15,16,32"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Decompression: streams that several encoders wrote
    Inflate(inflate::Options),
    /// Compression: ratio and speed of every level, and the gains of our levels
    #[command(name = "coder")]
    Encoder(encoder::Options),
}

fn main() -> ExitCode {
    match sys::cpu::pin() {
        Ok(core) => eprintln!("on core {core}"),
        Err(reason) => eprintln!("not on one core ({reason}): run it with taskset -c 0"),
    }
    let result = match Arguments::parse().command {
        Command::Inflate(options) => inflate::run(&options),
        Command::Encoder(options) => encoder::run(&options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pelton-bench-deflate: {error}");
            ExitCode::FAILURE
        }
    }
}
