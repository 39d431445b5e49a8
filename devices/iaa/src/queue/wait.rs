//! Wait strategy: spins for answers within microseconds, sleeps for those within milliseconds.

use std::sync::Arc;
use std::time::Duration;

use crate::sys::{Pause, WaitPkg};

/// Durations and instruction of a wait.
#[derive(Clone)]
pub struct Wait {
    /// Time to poll without a break: about the time to wake a thread.
    pub spin: Duration,
    /// Time to poll with pauses or yields, after that.
    pub yielding: Duration,
    /// The first and shortest sleep.
    pub nap: Duration,
    /// The longest sleep.
    pub longest: Duration,
    /// The processor's instruction for a pause, if it has one.
    pub pause: Option<Arc<dyn Pause>>,
}

impl Default for Wait {
    fn default() -> Wait {
        Wait {
            // A futex takes longer to wake its thread.
            spin: Duration::from_micros(2),
            // Linux may prolong a sleep by 50 us (timer slack), so shorter sleeps are imprecise.
            yielding: Duration::from_micros(30),
            nap: Duration::from_micros(20),
            longest: Duration::from_millis(1),
            pause: WaitPkg::new().map(|pause| Arc::new(pause) as Arc<dyn Pause>),
        }
    }
}

/// Action until the next poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Idle {
    /// Poll again at once.
    Spin,
    /// Pause with the instruction, for this time.
    Pause(Duration),
    /// Let other threads run.
    Yield,
    /// Sleep.
    Sleep(Duration),
}

impl Wait {
    /// Returns the action after `idle` without an answer, if the device is expected to take
    /// another `expected`.
    pub(crate) fn idle(&self, idle: Duration, expected: Duration) -> Idle {
        if idle < self.spin {
            return Idle::Spin;
        }
        // Long operations are slept for at once, for half of the expected time, as the estimate may
        // be wrong.
        let early = expected / 2;
        if idle < self.yielding && early < self.nap + self.yielding {
            return match self.pause {
                Some(_) => Idle::Pause(self.yielding - idle),
                None => Idle::Yield,
            };
        }
        // Each further sleep is a quarter of the wait so far, so that an answer is seen at most a
        // quarter late.
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
