//! Window policy: decides by the sliding window of a stream whether the device can decompress it.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use pelton_codec::Container;
use pelton_job::{JobView, Unsupported};

/// Counted reason for a stream that may exceed the window.
pub(crate) const MAY_BE_TOO_FAR: &str = "the window may exceed what the device remembers";
/// Counted reason for a stream that exceeded the window.
pub(crate) const TOO_FAR: &str = "a match reaches farther back than the device remembers";
/// Counted reason for a stream that shares its affinity key with one that exceeded the window.
pub(crate) const AFFINITY_TOO_FAR: &str =
    "matches of alike inputs reached farther back than the device remembers";

/// Streams to decompress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Windows {
    /// Streams that are known to fit: by the output's size, the container's header, or the job's
    /// hints.
    #[default]
    Known,
    /// All streams, except those that share an affinity key with a stream that did not fit. Such a
    /// stream costs the time until the device notices; then another device runs the job.
    Try,
}

impl Windows {
    /// Returns the setting named `known` or `try`.
    pub fn named(name: &str) -> Option<Windows> {
        match name {
            "known" => Some(Windows::Known),
            "try" => Some(Windows::Try),
            _ => None,
        }
    }
}

/// Sliding window of DEFLATE (RFC 1951, section 2).
const DEFLATE_WINDOW: usize = 32 << 10;

/// Number of cells for affinity keys of streams that did not fit. A key may overwrite the cell of
/// another, which is then learned again.
const CELLS: usize = 4096;

/// The setting, and the affinity keys of streams that did not fit.
pub(crate) struct WindowPolicy {
    windows: Windows,
    /// Sliding window of the device in bytes.
    history: usize,
    too_far: Box<[AtomicU64]>,
}

impl WindowPolicy {
    pub(crate) fn new(windows: Windows, history: usize) -> WindowPolicy {
        WindowPolicy { windows, history, too_far: (0..CELLS).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Checks that the window of a stream fits. For gzip only the first member's header is read;
    /// the device reports other members that do not fit.
    pub(crate) fn check(&self, job: &JobView<'_>, container: Container) -> Result<(), Unsupported> {
        // A match reaches back at most to the start of the output, and at most the window of
        // DEFLATE.
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

    /// Notes that a stream with this affinity key did not fit.
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
