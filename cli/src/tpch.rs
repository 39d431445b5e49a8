//! `pelton tpch`: makes the data, runs the queries, checks the answers, by means of `crates/tpch`.

use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use pelton_tpch::command::{self, ExitVerdict};
use pelton_tpch::data::cache::{default_cache_folder, ensure};
use pelton_tpch::data::codec::Codec;
use pelton_tpch::data::write::Progress;
use pelton_tpch::engine::rival::Contender;
use pelton_tpch::queries::{self, Query};

use pelton::DeviceChoice;

use crate::failure::Failure;
use crate::options::threads;
use crate::progress::Steps;

/// Options of `pelton tpch`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Scale factor: 1 is about a gigabyte of text; answers are kept for that one and for 0.01
    #[arg(long, value_name = "N", default_value_t = 1.0)]
    sf: f64,
    /// Codec of the data: none, gzip, gzip-4k (as gzip, with a window of 4 KB), snappy, zstd,
    /// lz4_raw, lz4 or brotli, with a level if wanted (zstd:9)
    #[arg(long, default_value = "gzip")]
    codec: Codec,
    /// Queries, in the order in which to run them, such as 1,6,12-14
    #[arg(long, value_name = "LIST", default_value = "1-22")]
    queries: Queries,
    /// Run the same queries on another engine too, and compare results: duckdb or datafusion
    #[arg(long, value_name = "ENGINE", value_parser = rival)]
    compare: Option<Contender>,
    /// Devices to use, such as cpu,iaa or cuda: see `pelton devices` [default: PELTON_DEVICES, else
    /// all available ones except a GPU]
    #[arg(long = "device", value_name = "LIST")]
    devices: Option<DeviceChoice>,
    /// Threads of each engine [default: the machine's cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Write a page that shows the work of each query over time: reads, copies, decompression,
    /// kernels
    #[arg(long, value_name = "FILE.html")]
    profile: Option<PathBuf>,
    /// Folder that keeps generated data [default: $XDG_CACHE_HOME/pelton, else ~/.cache/pelton]
    #[arg(long, value_name = "FOLDER")]
    cache: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  pelton tpch --sf 1
  pelton tpch --sf 10 --codec zstd:3 --queries 1,6,12-14
  pelton tpch --sf 1 --compare duckdb
  pelton tpch --sf 1 --codec gzip-4k --device iaa-model
  pelton tpch --sf 10 --device cuda --profile tpch.html

The data is made once and kept. The exit code is 1 if an answer is wrong or a
query fails.";

/// A choice of queries.
#[derive(Clone, Debug)]
struct Queries(Vec<&'static Query>);

impl FromStr for Queries {
    type Err = pelton_tpch::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        queries::choose(text).map(Queries)
    }
}

fn rival(text: &str) -> Result<Contender, String> {
    match text.parse() {
        Ok(Contender::Pelton | Contender::PeltonWith(_)) | Err(_) => Err("use duckdb or datafusion".into()),
        Ok(contender) => Ok(contender),
    }
}

/// Runs it.
pub fn run(options: &Options) -> Result<(), Failure> {
    let threads = threads(options.threads);
    let cache = match &options.cache {
        Some(folder) => folder.clone(),
        None => default_cache_folder().map_err(failure)?,
    };
    // The data comes first, so that its progress bar ends before the table begins.
    let steps = Mutex::new(Steps::new(0));
    let progress = |Progress { table, rows_done, rows_total }| {
        let mut steps = steps.lock().unwrap_or_else(PoisonError::into_inner);
        steps.at(rows_done, rows_total, &format!("generating {}", table.name()));
    };
    ensure(&cache, options.sf, options.codec, threads, &progress).map_err(failure)?;
    drop(steps);

    let options = command::Options {
        scale_factor: options.sf,
        codec: options.codec,
        queries: options.queries.0.clone(),
        threads,
        cache,
        devices: options.devices.clone(),
        profile: options.profile.clone(),
        compare: options.compare.clone(),
    };
    match command::run(&options, &mut io::stdout(), &|_| {}).map_err(failure)? {
        ExitVerdict::Passed => Ok(()),
        ExitVerdict::Failed => Err(Failure::Printed),
    }
}

fn failure(error: pelton_tpch::Error) -> Failure {
    match error {
        pelton_tpch::Error::Output(error) => Failure::writing("standard output", &error),
        other => Failure::error(other),
    }
}
