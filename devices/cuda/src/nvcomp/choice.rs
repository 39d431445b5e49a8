//! Which of two decoders a format's pages are given to: the one that was faster when both were
//! tried.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::decompress::Format;
use crate::{Result, Stream};

/// Who decodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    Ours,
    Nvcomp,
}

/// Both are timed on a batch of at least so many bytes: 64 pages of a usual size, which is some
/// hundred microseconds of work, many times what a launch takes.
const ENOUGH: u64 = 4 << 20;

/// Each is run so often, and its best time counts: the first run loads code.
const RUNS: usize = 2;

/// What was found out so far.
#[derive(Default)]
pub(crate) struct Choices(Mutex<[Option<Engine>; Format::ALL.len()]>);

impl Choices {
    pub fn get(&self, format: Format) -> Option<Engine> {
        self.0.lock()[format as usize]
    }

    pub fn set(&self, format: Format, engine: Engine) {
        self.0.lock()[format as usize] = Some(engine);
    }

    /// Runs both on a batch with so many plain bytes, if that is enough to tell, and remembers the
    /// faster. Our own run is the last, so that its word on the pages stands.
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
        // What fails is not tried again.
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
