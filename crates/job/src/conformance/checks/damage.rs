//! Bad input: rejected if the reference rejects it, without effect on other jobs.

use std::sync::Arc;

use pelton_random::Random;

use super::super::corpus::{Shape, compress, decompress_job, formats};
use super::super::reference::compute;
use super::super::{Check, Verdict, ensure};
use super::{alone, balanced, done_or_unsupported};
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

/// Checks blocks with a few flipped bits, at reproducible positions.
fn damaged(device: &Arc<dyn Device>) -> Verdict {
    const VARIANTS: usize = 200;
    let uncompressed = Shape::Text.bytes(LEN);
    for format in formats(device) {
        let compressed = compress(format, format.default_level(), &uncompressed);
        let mut random = Random::new(format as u64);
        let jobs: Vec<Job> = (0..VARIANTS)
            .map(|_| {
                let mut input = compressed.to_vec();
                for _ in 0..=random.below(3) {
                    let at = random.below(input.len());
                    input[at] ^= 1 << random.below(8);
                }
                Job::decompress(format, input, OutputSize::AtMost(2 * LEN))
            })
            .collect();
        let router = alone(device);
        let results = router.submit(Batch::from(jobs.clone())).wait();
        for (job, result) in jobs.into_iter().zip(results) {
            let mut output = vec![0; job.output.max_len()];
            let expected = compute(&job.view(), &mut output);
            match (result, expected) {
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
    let uncompressed = Shape::Text.bytes(LEN);
    for format in formats(device) {
        let compressed = compress(format, format.default_level(), &uncompressed);
        let cuts = [0, 1, 2, compressed.len() / 2, compressed.len() - 1];
        let jobs = cuts.map(|cut| Job::decompress(format, compressed.slice(..cut), OutputSize::Exact(LEN)));
        for (cut, result) in cuts.into_iter().zip(alone(device).submit(Batch::from_iter(jobs)).wait()) {
            match result {
                Ok(_) => {
                    return Err(format!("{format}: {cut} of {} bytes pass for the block", compressed.len()));
                }
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
    let uncompressed = Shape::Integers.bytes(LEN);
    for format in formats(device) {
        let good = decompress_job(format, &uncompressed);
        let bad = Job::decompress(format, good.input.slice(..good.input.len() / 2), OutputSize::Exact(LEN));
        let batch: Batch = (0..JOBS).map(|i| if i == BAD { bad.clone() } else { good.clone() }).collect();
        for (index, result) in alone(device).submit(batch).wait().into_iter().enumerate() {
            if index == BAD {
                ensure!(result.is_err(), "{format}: half a block passes for one");
            } else if let Some(done) = done_or_unsupported(result, &(format, index))? {
                ensure!(*done.output == uncompressed, "{format}: job {index} suffers from job {BAD}");
            }
        }
    }
    Ok(())
}
