//! `pelton codecs`: ratio and speed of every codec, level and device on the user's own files.
//!
//! [`input`] recognises the files, [`sample`] takes blocks of them, [`contestant`] lists the codecs
//! and levels, [`measure`] runs them through the job router, [`report`] and [`plot`] show the
//! results.

pub mod contestant;
pub mod input;
pub mod measure;
mod pages;
pub mod plot;
pub mod report;
pub mod sample;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use pelton::Engine;
use pelton::codec::Format;
use pelton::job::{Device, Router};

use crate::failure::{Failure, note};
use crate::options::threads;
use crate::output::write_whole;
use crate::progress::Steps;
use contestant::Levels;
use input::{Input, refuse_replacing};
use pelton::Size;
use report::{Report, Row};
use sample::Sample;

/// Options of `pelton codecs`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Files; of Parquet files the pages are decompressed first. Together they are one set of data
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Codecs to try: deflate, zlib, gzip, lz4, snappy, zstd, brotli [default: all these],
    /// lz4-hadoop
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_values_t = contestant::FORMATS,
        hide_default_value = true
    )]
    codecs: Vec<Format>,
    /// Levels to try: "useful" (each codec's fast, default and thorough ones), "all", or numbers
    /// such as 1,6,9
    #[arg(long, value_name = "LEVELS", default_value = "useful")]
    levels: Levels,
    /// Cut the data into blocks of this size [default: a Parquet file's own pages, 64KiB of other
    /// files]
    ///
    /// A block is compressed by itself, as a page or a storage engine's block is. 64 KiB is twice
    /// DEFLATE's window, so that codecs come near the ratio that they have on whole files, and
    /// small enough to be read for a few rows.
    #[arg(long, value_name = "SIZE")]
    block_size: Option<Size>,
    /// Amount of data to try, taken evenly from all of it
    #[arg(long, value_name = "SIZE", default_value_t = Size(64 << 20))]
    sample: Size,
    /// Rounds to take the median of; slow levels get fewer
    #[arg(long, value_name = "N", default_value = "5")]
    rounds: NonZeroUsize,
    /// Threads of the CPU device [default: the machine's cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Draw ratio against decompression speed into an SVG file
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  pelton codecs trips.parquet
  pelton codecs trips.parquet --codecs gzip,zstd,lz4 --levels all --plot codecs.svg
  pelton codecs /var/lib/app/*.sst --block-size 16KiB --threads 1
  pelton codecs trips.parquet --json > codecs.json

Speeds are those of whole batches of blocks through the job router, on this
machine, in uncompressed bytes; let it have nothing else to do. Every block is
checked to come back the same.";

/// Runs it.
pub fn run(options: &Options) -> Result<(), Failure> {
    let threads = threads(options.threads);
    let inputs = options.files.iter().map(|path| Input::open(path)).collect::<Result<Vec<_>, _>>()?;
    refuse_replacing(&inputs, options.plot.as_deref())?;
    let sample = Sample::take(&inputs, options.sample.0, options.block_size.map(|size| size.0))?;
    let contestants = contestant::choose(&options.codecs, &options.levels)?;

    let engine = Engine::builder().threads(threads).build()?;
    let devices: Vec<Arc<dyn Device>> = engine.router().devices().cloned().collect();
    let total = (devices.len() * contestants.len()) as u64;
    let mut steps = Steps::new(total);
    let mut rows = Vec::new();
    for device in &devices {
        // A router with this device alone, so that no failed or unsupported job goes elsewhere.
        let router = Router::builder().device(device.clone()).build();
        for &contestant in &contestants {
            let name = device.name().to_owned();
            let step =
                |done: &str| steps.at(rows.len() as u64, total, &format!("{contestant} on {name}: {done}"));
            let outcome = measure::measure(&router, contestant, &sample, options.rounds.get(), step)?;
            rows.push(Row { contestant, device: name, outcome });
        }
    }
    drop(steps);

    let rounds = options.rounds.get();
    let report = Report { inputs: &inputs, sample: &sample, threads, rounds, rows: &rows };
    if let Some(path) = &options.plot {
        write_whole(Some(path), &plot::draw(&report))?;
    }
    if options.json {
        return write_whole(None, &report.json());
    }
    write_whole(None, &report.text())?;
    if let Some(path) = &options.plot {
        note(&format!("plot: {}", path.display()));
    }
    Ok(())
}
