//! Correct results: every operation, format, size and shape, compared with `pelton-codec`.

use std::sync::Arc;

use bytes::Bytes;
use pelton_codec::{Checksum, Decoder, Format, Level, checksum};

use super::super::corpus::{SIZES, Shape, compress};
use super::super::{Check, Verdict, ensure, farthest};
use super::{alone, balanced, done_or_unsupported};
use crate::device::Device;
use crate::job::batch::Batch;
use crate::job::{Hints, Job, OutputSize};

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "it decompresses every format, size and shape to the bytes that were compressed",
        run: decompresses,
    },
    Check { name: "what it compresses decompresses to its input, within the declared size", run: compresses },
    Check { name: "its checksums are right", run: checksums },
    Check { name: "it says how much of its input a block was", run: consumed },
    Check { name: "what it compresses for a window reaches no farther back, or is refused", run: window },
];

/// Returns the default level, the lowest and, for small inputs, the highest.
fn levels(format: Format, len: usize) -> Vec<Level> {
    const SMALL: usize = 100;
    let Some(range) = format.levels() else { return vec![format.default_level()] };
    let mut levels = vec![format.default_level()];
    levels.extend(Level::new(format, *range.start()));
    if len <= SMALL {
        levels.extend(Level::new(format, *range.end()));
    }
    levels
}

fn decompresses(device: &Arc<dyn Device>) -> Verdict {
    for shape in Shape::ALL {
        for format in Format::ALL {
            let router = alone(device);
            let mut uncompressed = Vec::new();
            let mut batch = Batch::new();
            for len in SIZES {
                for level in levels(format, len) {
                    let bytes = shape.bytes(len);
                    let compressed = compress(format, level, &bytes);
                    batch.push(Job::decompress(format, compressed, OutputSize::Exact(len)));
                    uncompressed.push((level, bytes));
                }
            }
            for (result, (level, uncompressed)) in router.submit(batch).wait().into_iter().zip(uncompressed) {
                let what = (format, level, shape, uncompressed.len());
                let Some(done) = done_or_unsupported(result, &what)? else { continue };
                ensure!(*done.output == uncompressed, "{what:?}: wrong bytes");
                ensure!(done.checksum.is_none(), "{what:?}: a checksum that was not requested");
                ensure!(&*done.device == device.name(), "{what:?}: done by {}", done.device);
            }
            balanced(&router)?;
        }
    }
    Ok(())
}

fn compresses(device: &Arc<dyn Device>) -> Verdict {
    for shape in Shape::ALL {
        for format in Format::ALL {
            let router = alone(device);
            let mut jobs = Vec::new();
            for len in SIZES {
                let uncompressed = Bytes::from(shape.bytes(len));
                jobs.extend(
                    levels(format, len)
                        .into_iter()
                        .map(|level| Job::compress(format, level, uncompressed.clone())),
                );
            }
            let ticket = router.submit(Batch::from(jobs.clone()));
            for (result, job) in ticket.wait().into_iter().zip(jobs) {
                let what = (job.operation, shape, job.input.len());
                let Some(done) = done_or_unsupported(result, &what)? else { continue };
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
    for (result, (kind, job)) in ticket.wait().into_iter().zip(jobs) {
        let what = (kind, job.input.len());
        let Some(done) = done_or_unsupported(result, &what)? else { continue };
        let expected = checksum(kind, &job.input);
        ensure!(done.checksum == Some(expected), "{what:?}: {:x?} instead of {expected:x}", done.checksum);
        ensure!(done.output.is_empty(), "{what:?}: {} bytes of output", done.output.len());
    }
    balanced(&router)
}

fn consumed(device: &Arc<dyn Device>) -> Verdict {
    const TRAILING: usize = 9;
    let uncompressed = Shape::Text.bytes(5000);
    // The other formats have no end mark, so the whole input is the block.
    for format in [Format::Deflate, Format::Zlib, Format::Gzip, Format::Zstd, Format::Brotli] {
        let compressed = compress(format, format.default_level(), &uncompressed);
        let mut input = compressed.to_vec();
        input.resize(compressed.len() + TRAILING, 0);
        let job = Job::decompress(format, input, OutputSize::Exact(uncompressed.len()));
        for result in alone(device).submit(job).wait() {
            let Some(done) = done_or_unsupported(result, &format)? else { continue };
            let right = done.consumed == compressed.len();
            ensure!(right, "{format}: consumed {} where the block has {}", done.consumed, compressed.len());
            ensure!(*done.output == uncompressed, "{format}: wrong bytes before trailing ones");
        }
    }
    Ok(())
}

/// Windows: sizes that DEFLATE allows, among them the history of an IAA, others between them, and
/// one below the minimum.
const WINDOWS: [u32; 7] = [100, 512, 1000, 4096, 5000, 32_768, 1 << 20];

fn window(device: &Arc<dyn Device>) -> Verdict {
    const LEN: usize = 50_000;
    let router = alone(device);
    let mut jobs = Vec::new();
    for shape in Shape::ALL {
        let uncompressed = Bytes::from(shape.bytes(LEN));
        for format in [Format::Deflate, Format::Zlib, Format::Gzip] {
            for level in [1, 6, 12].map(|level| Level::new(format, level)) {
                let level = level.map_err(|error| error.to_string())?;
                jobs.extend(WINDOWS.map(|window| {
                    let hints = Hints { window: Some(window), ..Hints::default() };
                    (shape, format, Job::compress(format, level, uncompressed.clone()).with_hints(hints))
                }));
            }
        }
    }
    let ticket = router.submit(jobs.iter().map(|(_, _, job)| job.clone()).collect::<Vec<_>>());
    for (result, (shape, format, job)) in ticket.wait().into_iter().zip(jobs) {
        let what = (job.operation, shape, job.hints);
        let Some(done) = done_or_unsupported(result, &what)? else { continue };
        let reached = farthest(format, &done.output).map_err(|error| format!("{what:?}: {error}"))?;
        ensure!(job.hints.window.is_some_and(|window| reached <= window), "{what:?}: reaches {reached} back");
        let mut back = vec![0; LEN];
        let progress = Decoder::new().decompress(format, &done.output, &mut back);
        progress.map_err(|error| format!("{what:?}: what it wrote is no block: {error}"))?;
        ensure!(back == *job.input, "{what:?}: comes back different");
    }
    balanced(&router)
}
