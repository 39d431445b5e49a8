//! Choice of a decoder for a format's pages: the faster one when both were tried.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::decompress::Format;
use crate::{Result, Stream};

/// Decoder of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    Ours,
    Nvcomp,
}

/// Both are timed on a batch of at least this size: 64 pages of a usual size, some hundred
/// microseconds of work, many times the cost of a launch.
const ENOUGH: u64 = 4 << 20;

/// Runs of each; the best time counts, as the first run loads code.
const RUNS: usize = 2;

/// Choices made so far.
#[derive(Default)]
pub(crate) struct Choices(Mutex<[Option<Engine>; Format::ALL.len()]>);

impl Choices {
    pub fn get(&self, format: Format) -> Option<Engine> {
        self.0.lock()[format as usize]
    }

    pub fn set(&self, format: Format, engine: Engine) {
        self.0.lock()[format as usize] = Some(engine);
    }

    /// Runs both on a batch with `bytes` of output, if that is enough to tell, and remembers the
    /// faster. Our own run is the last, so that its results stand.
    pub fn measure(
        &self,
        (format, bytes): (Format, u64),
        stream: &Stream,
        mut theirs: impl FnMut() -> Result<()>,
        mut ours: impl FnMut() -> Result<()>,
    ) -> Result<()> {
        if bytes < ENOUGH {
            return ours();
        }
        let their_time = best(stream, &mut theirs);
        let our_time = best(stream, &mut ours)?;
        // A decoder that fails is not tried again.
        let faster = their_time.is_ok_and(|time| time < our_time);
        self.set(format, if faster { Engine::Nvcomp } else { Engine::Ours });
        Ok(())
    }
}

fn best(stream: &Stream, run: &mut impl FnMut() -> Result<()>) -> Result<Duration> {
    let mut best = Duration::MAX;
    for _ in 0..RUNS {
        stream.synchronize()?;
        let start = Instant::now();
        run()?;
        stream.synchronize()?;
        best = best.min(start.elapsed());
    }
    Ok(best)
}
