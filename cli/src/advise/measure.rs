//! Measurements on this machine: gzip on its CPU, and a scan of the files.

use std::time::{Duration, Instant};

use pelton::codec::Format;
use pelton::job::Router;
use pelton::{DeviceChoice, Engine};

use crate::codecs::contestant::Contestant;
use crate::codecs::input::{Input, Kind};
use crate::codecs::measure::{self, Figures};
use crate::codecs::sample::Sample;
use crate::failure::Failure;

/// Format of Parquet's GZIP, which an IAA reads and writes too.
pub const FORMAT: Format = Format::Gzip;

/// Measures gzip at its default level on the CPU.
pub fn cpu(threads: usize, sample: &Sample, rounds: usize) -> Result<Figures, Failure> {
    let cpu: DeviceChoice = "cpu".parse().map_err(Failure::error)?;
    let engine = Engine::builder().threads(threads).devices(cpu).build()?;
    let builder =
        engine.router().devices().fold(Router::builder(), |builder, device| builder.device(device.clone()));
    let contestant = Contestant { format: FORMAT, level: FORMAT.default_level() };
    measure::measure(&builder.build(), contestant, sample, rounds, |_| {})?.map_err(Failure::Error)
}

/// Scans of each file; the shortest counts, since the first also brings the file into memory.
const ROUNDS: usize = 3;

/// Cost of a scan of every column of every file with all threads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scan {
    /// From start to end.
    pub wall: Duration,
    /// Time in decompression, summed over all threads.
    pub decompression: Duration,
    /// Decompressed bytes.
    pub bytes: u64,
    /// Number of threads.
    pub threads: usize,
}

/// Scans every file; none if not all files are Parquet.
pub fn scan(inputs: &[Input], threads: usize) -> Result<Option<Scan>, Failure> {
    if inputs.iter().any(|input| matches!(input.kind, Kind::Plain(_))) {
        return Ok(None);
    }
    let cpu: DeviceChoice = "cpu".parse().map_err(Failure::error)?;
    let engine = Engine::builder().threads(threads).devices(cpu).build()?;
    let mut sum = Scan { threads, ..Scan::default() };
    for (number, input) in inputs.iter().enumerate() {
        let name = format!("file_{number}");
        engine.register(&name, &input.path.to_string_lossy())?;
        let mut best: Option<Scan> = None;
        for _ in 0..ROUNDS {
            let scan = once(&engine, &format!("SELECT * FROM {name}"), threads)?;
            if best.is_none_or(|best| scan.wall < best.wall) {
                best = Some(scan);
            }
        }
        if let Some(best) = best {
            sum.wall += best.wall;
            sum.decompression += best.decompression;
            sum.bytes += best.bytes;
        }
    }
    Ok(Some(sum))
}

fn once(engine: &Engine, sql: &str, threads: usize) -> Result<Scan, Failure> {
    let started = Instant::now();
    let mut query = engine.query(sql)?;
    for batch in query.by_ref() {
        batch?;
    }
    let wall = started.elapsed();
    let totals = query.totals();
    let decompression = totals.decompression.values().map(|done| done.time).sum();
    Ok(Scan { wall, decompression, bytes: totals.bytes_decompressed(), threads })
}
