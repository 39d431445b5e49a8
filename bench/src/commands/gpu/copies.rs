//! Bandwidth of copies to the GPU and of its memory.

use std::time::{Duration, Instant};

use bytes::Bytes;
use pelton_device_cuda::{Gpu, Result, Stream};
use serde::Serialize;

use pelton_report::numbers::median;

/// Bytes of one copy: enough that the start of a copy takes a negligible time.
const COPY_BYTES: usize = 256 << 20;

/// The same for the host build, where a copy is a check.
const HOST_COPY_BYTES: usize = 4 << 20;

/// Number of copies; the first is not counted.
const COPIES: usize = 7;

/// Rates in 10⁹ bytes a second.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Copies {
    /// Bytes of a copy.
    pub bytes: usize,
    /// From pinned memory of the host.
    pub pinned: f64,
    /// From memory that the system may move.
    pub pageable: f64,
    /// Bandwidth of the GPU's memory: a copy within it, read and written.
    pub memory: f64,
}

impl Copies {
    /// Measures copies and returns the medians.
    pub fn measure(gpu: &Gpu) -> Result<Copies> {
        let bytes = if gpu.properties().is_host { HOST_COPY_BYTES } else { COPY_BYTES };
        let stream = gpu.stream("copies")?;
        let (to, from) = (gpu.allocate(bytes)?, gpu.allocate(bytes)?);
        stream.fill(&from, 0..bytes, 1)?;
        let mut pinned = gpu.pinned(bytes)?;
        pinned.fill(2);
        let (pinned, pageable) = (Bytes::from_owner(pinned), Bytes::from(vec![3; bytes]));
        let rate = |time: Duration, moved: usize| moved as f64 / time.as_secs_f64().max(1e-9) / 1e9;
        let upload = |data: &Bytes| repeat(&stream, || stream.upload(&to, 0, data.clone()));
        Ok(Copies {
            bytes,
            pinned: rate(upload(&pinned)?, bytes),
            pageable: rate(upload(&pageable)?, bytes),
            memory: rate(repeat(&stream, || stream.copy(&to, 0, &from, 0, bytes))?, 2 * bytes),
        })
    }
}

/// Returns the median time of queued work, until it is done.
fn repeat(stream: &Stream, work: impl Fn() -> Result<()>) -> Result<Duration> {
    let mut times = Vec::with_capacity(COPIES);
    for _ in 0..COPIES {
        let started = Instant::now();
        work()?;
        stream.synchronize()?;
        times.push(started.elapsed().as_secs_f64());
    }
    Ok(Duration::from_secs_f64(median(&times[1..])))
}
