//! CPU time of a thread, which other threads don't lengthen.

use std::time::Duration;
#[cfg(not(unix))]
use std::time::Instant;

/// A point in the thread's CPU time.
#[cfg(unix)]
pub struct Clock(Duration);

#[cfg(unix)]
impl Clock {
    /// Returns the present time.
    pub fn start() -> Self {
        Self(now())
    }

    /// Returns the time of this thread since then.
    pub fn elapsed(&self) -> Duration {
        now().saturating_sub(self.0)
    }
}

#[cfg(unix)]
fn now() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes to the structure that it is given. Where there is no such clock it stays zero.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// A point in time.
#[cfg(not(unix))]
pub struct Clock(Instant);

#[cfg(not(unix))]
impl Clock {
    /// Returns the present time.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Returns the time since then.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
