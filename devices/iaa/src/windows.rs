//! How far a stream's matches reach back, and what the device does about streams of which nobody
//! knows.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use pelton_codec::Container;
use pelton_job::{JobView, Unsupported};

/// The reason that is counted where a stream may need more than the device remembers.
pub(crate) const MAY_BE_TOO_FAR: &str = "the window may exceed what the device remembers";
/// The reason that is counted where a stream did.
pub(crate) const TOO_FAR: &str = "a match reaches farther back than the device remembers";
/// The reason counted where a stream with the same affinity key did.
pub(crate) const AFFINITY_TOO_FAR: &str =
    "matches of alike inputs reached farther back than the device remembers";

/// Which streams to decompress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Windows {
    /// Those that are known to fit: by the output's size, the container's header, or the job's
    /// hints.
    #[default]
    Known,
    /// All, except those that share an affinity key with a stream that did not fit. A stream that
    /// does not fit costs the time until the device notices, and another device runs the job.
    Try,
}

impl Windows {
    /// Those that are called `known` or `try`.
    pub fn named(name: &str) -> Option<Windows> {
        match name {
            "known" => Some(Windows::Known),
            "try" => Some(Windows::Try),
            _ => None,
        }
    }
}

/// How far back a match of DEFLATE reaches at most (RFC 1951, section 2).
const DEFLATE_WINDOW: usize = 32 << 10;

/// Cells that remember affinity keys whose streams do not fit. A key whose cell was overwritten by
/// another key is learned again.
const CELLS: usize = 4096;

/// See the module.
pub(crate) struct WindowPolicy {
    windows: Windows,
    /// Bytes that the device remembers.
    history: usize,
    too_far: Box<[AtomicU64]>,
}

impl WindowPolicy {
    pub(crate) fn new(windows: Windows, history: usize) -> WindowPolicy {
        WindowPolicy { windows, history, too_far: (0..CELLS).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Whether the device takes a stream, as far as its window goes. Of gzip it is the first
    /// member's, as that is cheap to find; should another one's not fit, the device says so.
    pub(crate) fn check(&self, job: &JobView<'_>, container: Container) -> Result<(), Unsupported> {
        // No match reaches back before the start, or farther than DEFLATE lets it.
        if job.uncompressed_len().min(DEFLATE_WINDOW) <= self.history {
            return Ok(());
        }
        let says = container.header_len(job.input).ok();
        let says = says.and_then(|len| container.window(&job.input[..len]));
        let hint = job.hints.window.map(|bytes| bytes as usize);
        let known = [says, hint].into_iter().flatten().min();
        if known.is_some_and(|window| window <= self.history) {
            return Ok(());
        }
        match (self.windows, job.hints.affinity_key) {
            (Windows::Known, _) => {
                let refusal = Unsupported::new(MAY_BE_TOO_FAR);
                Err(match known {
                    Some(window) => refusal.with_detail(format!("{window} bytes")),
                    None => refusal,
                })
            }
            (Windows::Try, Some(key)) if self.cell(key).load(Relaxed) == mark(key) => {
                Err(Unsupported::new(AFFINITY_TOO_FAR))
            }
            (Windows::Try, _) => Ok(()),
        }
    }

    /// A stream did not fit.
    pub(crate) fn learn(&self, affinity_key: Option<u64>) {
        if let Some(key) = affinity_key {
            self.cell(key).store(mark(key), Relaxed);
        }
    }

    fn cell(&self, key: u64) -> &AtomicU64 {
        // Fibonacci hashing: keys may be consecutive numbers.
        let hash = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 52;
        &self.too_far[hash as usize % CELLS]
    }
}

/// Returns the mark of an affinity key in its cell; 0 is an empty cell.
fn mark(key: u64) -> u64 {
    key.wrapping_add(1).max(1)
}

#[cfg(test)]
mod tests;
