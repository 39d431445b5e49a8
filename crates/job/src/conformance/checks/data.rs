//! Right answers: every operation, format, size and shape against `pelton-codec`.

use std::sync::Arc;

use bytes::Bytes;
use pelton_codec::{Checksum, Decoder, Format, Level, checksum};

use super::super::corpus::{SIZES, Shape, pack};
use super::super::{Check, Verdict, ensure};
use super::{alone, balanced, done_or_refused};
use crate::device::Device;
use crate::job::batch::Batch;
use crate::job::{Job, OutputSize};

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "it decompresses every format, size and shape to the bytes that were packed",
        run: decompress,
    },
    Check { name: "what it compresses decompresses to its input, within the declared size", run: compress },
    Check { name: "its checksums are right", run: checksums },
    Check { name: "it says how much of its input a block was", run: consumed },
];

/// The lowest level, the default, and for inputs that do not take long the highest.
fn levels(format: Format, len: usize) -> Vec<Level> {
    const QUICK: usize = 100;
    let Some(range) = format.levels() else { return vec![format.default_level()] };
    let mut levels = vec![format.default_level()];
    levels.extend(Level::new(format, *range.start()));
    if len <= QUICK {
        levels.extend(Level::new(format, *range.end()));
    }
    levels
}

fn decompress(device: &Arc<dyn Device>) -> Verdict {
    for shape in Shape::ALL {
        for format in Format::ALL {
            let router = alone(device);
            let mut plain = Vec::new();
            let mut batch = Batch::new();
            for len in SIZES {
                for level in levels(format, len) {
                    let bytes = shape.bytes(len);
                    let packed = pack(format, level, &bytes);
                    batch.push(Job::decompress(format, packed, OutputSize::Exact(len)));
                    plain.push((level, bytes));
                }
            }
            for (outcome, (level, plain)) in router.submit(batch).wait().into_iter().zip(plain) {
                let what = (format, level, shape, plain.len());
                let Some(done) = done_or_refused(outcome, &what)? else { continue };
                ensure!(*done.output == plain, "{what:?}: wrong bytes");
                ensure!(done.checksum.is_none(), "{what:?}: a checksum nobody asked for");
                ensure!(&*done.device == device.name(), "{what:?}: done by {}", done.device);
            }
            balanced(&router)?;
        }
    }
    Ok(())
}

fn compress(device: &Arc<dyn Device>) -> Verdict {
    for shape in Shape::ALL {
        for format in Format::ALL {
            let router = alone(device);
            let mut jobs = Vec::new();
            for len in SIZES {
                let plain = Bytes::from(shape.bytes(len));
                jobs.extend(
                    levels(format, len).into_iter().map(|level| Job::compress(format, level, plain.clone())),
                );
            }
            let ticket = router.submit(Batch::from(jobs.clone()));
            for (outcome, job) in ticket.wait().into_iter().zip(jobs) {
                let what = (job.operation, shape, job.input.len());
                let Some(done) = done_or_refused(outcome, &what)? else { continue };
                ensure!(done.output.len() <= job.output.max_len(), "{what:?}: {} bytes", done.output.len());
                ensure!(done.consumed == job.input.len(), "{what:?}: consumed {}", done.consumed);
                let mut back = vec![0; job.input.len()];
                let progress = Decoder::new().decompress(format, &done.output, &mut back);
                let progress =
                    progress.map_err(|error| format!("{what:?}: what it wrote is no block: {error}"))?;
                ensure!(
                    progress.produced == back.len() && back == *job.input,
                    "{what:?}: comes back different"
                );
            }
            balanced(&router)?;
        }
    }
    Ok(())
}

fn checksums(device: &Arc<dyn Device>) -> Verdict {
    let router = alone(device);
    let mut jobs = Vec::new();
    for kind in Checksum::ALL {
        for shape in Shape::ALL {
            jobs.extend(SIZES.map(|len| (kind, Job::checksum(kind, shape.bytes(len)))));
        }
    }
    let ticket = router.submit(jobs.iter().map(|(_, job)| job.clone()).collect::<Batch>());
    for (outcome, (kind, job)) in ticket.wait().into_iter().zip(jobs) {
        let what = (kind, job.input.len());
        let Some(done) = done_or_refused(outcome, &what)? else { continue };
        let expected = checksum(kind, &job.input);
        ensure!(done.checksum == Some(expected), "{what:?}: {:x?} instead of {expected:x}", done.checksum);
        ensure!(done.output.is_empty(), "{what:?}: {} bytes of output", done.output.len());
    }
    balanced(&router)
}

fn consumed(device: &Arc<dyn Device>) -> Verdict {
    const TRAILING: usize = 9;
    let plain = Shape::Text.bytes(5000);
    // The other formats have no end mark: all of the input is the block.
    for format in [Format::Deflate, Format::Zlib, Format::Gzip, Format::Zstd, Format::Brotli] {
        let packed = pack(format, format.default_level(), &plain);
        let mut input = packed.to_vec();
        input.resize(packed.len() + TRAILING, 0);
        let job = Job::decompress(format, input, OutputSize::Exact(plain.len()));
        for outcome in alone(device).submit(job).wait() {
            let Some(done) = done_or_refused(outcome, &format)? else { continue };
            let right = done.consumed == packed.len();
            ensure!(right, "{format}: consumed {} where the block has {}", done.consumed, packed.len());
            ensure!(*done.output == plain, "{format}: wrong bytes before trailing ones");
        }
    }
    Ok(())
}
