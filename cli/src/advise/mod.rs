//! `pelton advise`: estimates of an accelerator's effect on the user's own files.
//!
//! [`measure`] times this machine's CPU and a scan of the files. [`accelerator`] and [`nxu`] have
//! the figures of devices that are not here and compress the data as they would. [`estimate`]
//! combines both; [`report`] and [`plot`] show the estimates with the source of each.

mod accelerator;
mod estimate;
mod measure;
mod nxu;
mod plot;
mod report;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use crate::codecs::input::{Input, refuse_replacing};
use crate::codecs::sample::Sample;
use crate::failure::{Failure, note};
use crate::options::threads;
use crate::output::write_whole;
use crate::progress::Steps;
use accelerator::Accelerator;
use estimate::Estimate;
use pelton::Size;
use report::Report;

/// Options of `pelton advise`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Files; of Parquet files the pages are decompressed first. Together they are one set of data
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Numbers of IAA devices to model, one estimate each
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values = ["1", "2", "4"], value_parser = device_count)]
    devices: Vec<NonZeroUsize>,
    /// Amount of data to try, taken evenly from all of it
    #[arg(long, value_name = "SIZE", default_value_t = Size(32 << 20))]
    sample: Size,
    /// Cut the data into blocks of this size [default: a Parquet file's own pages, 64KiB of other
    /// files]
    #[arg(long, value_name = "SIZE")]
    block_size: Option<Size>,
    /// Threads of the CPU [default: the machine's cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Rounds to take the CPU's median of
    #[arg(long, value_name = "N", default_value = "5")]
    rounds: NonZeroUsize,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Draw ratio against speed, and time against size with the sizes at which lines cross, into an
    /// SVG file
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

/// Maximum number of devices, more than any machine has.
const MAX_DEVICES: usize = 1024;

fn device_count(text: &str) -> Result<NonZeroUsize, String> {
    let count = text.parse::<NonZeroUsize>().ok().filter(|count| count.get() <= MAX_DEVICES);
    count.ok_or_else(|| format!("a number of devices is 1 to {MAX_DEVICES}"))
}

const EXAMPLES: &str = "\
Examples:
  pelton advise lineitem.parquet
  pelton advise lineitem.parquet --devices 1,8 --plot advise.svg
  pelton advise /var/lib/app/*.sst --block-size 16KiB --json

The CPU is measured on this machine; let it have nothing else to do. Each row says
whether its speeds are measured, published or modelled. An IAA's ratio is that of
your data in DEFLATE with the 4 KB of history that it has. The engine of IBM's NX
(POWER9, POWER10) and DFLTCC (z15) is modelled on your data; its setup times and the
maximum speed of its decompression are published. POWER10 has no published figures
and is taken to be as POWER9.";

/// Runs it.
pub fn run(options: &Options) -> Result<(), Failure> {
    let threads = threads(options.threads);
    let inputs = options.files.iter().map(|path| Input::open(path)).collect::<Result<Vec<_>, _>>()?;
    refuse_replacing(&inputs, options.plot.as_deref())?;
    let sample = Sample::take(&inputs, options.sample.0, options.block_size.map(|size| size.0))?;

    const STEPS: u64 = 5;
    let mut steps = Steps::new(STEPS);
    steps.at(0, STEPS, "measuring one thread");
    let one = measure::cpu(1, &sample, options.rounds.get())?;
    steps.at(1, STEPS, "measuring all threads");
    let all = if threads > 1 { measure::cpu(threads, &sample, options.rounds.get())? } else { one };
    steps.at(2, STEPS, "packing as an IAA does");
    let mut accelerators = accelerator::iaa(&sample, &options.devices)?;
    steps.at(3, STEPS, "packing as IBM's accelerators do");
    accelerators.extend(nxu::models(&sample)?);
    steps.at(4, STEPS, "scanning");
    let scan = measure::scan(&inputs, threads)?;
    drop(steps);

    let block = sample.bytes as f64 / sample.blocks.len() as f64;
    let mut estimates =
        vec![Estimate::measured(1, &one, &one, block, scan.as_ref().filter(|_| threads == 1))];
    if threads > 1 {
        estimates.push(Estimate::measured(threads, &one, &all, block, scan.as_ref()));
    }
    let cpu = estimates[estimates.len() - 1].clone();
    let estimate = |accelerator: &Accelerator| accelerator.estimate(block, &cpu).with_scan(scan.as_ref());
    estimates.extend(accelerators.iter().map(estimate));
    let report =
        Report { inputs: &inputs, sample: &sample, threads, scan: scan.as_ref(), estimates: &estimates };
    if let Some(path) = &options.plot {
        write_whole(Some(path), &plot::draw(&report))?;
    }
    write_whole(None, &if options.json { report.json() } else { report.text() })?;
    if let (Some(path), false) = (&options.plot, options.json) {
        note(&format!("plot: {}", path.display()));
    }
    Ok(())
}
