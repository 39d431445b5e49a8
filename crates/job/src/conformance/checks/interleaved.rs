//! Batches of different jobs: a device may run several of them interleaved, without effect on the
//! results.

use std::sync::Arc;

use bytes::Bytes;
use pelton_codec::Format;

use pelton_random::Random;

use super::super::corpus::{Shape, compress, formats, page};
use super::super::reference::compute;
use super::super::{Check, Verdict, ensure};
use super::{alone, balanced, settle};
use crate::device::{Device, Failure};
use crate::job::batch::Batch;
use crate::job::{Job, OutputSize};
use crate::queue::result::{JobError, JobResult};

pub(super) const CHECKS: &[Check] = &[
    Check { name: "in a batch of all formats, sizes and faults each job has its own result", run: unlike },
    Check { name: "a batch that is cancelled at any point ends, and what ran is right", run: cancelled },
];

/// Jobs of a batch: more than a device has workers.
const JOBS: usize = 120;

/// Returns a job of a random format and size: sound, truncated, with a flipped bit, or with a
/// smaller or larger output size.
fn any(formats: &[Format], random: &mut Random) -> Job {
    let format = formats[random.below(formats.len())];
    // All orders of magnitude, the larger ones more often.
    let magnitude = random.below(18).max(random.below(18));
    let len = random.below(1 << magnitude);
    let uncompressed = match random.below(Shape::ALL.len() + 2) {
        shape if shape < Shape::ALL.len() => Shape::ALL[shape].bytes(len),
        _ => page(len),
    };
    let mut input = Vec::from(compress(format, format.default_level(), &uncompressed));
    let mut output = OutputSize::Exact(len);
    match random.below(8) {
        0 => input.truncate(random.below(input.len().max(1))),
        1 => {
            let at = random.below(input.len().max(1));
            let bit = 1 << random.below(8);
            input.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= bit);
        }
        2 => output = OutputSize::AtMost(random.below(len + 1)),
        3 => output = OutputSize::AtMost(2 * len),
        _ => {}
    }
    let prefix = vec![0xAB; random.below(3) * 10];
    Job::decompress(format, input, output).with_prefix(prefix)
}

fn unlike(device: &Arc<dyn Device>) -> Verdict {
    let formats = formats(device);
    let router = alone(device);
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let jobs: Vec<Job> =
            (0..if formats.is_empty() { 0 } else { JOBS }).map(|_| any(&formats, &mut random)).collect();
        let results = router.submit(Batch::from(jobs.clone())).wait();
        for (index, (job, result)) in jobs.iter().zip(results).enumerate() {
            compare(device, job, result).map_err(|what| format!("batch {seed}, job {index}: {what}"))?;
        }
    }
    balanced(&router)
}

/// Compares a result with the reference's. An authoritative device must also report the same error
/// for bad data.
fn compare(device: &Arc<dyn Device>, job: &Job, result: JobResult) -> Verdict {
    let what = (job.operation, job.input.len(), job.output);
    let mut uncompressed = vec![0; job.output.max_len()];
    let expected = match compute(&job.view(), &mut uncompressed) {
        Ok(done) => match job.output {
            OutputSize::Exact(expected) if done.produced < expected => {
                Err(Failure::WrongSize { expected, produced: done.produced })
            }
            _ => Ok(done),
        },
        failed => failed,
    };
    match (result, expected) {
        (Ok(done), Ok(expected)) => {
            let (prefix, rest) = done.output.split_at(job.prefix.len().min(done.output.len()));
            ensure!(
                prefix == job.prefix && rest == &uncompressed[..expected.produced],
                "{what:?}: wrong bytes"
            );
            ensure!(done.consumed == expected.consumed, "{what:?}: consumed {}", done.consumed);
        }
        (Err(JobError::Codec { error, .. }), Err(Failure::Data(expected))) => {
            let same = error == expected || !device.is_authoritative();
            ensure!(same, "{what:?}: says {error}, the reference {expected}");
        }
        (Err(JobError::WrongSize { .. }), Err(Failure::WrongSize { .. })) => {}
        (Err(JobError::Unsupported { .. }), _) => {}
        (Ok(_), Err(error)) => return Err(format!("{what:?}: accepted, the reference says {error:?}")),
        (Err(error), expected) => return Err(format!("{what:?}: {error}, the reference has {expected:?}")),
    }
    Ok(())
}

fn cancelled(device: &Arc<dyn Device>) -> Verdict {
    let uncompressed = page(30_000);
    let formats = formats(device);
    let inputs: Vec<(Format, Bytes)> =
        formats.iter().map(|&f| (f, compress(f, f.default_level(), &uncompressed))).collect();
    let router = alone(device);
    for taken in (0..20).filter(|_| !inputs.is_empty()) {
        let job = |index: usize| {
            let (format, input) = &inputs[index % inputs.len()];
            Job::decompress(*format, input.clone(), OutputSize::Exact(uncompressed.len()))
        };
        let mut ticket = router.submit((0..JOBS).map(job).collect::<Batch>());
        // Cancel during the first jobs, during later ones, or near the end.
        let mut results: Vec<JobResult> = (0..taken * taken / 4).filter_map(|_| ticket.wait_next()).collect();
        ticket.cancel();
        results.extend(ticket.wait());
        ensure!(results.len() == JOBS, "{} results for {JOBS} jobs", results.len());
        for (index, result) in results.into_iter().enumerate() {
            match result {
                Ok(done) => ensure!(done.output == uncompressed, "job {index} ran and has wrong bytes"),
                Err(JobError::Cancelled | JobError::Unsupported { .. }) => {}
                Err(error) => return Err(format!("job {index}: {error}")),
            }
        }
    }
    // A device counts a cancelled job when it reaches it.
    settle(&router)?;
    balanced(&router)
}
