//! Bad input: never accepted where the reference does not, and never anybody else's problem.

use std::sync::Arc;

use super::super::corpus::{Random, Shape, formats, pack, unpack_job};
use super::super::reference::compute;
use super::super::{Check, Verdict, ensure};
use super::{alone, balanced, done_or_refused};
use crate::device::Device;
use crate::job::batch::Batch;
use crate::job::{Job, OutputSize};
use crate::queue::result::JobError;

pub(super) const CHECKS: &[Check] = &[
    Check { name: "damaged input gives an error or what the reference makes of it", run: damaged },
    Check { name: "truncated input is an error", run: truncated },
    Check { name: "one bad job fails alone", run: alone_in_batch },
];

const LEN: usize = 3000;

/// Blocks with a few bits flipped, at places that are the same every time.
fn damaged(device: &Arc<dyn Device>) -> Verdict {
    const VARIANTS: usize = 200;
    let plain = Shape::Text.bytes(LEN);
    for format in formats(device) {
        let packed = pack(format, format.default_level(), &plain);
        let mut random = Random::new(format as u64);
        let jobs: Vec<Job> = (0..VARIANTS)
            .map(|_| {
                let mut input = packed.to_vec();
                for _ in 0..=random.below(3) {
                    let at = random.below(input.len());
                    input[at] ^= 1 << random.below(8);
                }
                Job::decompress(format, input, OutputSize::AtMost(2 * LEN))
            })
            .collect();
        let router = alone(device);
        let outcomes = router.submit(Batch::from(jobs.clone())).wait();
        for (job, outcome) in jobs.into_iter().zip(outcomes) {
            let mut output = vec![0; job.output.max_len()];
            let expected = compute(&job.view(), &mut output);
            match (outcome, expected) {
                (Ok(done), Ok(expected)) => {
                    let same =
                        *done.output == output[..expected.produced] && done.consumed == expected.consumed;
                    ensure!(same, "{format}: damaged input gives other bytes than the reference");
                }
                (Ok(_), Err(error)) => {
                    return Err(format!("{format}: accepts what the reference does not: {error:?}"));
                }
                (Err(JobError::Unsupported { .. }), _) => {}
                (Err(JobError::Codec { .. }), expected) => {
                    ensure!(expected.is_err(), "{format}: calls bad what the reference can read");
                }
                (Err(error), _) => {
                    return Err(format!("{format}: bad data is a failure of the device: {error}"));
                }
            }
        }
        balanced(&router)?;
    }
    Ok(())
}

fn truncated(device: &Arc<dyn Device>) -> Verdict {
    let plain = Shape::Text.bytes(LEN);
    for format in formats(device) {
        let packed = pack(format, format.default_level(), &plain);
        let cuts = [0, 1, 2, packed.len() / 2, packed.len() - 1];
        let jobs = cuts.map(|cut| Job::decompress(format, packed.slice(..cut), OutputSize::Exact(LEN)));
        for (cut, outcome) in cuts.into_iter().zip(alone(device).submit(Batch::from_iter(jobs)).wait()) {
            match outcome {
                Ok(_) => return Err(format!("{format}: {cut} of {} bytes pass for the block", packed.len())),
                Err(JobError::Panicked { message, .. }) => return Err(format!("{format}: panic: {message}")),
                Err(_) => {}
            }
        }
    }
    Ok(())
}

fn alone_in_batch(device: &Arc<dyn Device>) -> Verdict {
    const JOBS: usize = 20;
    const BAD: usize = 7;
    let plain = Shape::Integers.bytes(LEN);
    for format in formats(device) {
        let good = unpack_job(format, &plain);
        let bad = Job::decompress(format, good.input.slice(..good.input.len() / 2), OutputSize::Exact(LEN));
        let batch: Batch = (0..JOBS).map(|i| if i == BAD { bad.clone() } else { good.clone() }).collect();
        for (index, outcome) in alone(device).submit(batch).wait().into_iter().enumerate() {
            if index == BAD {
                ensure!(outcome.is_err(), "{format}: half a block passes for one");
            } else if let Some(done) = done_or_refused(outcome, &(format, index))? {
                ensure!(*done.output == plain, "{format}: job {index} suffers from job {BAD}");
            }
        }
    }
    Ok(())
}
