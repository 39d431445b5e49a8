//! Calls on whole buffers: their times and the sizes of their outputs.

mod operation;

use std::time::Instant;

use crate::contest::{Common, Taken, turns};
use crate::data::Kind;
use crate::libraries;
use crate::report::{Metric, Report};
use crate::sys::cpu::thread_seconds;
use crate::sys::zlib::{Zlib, load};
use operation::{Operation, Work};

const METRICS: [Metric; 3] = [
    Metric { name: "CPU ns", digits: 0, compared: true },
    Metric { name: "wall ns", digits: 0, compared: false },
    Metric { name: "bytes", digits: 1, compared: true },
];
/// Plain data of each kind, through which the calls go round: more than the caches nearest to a
/// core hold.
const DATA: usize = 4 << 20;
/// A turn's time at Debian's speed: many ticks of the clock.
const TURN: f64 = 0.004;

/// Functions to call, and their data.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Kinds of data
    #[arg(long, value_delimiter = ',', default_value = "tpch-text,json")]
    data: Vec<Kind>,
    /// Bytes in a call
    #[arg(long, value_delimiter = ',', default_value = "64,1024,4096,16384,65536,1048576",
          value_parser = clap::value_parser!(u32).range(1..=DATA as i64))]
    size: Vec<u32>,
    /// Only operations with this in their name
    #[arg(long, default_value = "")]
    only: String,
    #[command(flatten)]
    common: Common,
}

/// Runs them all.
pub fn run(options: &Options) -> Result<(), String> {
    let libraries = libraries::all()?;
    let loaded: Vec<Zlib> = libraries.iter().map(|library| load(&library.path)).collect();
    let mut report = Report::start("zlib-calls", &libraries, &["data", "size", "operation"], &METRICS);
    for kind in &options.data {
        let uncompressed = kind.make(DATA)?;
        for &size in &options.size {
            for operation in Operation::all().filter(|operation| operation.name().contains(&options.only)) {
                // All libraries decompress the output of Debian's.
                let work = operation.prepare(&loaded[1], &uncompressed, size as usize);
                let taken = contest(&loaded, &operation, &work, options.common.runs())?;
                report.add(vec![kind.name().into(), size.to_string(), operation.name()], taken);
            }
        }
    }
    report.finish(&options.common)
}

/// Measures one operation with all libraries.
fn contest(loaded: &[Zlib], operation: &Operation, work: &Work, runs: usize) -> Result<Vec<Taken>, String> {
    let start = Instant::now();
    let blocks = work.blocks.len();
    let few = blocks.min(4);
    operation.run(&loaded[1], work, few);
    let times = (TURN / (start.elapsed().as_secs_f64() / few as f64)).ceil().max(1.0) as usize;
    // Every library's code and tables are in the caches before the clock counts.
    for zlib in loaded {
        operation.run(zlib, work, few);
    }
    turns(runs, loaded.len(), |library| {
        let (cpu, wall) = (thread_seconds(), Instant::now());
        let bytes = operation.run(&loaded[library], work, times);
        let (cpu, wall) = (thread_seconds() - cpu, wall.elapsed().as_secs_f64());
        let each = |total: f64| total / times as f64;
        Ok(vec![each(cpu * 1e9), each(wall * 1e9), each(bytes as f64)])
    })
}
