//! `pelton-bench`: measures Pelton against other engines and keeps records of it.

use std::io::{stdin, stdout};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use pelton_allocator::{Allocator, keep_freed_memory, return_freed_memory};
use pelton_bench::commands::{copy, gpu, iaa, memory, scan, tpcds, tpch, windows};
use pelton_tpch::Error;

/// Measures Pelton against stock DataFusion and DuckDB on the same files, each engine in a process
/// of its own.
///
/// The rivals come from PyPI; `make rivals` installs them.
#[derive(Parser)]
#[command(
    version,
    after_help = "Examples:\n  pelton-bench tpch --sf 1 --codecs gzip,snappy --runs 5\n  \
                                 pelton-bench scan\n  pelton-bench memory --large-sf 66\n  \
                                 pelton-bench gpu --sf 10,30"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The 22 TPC-H queries, engine by engine in turn, on each codec
    Tpch(tpch::Options),
    /// The 99 queries derived from TPC-DS, as `tpch`, with peak memory and times of planning
    Tpcds(tpcds::Options),
    /// Window functions over the TPC-H tables, engine by engine in turn
    Windows(windows::Options),
    /// A scan of every column of lineitem
    Scan(scan::Options),
    /// DuckDB writing lineitem as Parquet: its own writer against Pelton's
    Copy(copy::Options),
    /// Peak memory of the 22 queries and of scanning a large file
    Memory(memory::Options),
    /// Codecs on the TPC-H tables, with the model of an Intel IAA, and published figures
    Iaa(iaa::Options),
    /// A GPU: copies, decompression, the TPC-H queries against DuckDB on the CPU, and the
    /// arithmetic
    Gpu(gpu::Options),
    /// Hosts Pelton for the other commands: requests on standard input, replies on standard output
    Worker,
}

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

fn main() -> ExitCode {
    keep_freed_memory();
    pelton::on_memory_limit(return_freed_memory);
    pelton::request_all_queues();
    let result = match Arguments::parse().command {
        Command::Tpch(options) => tpch::run(&options),
        Command::Tpcds(options) => tpcds::run(&options),
        Command::Windows(options) => windows::run(&options),
        Command::Scan(options) => scan::run(&options),
        Command::Copy(options) => copy::run(&options),
        Command::Memory(options) => memory::run(&options),
        Command::Iaa(options) => iaa::run(&options),
        Command::Gpu(options) => gpu::run(&options),
        Command::Worker => pelton_tpch::engine::worker::serve(stdin().lock(), stdout().lock())
            .map(|()| true)
            .map_err(Error::output),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("pelton-bench: {error}");
            ExitCode::FAILURE
        }
    }
}
