//! How to wait for a device: what answers in a microsecond is not worth a sleep, and what takes a
//! millisecond is not worth a core.

use std::sync::Arc;
use std::sync::atomic::AtomicU8;
use std::time::Duration;

use crate::sys::WaitPkg;

/// An instruction of the processor that waits for a byte and leaves the core's other thread, or its
/// power, to others: UMWAIT or TPAUSE.
pub trait Pause: Send + Sync {
    /// Returns when the byte is not zero, and after about `most` at the latest; earlier is fine.
    fn pause(&self, byte: &AtomicU8, most: Duration);
}

/// How to wait.
#[derive(Clone)]
pub struct Wait {
    /// How long to look again and again: what it takes to wake a thread.
    pub spin: Duration,
    /// How long to pause and look, or to let other threads run and look, after that.
    pub yielding: Duration,
    /// The first sleep after that, and the least.
    pub nap: Duration,
    /// The longest sleep.
    pub longest: Duration,
    /// Where the processor has such an instruction.
    pub pause: Option<Arc<dyn Pause>>,
}

impl Default for Wait {
    fn default() -> Wait {
        Wait {
            // A futex wakes its thread in 2 to 5 us on current processors: to spin for less is
            // cheaper than to sleep.
            spin: Duration::from_micros(2),
            // Linux lets a thread sleep 50 us longer than asked for (timer slack): below that, a
            // sleep is a guess.
            yielding: Duration::from_micros(30),
            nap: Duration::from_micros(20),
            longest: Duration::from_millis(1),
            pause: WaitPkg::new().map(|pause| Arc::new(pause) as Arc<dyn Pause>),
        }
    }
}

/// What to do until the next look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Idle {
    /// Look again at once.
    Spin,
    /// Pause so long, if there is an instruction for it.
    Pause(Duration),
    /// Let others run.
    Yield,
    /// Sleep.
    Sleep(Duration),
}

impl Wait {
    /// What to do when nothing has come for `idle`, and the device is expected to take another
    /// `expected`.
    pub(crate) fn idle(&self, idle: Duration, expected: Duration) -> Idle {
        if idle < self.spin {
            return Idle::Spin;
        }
        // What is expected to take long is slept for at once, for half of the time: the estimate
        // may be wrong.
        let early = expected / 2;
        if idle < self.yielding && early < self.nap + self.yielding {
            return match self.pause {
                Some(_) => Idle::Pause(self.yielding - idle),
                None => Idle::Yield,
            };
        }
        // Then a quarter of what was waited already: never more than a quarter late, whatever was
        // expected.
        Idle::Sleep(early.max(idle / 4).clamp(self.nap, self.longest))
    }
}

impl std::fmt::Debug for Wait {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wait")
            .field("spin", &self.spin)
            .field("yielding", &self.yielding)
            .field("nap", &self.nap)
            .field("longest", &self.longest)
            .field("pause", &self.pause.is_some())
            .finish()
    }
}

#[cfg(test)]
mod tests;
