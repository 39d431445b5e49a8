//! Waiting for a device: adaptively, so that a short job is seen at once and a long one costs no core.
//!
//! It spins first, then has the core sleep lightly where the processor can (UMWAIT ends at the write of the record), then
//! gives the core to other threads, then sleeps for longer and longer.

use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use super::WaitPkg;

/// Spin for so long: about what a small job takes from submission to completion, so that such a job never pays for
/// waking up.
const SPIN: Duration = Duration::from_micros(5);

/// Sleep lightly, or yield, until so much has passed. A thread's wake-up by the system costs some tens of microseconds,
/// so a wait of this length is not made much longer by it.
const LIGHT: Duration = Duration::from_micros(200);

/// Cycles of one light sleep: Linux's own limit of UMWAIT (`/sys/devices/system/cpu/umwait_control/max_time`), some tens
/// of microseconds. The deadline is looked at in between.
const LIGHT_CYCLES: u64 = 100_000;

/// First sleep of the thread; each is twice as long as the one before.
const FIRST_SLEEP: Duration = Duration::from_micros(50);

/// Longest sleep: what a job may at most be noticed too late.
const LONGEST_SLEEP: Duration = Duration::from_millis(1);

/// How to wait on this processor.
#[derive(Clone, Copy, Debug)]
pub struct Waiter {
    light: Option<WaitPkg>,
}

impl Waiter {
    /// With what the processor has.
    pub fn new() -> Waiter {
        Waiter { light: WaitPkg::new() }
    }

    /// Without instructions that not every processor has.
    pub fn portable() -> Waiter {
        Waiter { light: None }
    }

    /// Waits until the cell is not zero; false if it still is when the deadline has passed. What was written before the
    /// cell is visible after it.
    pub fn wait_until_nonzero(&self, cell: &AtomicU8, deadline: Instant) -> bool {
        let ready = || cell.load(Ordering::Acquire) != 0;
        self.wait(ready, |light| light.sleep_while_zero(cell, LIGHT_CYCLES), deadline)
    }

    /// Waits until the condition holds, which may look at many cells; false if it does not when the deadline has passed.
    pub fn wait_until(&self, ready: impl FnMut() -> bool, deadline: Instant) -> bool {
        // No one write ends this sleep, so it is shorter.
        self.wait(ready, |light| light.sleep(LIGHT_CYCLES / 100), deadline)
    }

    fn wait(
        &self,
        mut ready: impl FnMut() -> bool,
        light_sleep: impl Fn(WaitPkg),
        deadline: Instant,
    ) -> bool {
        let start = Instant::now();
        let mut sleep = FIRST_SLEEP;
        loop {
            if ready() {
                return true;
            }
            let now = Instant::now();
            if now >= deadline {
                return ready();
            }
            let waited = now - start;
            match self.light {
                _ if waited < SPIN => std::hint::spin_loop(),
                Some(light) if waited < LIGHT => light_sleep(light),
                None if waited < LIGHT => std::thread::yield_now(),
                _ => {
                    std::thread::sleep(sleep.min(deadline - now));
                    sleep = (sleep * 2).min(LONGEST_SLEEP);
                }
            }
        }
    }
}

impl Default for Waiter {
    fn default() -> Self {
        Self::new()
    }
}
