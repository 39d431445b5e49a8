//! Declared sizes, prefixes and limits.

use std::sync::Arc;

use bytes::Bytes;
use pelton_codec::Format;

use super::super::corpus::{SAMPLE_LEN, Shape, compress, decompress_job, formats, samples, shape};
use super::super::reference::compute;
use super::super::{Check, Verdict, ensure};
use super::{alone, balanced, done_or_unsupported, limited};
use crate::device::Device;
use crate::job::batch::Batch;
use crate::job::{Job, JobView, Operation, OutputSize};
use crate::queue::result::JobError;

pub(super) const CHECKS: &[Check] = &[
    Check { name: "an exact output size is exact: neither fewer bytes nor more pass", run: exact },
    Check { name: "a largest output size is a bound and not a demand", run: at_most },
    Check {
        name: "a block that grows beyond its declared size is an error, however far it grows",
        run: bomb,
    },
    Check { name: "the prefix comes before the output and does not count", run: prefix },
    Check { name: "a job over the output limit fails alone, with both numbers", run: limit },
];

const LEN: usize = 10_000;

fn sample(format: Format) -> (Vec<u8>, Bytes) {
    let uncompressed = Shape::Text.bytes(LEN);
    let compressed = compress(format, format.default_level(), &uncompressed);
    (uncompressed, compressed)
}

fn exact(device: &Arc<dyn Device>) -> Verdict {
    for format in formats(device) {
        let (uncompressed, compressed) = sample(format);
        let router = alone(device);
        let sizes = [LEN, LEN + 1, LEN - 1, 0];
        let jobs = sizes.map(|size| Job::decompress(format, compressed.clone(), OutputSize::Exact(size)));
        let results = router.submit(Batch::from_iter(jobs)).wait();
        for (size, result) in sizes.into_iter().zip(results) {
            match result {
                Err(JobError::Unsupported { .. }) => {}
                Ok(done) => {
                    ensure!(size == LEN, "{format}: {LEN} bytes pass for exactly {size}");
                    ensure!(*done.output == uncompressed, "{format}: wrong bytes");
                }
                Err(JobError::WrongSize { expected, produced, .. }) => {
                    ensure!(size > LEN, "{format}: {produced} bytes came out where {size} are too few");
                    ensure!((expected, produced) == (size, LEN), "{format}: says {produced} of {expected}");
                }
                // Some formats store the size in the block, so the error precedes any output.
                Err(JobError::Codec { .. }) => ensure!(size != LEN, "{format}: exactly {size} is an error"),
                Err(error) => return Err(format!("{format}, exactly {size}: {error}")),
            }
        }
        balanced(&router)?;
    }
    Ok(())
}

fn at_most(device: &Arc<dyn Device>) -> Verdict {
    for format in formats(device) {
        let (uncompressed, compressed) = sample(format);
        for max in [LEN, LEN + 1, 3 * LEN] {
            let job = Job::decompress(format, compressed.clone(), OutputSize::AtMost(max));
            for result in alone(device).submit(job).wait() {
                let what = (format, max);
                let Some(done) = done_or_unsupported(result, &what)? else { continue };
                ensure!(*done.output == uncompressed, "{what:?}: wrong bytes, {} of them", done.output.len());
            }
        }
        let job = Job::decompress(format, compressed, OutputSize::AtMost(LEN - 1));
        for result in alone(device).submit(job).wait() {
            ensure!(result.is_err(), "{format}: {LEN} bytes pass for at most {}", LEN - 1);
        }
    }
    Ok(())
}

fn bomb(device: &Arc<dyn Device>) -> Verdict {
    const UNCOMPRESSED: usize = 16 << 20;
    const DECLARED: usize = 64 << 10;
    let uncompressed = vec![0; UNCOMPRESSED];
    for format in formats(device) {
        let compressed = compress(format, format.default_level(), &uncompressed);
        for size in [OutputSize::Exact(DECLARED), OutputSize::AtMost(DECLARED), OutputSize::Exact(0)] {
            for result in alone(device).submit(Job::decompress(format, compressed.clone(), size)).wait() {
                match result {
                    Ok(done) => return Err(format!("{format}, {size:?}: {} bytes", done.output.len())),
                    Err(JobError::Panicked { message, .. }) => {
                        return Err(format!("{format}: panic: {message}"));
                    }
                    Err(_) => {}
                }
            }
        }
    }
    Ok(())
}

fn prefix(device: &Arc<dyn Device>) -> Verdict {
    for prefix in [&b"x"[..], &[0x55; 3000]] {
        for job in samples() {
            let what = (job.operation, prefix.len());
            let job = job.with_prefix(prefix.to_vec());
            for result in alone(device).submit(job.clone()).wait() {
                let Some(done) = done_or_unsupported(result, &what)? else { continue };
                let Some(output) = done.output.strip_prefix(prefix) else {
                    return Err(format!("{what:?}: the output does not start with the prefix"));
                };
                ensure!(done.consumed == job.input.len(), "{what:?}: consumed {}", done.consumed);
                // Compressing twice may give different bytes, so the output is decompressed.
                let (operation, input) = match job.operation {
                    Operation::Compress { format, .. } => (Operation::Decompress { format }, output),
                    operation => (operation, &job.input[..]),
                };
                let mut expected = vec![0; SAMPLE_LEN];
                let reference = compute(&JobView { operation, input, ..job.view() }, &mut expected);
                let reference = reference.map_err(|failure| format!("{what:?}: {failure:?}"))?;
                let right = match job.operation {
                    Operation::Compress { .. } => expected == *job.input,
                    _ => *output == expected[..reference.produced],
                };
                ensure!(right, "{what:?}: wrong bytes after the prefix");
            }
        }
    }
    Ok(())
}

fn limit(device: &Arc<dyn Device>) -> Verdict {
    const LIMIT: usize = 20_000;
    let router = limited(device, usize::MAX, LIMIT);
    for format in formats(device) {
        let Some(shape) = shape(device, format, LIMIT) else { continue };
        let small = shape.bytes(LIMIT);
        let large = shape.bytes(LIMIT + 1);
        let lie = Job::decompress(
            format,
            compress(format, format.default_level(), &small),
            OutputSize::AtMost(usize::MAX),
        );
        let jobs = vec![
            decompress_job(format, &small),
            decompress_job(format, &large),
            lie,
            decompress_job(format, &small),
        ];
        let mut results = router.submit(jobs).wait();
        for (index, declared) in [(2, usize::MAX), (1, LIMIT + 1)] {
            match results.remove(index) {
                Err(JobError::LimitExceeded { declared: said, limit: LIMIT }) if said == declared => {}
                other => return Err(format!("{format}: {declared} bytes over {LIMIT}: {other:?}")),
            }
        }
        for result in results {
            let Some(done) = done_or_unsupported(result, &format)? else { continue };
            ensure!(*done.output == small, "{format}: a neighbour of a job over the limit is wrong");
        }
    }
    let row = router.counters().total(device.name());
    ensure!(row.failed == 0, "a job over the limit got to the device: {row:?}");
    balanced(&router)
}
