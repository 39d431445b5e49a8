//! What a scan of the files takes here, and how much of that is decompression.

use std::time::{Duration, Instant};

use pelton::{DeviceChoice, Engine};

use crate::codecs::input::{Input, Kind};
use crate::failure::Failure;

/// Scans of each file, of which the shortest counts: the first also brings the file into memory.
const ROUNDS: usize = 3;

/// A scan of every column of every file with all threads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scan {
    /// From start to end.
    pub wall: Duration,
    /// Of all threads together, in decompression.
    pub decompression: Duration,
    /// Bytes that were decompressed.
    pub bytes: u64,
    /// Threads that scanned.
    pub threads: usize,
}

/// Measures it; none if not all files are Parquet.
pub fn measure(inputs: &[Input], threads: usize) -> Result<Option<Scan>, Failure> {
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
