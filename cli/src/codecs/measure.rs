//! Measurement of a codec at a level on a device: size, speed, and a check of the round trip.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use pelton::job::{Batch, Job, JobError, OutputSize, Router};
use pelton_report::numbers::median;

use super::contestant::Contestant;
use super::sample::Sample;
use crate::failure::Failure;

/// No further round begins after this time, so that slow levels do not take minutes; a disturbance
/// matters less in a round of that length.
const ENOUGH: Duration = Duration::from_secs(2);

/// Measured sizes and speeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// Bytes without compression.
    pub uncompressed: u64,
    /// Bytes compressed.
    pub compressed: u64,
    pub compress: Speed,
    pub decompress: Speed,
}

impl Figures {
    /// Returns the compression ratio.
    pub fn ratio(&self) -> f64 {
        self.uncompressed as f64 / self.compressed as f64
    }
}

/// A speed and how often it was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    /// Uncompressed bytes, in thousands of millions a second: the median of the rounds.
    pub gb_per_second: f64,
    pub rounds: usize,
}

/// The figures, or the reason for which the device does not support such jobs.
pub type Outcome = Result<Figures, String>;

/// Measures a codec; `step` is told the current step.
pub fn measure(
    router: &Arc<Router>,
    contestant: Contestant,
    sample: &Sample,
    rounds: usize,
    mut step: impl FnMut(&str),
) -> Result<Outcome, Failure> {
    let Contestant { format, level } = contestant;
    let blocks = &sample.blocks;

    let mut compressed = Vec::new();
    let compress = speed(sample.bytes, rounds, || {
        step("compressing");
        let jobs = blocks.iter().map(|block| Job::compress(format, level, block.clone()));
        let time = run(router, jobs, |_, output| {
            compressed.push(output);
            Ok(())
        })?;
        // The last round's blocks are those that are decompressed.
        compressed.drain(..compressed.len().saturating_sub(blocks.len()));
        Ok(time)
    });
    let compress = match compress {
        Ok(speed) => speed,
        Err(Stop::Refused(reason)) => return Ok(Err(reason)),
        Err(Stop::Failed(index, what)) => return Err(failed(contestant, index, &what)),
    };

    let decompress_jobs = || {
        let pairs = compressed.iter().zip(blocks);
        pairs.map(|(compressed, block)| {
            Job::decompress(format, compressed.clone(), OutputSize::Exact(block.len()))
        })
    };
    step("checking");
    let same = |index: usize, output: Bytes| match output == blocks[index] {
        true => Ok(()),
        false => Err("what comes back is not what went in: this is a bug, please report it".to_owned()),
    };
    let checked = run(router, decompress_jobs(), same);
    let decompress = checked.and_then(|_| {
        speed(sample.bytes, rounds, || {
            step("decompressing");
            run(router, decompress_jobs(), |_, _| Ok(()))
        })
    });
    match decompress {
        Ok(decompress) => {
            let compressed = compressed.iter().map(|block| block.len() as u64).sum();
            Ok(Ok(Figures { uncompressed: sample.bytes, compressed, compress, decompress }))
        }
        Err(Stop::Refused(reason)) => Ok(Err(reason)),
        Err(Stop::Failed(index, what)) => Err(failed(contestant, index, &what)),
    }
}

/// Why a round did not end.
enum Stop {
    /// The device does not support the job.
    Refused(String),
    /// This block's job failed.
    Failed(usize, String),
}

fn failed(contestant: Contestant, index: usize, what: &str) -> Failure {
    Failure::Error(format!("{contestant}, block {index} of the sample: {what}"))
}

/// Runs rounds until there are enough, and returns the median speed.
fn speed(
    bytes: u64,
    rounds: usize,
    mut round: impl FnMut() -> Result<Duration, Stop>,
) -> Result<Speed, Stop> {
    let started = Instant::now();
    let mut seconds = Vec::with_capacity(rounds);
    while seconds.is_empty() || (seconds.len() < rounds && started.elapsed() < ENOUGH) {
        seconds.push(round()?.as_secs_f64());
    }
    Ok(Speed { gb_per_second: bytes as f64 / median(&seconds) / 1e9, rounds: seconds.len() })
}

/// Runs jobs as one batch, passes each output with its index to `take` as it arrives, and returns
/// the time.
fn run(
    router: &Arc<Router>,
    jobs: impl Iterator<Item = Job>,
    mut take: impl FnMut(usize, Bytes) -> Result<(), String>,
) -> Result<Duration, Stop> {
    let batch: Batch = jobs.collect();
    let started = Instant::now();
    let mut ticket = router.submit(batch);
    let mut index = 0;
    while let Some(outcome) = ticket.wait_next() {
        match outcome {
            Ok(done) => take(index, done.output).map_err(|what| Stop::Failed(index, what))?,
            Err(JobError::Unsupported { reasons }) => return Err(Stop::Refused(reasons.to_string())),
            Err(error) => return Err(Stop::Failed(index, error.to_string())),
        }
        index += 1;
    }
    Ok(started.elapsed())
}

#[cfg(test)]
mod tests;
