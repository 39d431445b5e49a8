//! Statistics of the process's calls: number, bytes and time by path, and the reasons for
//! delegation to zlib-rs.
//!
//! The counters have no locks. While they are off, they cost a call one relaxed load. [`end`]
//! prints them when the process ends.
//!
//! | file | contents |
//! |---|---|
//! | `names.rs` | operations, paths and reasons that are distinguished |
//! | `table.rs` | the counters as text |
//! | `end.rs` | output at exit; children of `fork` |

mod end;
mod names;
mod table;

#[cfg(test)]
mod tests;

use std::ffi::c_int;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Instant;

use libz_rs_sys::{Z_STREAM_END, z_stream};

pub use end::statistics;
pub use names::{Operation, Path, Reason};

use crate::settings::{Stats, settings};

/// Whether calls are counted; unknown until the settings are read.
static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = 0;
const OFF: u8 = 1;
const ON: u8 = 2;

static COUNTERS: Counters = Counters::new();

/// Returns the time when a call begins, if calls are counted.
#[inline]
pub fn start() -> Option<Instant> {
    is_on().then(Instant::now)
}

/// Counts a call that began at `started`, with its bytes.
#[inline]
pub fn record(operation: Operation, path: Path, bytes_in: usize, bytes_out: usize, started: Option<Instant>) {
    if let Some(started) = started {
        COUNTERS.record(operation, path, bytes_in, bytes_out, started.elapsed().as_nanos() as u64);
    }
}

/// Counts a stream that is delegated to zlib-rs, or a block of one.
#[inline]
pub fn delegated(reason: Reason) {
    if is_on() {
        COUNTERS.reasons[reason as usize].fetch_add(1, Ordering::Relaxed);
    }
}

#[inline]
fn is_on() -> bool {
    match STATE.load(Ordering::Relaxed) {
        OFF => false,
        ON => true,
        _ => decide(),
    }
}

/// Reads the setting. If several threads do so at once, one of them registers the output.
#[cold]
fn decide() -> bool {
    let wanted = settings().stats != Stats::Off;
    let state = if wanted { ON } else { OFF };
    let first = STATE.compare_exchange(UNKNOWN, state, Ordering::Relaxed, Ordering::Relaxed).is_ok();
    if first && wanted {
        end::prepare();
    }
    wanted
}

/// A call that is being counted.
pub struct Call {
    started: Option<Instant>,
    total_in: u64,
    total_out: u64,
}

impl Call {
    /// Starts the clock.
    #[inline]
    pub fn begin(strm: &z_stream) -> Self {
        Self { started: start(), total_in: strm.total_in, total_out: strm.total_out }
    }

    /// Counts the call: as `one_shot` if the stream has begun and ended in it, else as `stream`.
    #[inline]
    pub fn end(self, strm: &z_stream, code: c_int, stream: Operation, one_shot: Operation, path: Path) {
        let Self { started, total_in, total_out } = self;
        let whole = total_in == 0 && total_out == 0 && code == Z_STREAM_END;
        let operation = if whole { one_shot } else { stream };
        // A caller may change the totals, though hardly within a call.
        let (read, written) = (strm.total_in.wrapping_sub(total_in), strm.total_out.wrapping_sub(total_out));
        record(operation, path, read as usize, written as usize, started);
    }
}

/// All counters.
struct Counters {
    calls: [[Calls; Path::ALL.len()]; Operation::ALL.len()],
    reasons: [AtomicU64; Reason::ALL.len()],
}

/// The calls of one operation by one path.
struct Calls {
    calls: AtomicU64,
    bytes_in: AtomicU64,
    bytes_out: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Calls {
    const fn new() -> Self {
        let [calls, bytes_in, bytes_out, nanoseconds] = [const { AtomicU64::new(0) }; 4];
        Self { calls, bytes_in, bytes_out, nanoseconds }
    }
}

impl Counters {
    const fn new() -> Self {
        Self {
            calls: [const { [const { Calls::new() }; Path::ALL.len()] }; Operation::ALL.len()],
            reasons: [const { AtomicU64::new(0) }; Reason::ALL.len()],
        }
    }

    fn record(&self, operation: Operation, path: Path, bytes_in: usize, bytes_out: usize, nanoseconds: u64) {
        let calls = &self.calls[operation as usize][path as usize];
        calls.calls.fetch_add(1, Ordering::Relaxed);
        calls.bytes_in.fetch_add(bytes_in as u64, Ordering::Relaxed);
        calls.bytes_out.fetch_add(bytes_out as u64, Ordering::Relaxed);
        calls.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    /// Sets all counters to zero.
    fn clear(&self) {
        let calls = self.calls.iter().flatten();
        let calls =
            calls.flat_map(|calls| [&calls.calls, &calls.bytes_in, &calls.bytes_out, &calls.nanoseconds]);
        calls.chain(&self.reasons).for_each(|counter| counter.store(0, Ordering::Relaxed));
    }
}
