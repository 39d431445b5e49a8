//! `pelton repack`: Parquet files written with another codec.
//!
//! [`codec`] is the choice of the codec, [`plan`] pairs input and output files.

mod codec;
mod plan;

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use pelton::{CancelHandle, Engine, Packing, Repacked};

use crate::failure::Failure;
use crate::interrupt::Job;
use crate::options::threads;
use crate::output::Target;
use crate::progress::Steps;
use codec::Codec;
use pelton::Size;
use pelton_report::numbers;
use plan::Pair;

/// Options of `pelton repack`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Parquet file to read, or a folder of them
    #[arg(value_name = "IN")]
    input: String,
    /// File to write, or for a folder the folder to write to
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Codec of all pages
    #[arg(long, value_enum)]
    codec: Codec,
    /// Farthest distance of gzip's matches, a power of two from 512 to 32k; Intel's IAA
    /// decompresses up to 4k [default: 32k]
    #[arg(long, value_name = "SIZE")]
    window: Option<Size>,
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        help = "Level: gzip 0 to 12 [default: 6], zstd 1 to 22 [default: 3]"
    )]
    level: Option<i32>,
    /// Threads of the CPU device [default: the machine's cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Overwrite existing files
    #[arg(long)]
    force: bool,
}

const EXAMPLES: &str = "\
Examples:
  pelton repack trips.parquet trips-4k.parquet --codec gzip --window 4k
  pelton repack data/ packed/ --codec zstd --level 9
  pelton repack old.parquet old.parquet --codec lz4_raw --force

Only the compression of pages changes: values, encodings, statistics, row groups,
indexes and the rest of the footer stay. A file appears when it is whole. Files
whose gzip has a window below 32k say so in their footer, so that Pelton gives
their pages to devices with no more than that.";

/// Runs it.
pub fn run(options: &Options) -> Result<(), Failure> {
    let packing = options.codec.packing(options.window, options.level)?;
    let engine = Engine::builder().threads(threads(options.threads)).build()?;
    let pairs = plan::pairs(&engine, &options.input, &options.output, options.force)?;
    let job = Job::begin();
    let cancel = job.cancel_handle();

    let mut out = Target::open(None)?;
    let total: u64 = pairs.iter().map(|pair| pair.bytes).sum();
    let started = Instant::now();
    let mut sum = Repacked::default();
    for pair in &pairs {
        let began = Instant::now();
        let mut steps = Steps::new(total);
        let mut at = |done| steps.at(sum.bytes_before + done, total, &format!("repacking {}", pair.input));
        let repacked = one(&engine, pair, packing, cancel, &mut at)?;
        drop(steps);
        line(&mut out, &pair.output.display().to_string(), &repacked, began)?;
        sum.bytes_before += repacked.bytes_before;
        sum.bytes_after += repacked.bytes_after;
        sum.pages += repacked.pages;
    }
    if pairs.len() > 1 {
        line(&mut out, &numbers::counted(pairs.len() as u64, "file"), &sum, started)?;
    }
    out.commit()
}

/// Repacks a file; `at` receives the number of finished bytes.
fn one(
    engine: &Engine,
    pair: &Pair,
    packing: Packing,
    cancel: &CancelHandle,
    at: &mut dyn FnMut(u64),
) -> Result<Repacked, Failure> {
    if let Some(folder) = pair.output.parent().filter(|folder| *folder != Path::new("")) {
        std::fs::create_dir_all(folder).map_err(|error| Failure::file(folder, &error))?;
    }
    let mut target = Target::open(Some(&pair.output))?;
    let fault = target.fault();
    let repacked = engine.repack(&pair.input, packing, &mut target, cancel, &mut |now| at(now.bytes_done));
    let repacked = repacked.map_err(|error| match fault.behind(&error) {
        Failure::Error(_) if matches!(error, pelton::Error::Cancelled) => Failure::Cancelled,
        Failure::Error(what) => Failure::Error(format!("{what}; {} was not written", pair.output.display())),
        other => other,
    })?;
    target.commit()?;
    Ok(repacked)
}

fn line(out: &mut Target, name: &str, repacked: &Repacked, began: Instant) -> Result<(), Failure> {
    let (before, after) = (repacked.bytes_before, repacked.bytes_after);
    let line = format!(
        "{name}: {} → {} ({:.2} of it), {}, {}\n",
        numbers::bytes(before),
        numbers::bytes(after),
        after as f64 / before.max(1) as f64,
        numbers::counted(repacked.pages, "page"),
        numbers::time(began.elapsed()),
    );
    out.write_all(line.as_bytes()).map_err(|error| out.fault().behind(error))
}
