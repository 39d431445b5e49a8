//! Compression for those who decompress with little memory.

use std::sync::Arc;

use bytes::Bytes;
use pelton_codec::{Decoder, Format, Level};

use super::super::corpus::Shape;
use super::super::{Check, Verdict, ensure, farthest};
use super::{alone, balanced, done_or_refused};
use crate::device::Device;
use crate::job::{Hints, Job};

pub(super) const CHECKS: &[Check] =
    &[Check { name: "what it compresses for a window reaches no farther back, or is refused", run: window }];

/// Windows that DEFLATE has, IAA's 4 KB among them; some that are none, and one that is too small for any.
const WINDOWS: [u32; 7] = [100, 512, 1000, 4096, 5000, 32_768, 1 << 20];

fn window(device: &Arc<dyn Device>) -> Verdict {
    const LEN: usize = 50_000;
    let router = alone(device);
    let mut jobs = Vec::new();
    for shape in Shape::ALL {
        let plain = Bytes::from(shape.bytes(LEN));
        for format in [Format::Deflate, Format::Zlib, Format::Gzip] {
            for level in [1, 6, 12].map(|level| Level::new(format, level)) {
                let level = level.map_err(|error| error.to_string())?;
                jobs.extend(WINDOWS.map(|window| {
                    let hints = Hints { window: Some(window), ..Hints::default() };
                    (shape, format, Job::compress(format, level, plain.clone()).with_hints(hints))
                }));
            }
        }
    }
    let ticket = router.submit(jobs.iter().map(|(_, _, job)| job.clone()).collect::<Vec<_>>());
    for (outcome, (shape, format, job)) in ticket.wait().into_iter().zip(jobs) {
        let what = (job.operation, shape, job.hints);
        let Some(done) = done_or_refused(outcome, &what)? else { continue };
        let reached = farthest(format, &done.output).map_err(|error| format!("{what:?}: {error}"))?;
        ensure!(job.hints.window.is_some_and(|window| reached <= window), "{what:?}: reaches {reached} back");
        let mut back = vec![0; LEN];
        let progress = Decoder::new().decompress(format, &done.output, &mut back);
        progress.map_err(|error| format!("{what:?}: what it wrote is no block: {error}"))?;
        ensure!(back == *job.input, "{what:?}: comes back different");
    }
    balanced(&router)
}
