//! `pelton-bench-zlib`: our libz.so.1 against Debian's and zlib-ng's, in calls and under whole
//! programs.
//!
//! [`calls`] measures single calls, [`files`] real files of ten kinds, [`memory`] that of open
//! streams, [`minigzip`] small programs in C, [`pg`] PostgreSQL's dumps and [`db_bench`] RocksDB.
//! The [`libraries`] take turns ([`contest`]); [`report`] prints and records their times.

#![deny(unsafe_code)]

mod calls;
mod contest;
#[path = "../../deflate/src/data/mod.rs"]
#[allow(dead_code, reason = "a command names the kinds that it measures")]
mod data;
mod db_bench;
mod files;
mod libraries;
mod memory;
mod minigzip;
mod pg;
mod report;
mod sys;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Measures Pelton's libz.so.1 against Debian's zlib and zlib-ng: one core, libraries in turn,
/// medians of paired runs.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// One-shot calls of 64 bytes to 1 MB
    Calls(calls::Options),
    /// Real files of ten kinds, compressed and decompressed in pieces of 16 KB and in one call
    Files(files::Options),
    /// Memory of each of ten thousand streams that are open at a time
    Memory(memory::Options),
    /// Programs that compress and decompress files, by gz* and by streams
    Minigzip(minigzip::Options),
    /// pg_dump and pg_restore of TPC-H in a PostgreSQL of its own
    PgDump(pg::Options),
    /// RocksDB's db_bench: a fill, then reads and writes
    DbBench(db_bench::Options),
}

fn main() -> ExitCode {
    match sys::cpu::pin() {
        Ok(core) => eprintln!("on core {core}"),
        Err(reason) => eprintln!("not on one core ({reason}): run it with taskset -c 0"),
    }
    let result = match Arguments::parse().command {
        Command::Calls(options) => calls::run(&options),
        Command::Files(options) => files::run(&options),
        Command::Memory(options) => memory::run(&options),
        Command::Minigzip(options) => minigzip::run(&options),
        Command::PgDump(options) => pg::run(&options),
        Command::DbBench(options) => db_bench::run(&options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pelton-bench-zlib: {error}");
            ExitCode::FAILURE
        }
    }
}
