//! The pause of a waiting driver, by UMWAIT.

use std::sync::atomic::AtomicU8;
use std::time::Duration;

use super::WaitPkg;
use crate::Pause;

/// Longest pause in cycles of the time-stamp counter: Linux's own limit of UMWAIT unless somebody
/// changed it (`/sys/devices/system/cpu/umwait_control/max_time`).
const MOST_CYCLES: u64 = 100_000;

impl Pause for WaitPkg {
    fn pause(&self, byte: &AtomicU8, most: Duration) {
        // A cycle for each nanosecond: the counter of a processor with this instruction is faster
        // than 1 GHz, so the pause is shorter than it may be, never longer.
        let cycles = u64::try_from(most.as_nanos()).unwrap_or(u64::MAX);
        self.sleep_while_zero(byte, cycles.min(MOST_CYCLES));
    }
}
