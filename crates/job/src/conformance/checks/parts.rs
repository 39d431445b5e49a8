//! Parts of raw streams, compressed separately and joined.

use std::sync::Arc;

use bytes::Bytes;
use pelton_codec::{Decoder, Format, Level};

use super::super::corpus::{SIZES, Shape};
use super::super::{Check, Verdict, ensure, farthest};
use super::{alone, balanced, done_or_unsupported};
use crate::device::Device;
use crate::job::borrowed::BorrowedJob;
use crate::job::{Hints, Job};
use crate::queue::result::JobError;

pub(super) const CHECKS: &[Check] = &[
    Check { name: "parts of a stream that it compresses join to a stream", run: join },
    Check { name: "a part for a window keeps to it, or is refused", run: window },
    Check { name: "a part that does not fit into a borrowed output is an error", run: too_small },
];

/// End of a part: the length of the empty stored block, and its complement.
const END: [u8; 4] = [0, 0, 0xff, 0xff];
/// An empty final block in the fixed code.
const LAST: [u8; 2] = [0b011, 0];

fn levels() -> Result<Vec<Level>, String> {
    let levels = [1, 6, 9].map(|level| Level::new(Format::Deflate, level));
    levels.into_iter().collect::<Result<_, _>>().map_err(|error| error.to_string())
}

fn join(device: &Arc<dyn Device>) -> Verdict {
    for level in levels()? {
        let router = alone(device);
        let mut jobs = Vec::new();
        for shape in Shape::ALL {
            jobs.extend(SIZES.map(|len| Job::compress_part(level, Bytes::from(shape.bytes(len)))));
        }
        let (mut stream, mut uncompressed) = (Vec::new(), Vec::new());
        for (result, job) in router.submit(jobs.clone()).wait().into_iter().zip(jobs) {
            let what = (job.operation, job.input.len());
            let Some(done) = done_or_unsupported(result, &what)? else { continue };
            ensure!(done.output.len() <= job.output.max_len(), "{what:?}: {} bytes", done.output.len());
            ensure!(done.consumed == job.input.len(), "{what:?}: consumed {}", done.consumed);
            ensure!(done.output.ends_with(&END), "{what:?}: it does not end with an empty stored block");
            stream.extend_from_slice(&done.output);
            uncompressed.extend_from_slice(&job.input);
        }
        comes_back(stream, &uncompressed).map_err(|error| format!("{level:?}: {error}"))?;
        balanced(&router)?;
    }
    Ok(())
}

/// Checks that the joined parts decompress to `uncompressed`.
fn comes_back(mut stream: Vec<u8>, uncompressed: &[u8]) -> Verdict {
    stream.extend_from_slice(&LAST);
    let mut back = vec![0; uncompressed.len()];
    let done = Decoder::new().decompress(Format::Deflate, &stream, &mut back);
    let done = done.map_err(|error| format!("the parts are no stream: {error}"))?;
    ensure!(done.consumed == stream.len(), "the stream ends early, at {}", done.consumed);
    ensure!(done.produced == uncompressed.len() && back == uncompressed, "the parts come back different");
    Ok(())
}

fn window(device: &Arc<dyn Device>) -> Verdict {
    let router = alone(device);
    for shape in Shape::ALL {
        let uncompressed = Bytes::from(shape.bytes(50_000));
        for (level, window) in levels()?.into_iter().flat_map(|level| [100, 512, 4096].map(|w| (level, w))) {
            let hints = Hints { window: Some(window), ..Hints::default() };
            let job = Job::compress_part(level, uncompressed.clone()).with_hints(hints);
            for result in router.submit(job).wait() {
                let Some(done) = done_or_unsupported(result, &(level, window))? else { continue };
                let stream = [&done.output[..], &LAST].concat();
                let reached = farthest(Format::Deflate, &stream)?;
                ensure!(reached <= window, "{level:?}, window {window}: reaches {reached} back");
            }
        }
    }
    balanced(&router)
}

fn too_small(device: &Arc<dyn Device>) -> Verdict {
    let uncompressed = Shape::Random.bytes(10_000);
    let router = alone(device);
    for level in levels()? {
        for len in [0, 4, 5, 100, 9_999, 10_000] {
            match router.run_one(&mut BorrowedJob::compress_part(level, &uncompressed, &mut vec![0; len])) {
                Ok(done) => return Err(format!("{level:?}: {} bytes in an output of {len}", done.produced)),
                Err(JobError::Panicked { message, .. }) => return Err(format!("{level:?}: {message}")),
                Err(_) => {}
            }
        }
    }
    balanced(&router)
}
