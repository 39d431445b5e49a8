//! Modelled time of the engine, by the paper's Table II: T = T0 + bytes / bandwidth, where a
//! bandwidth is the half-peak size divided by T0.

use std::fmt;
use std::time::Duration;

use pelton_device_dfltcc::Function;

/// Setup time in seconds and bandwidth in bytes per second of one function.
#[derive(Clone, Copy)]
struct Line {
    setup: f64,
    bandwidth: f64,
}

/// Returns the line of a row of Table II, from its half-peak size in KB of 1024 bytes and its setup
/// time in microseconds.
const fn row(half_peak_kb: f64, setup_us: f64) -> Line {
    let setup = setup_us * 1e-6;
    Line { setup, bandwidth: half_peak_kb * 1024.0 / setup }
}

/// z15 with 8 threads: setup by software overlaps, and the rest is the engine's own time.
const ENGINE_COMPRESS: Line = row(12.0, 0.78);
const ENGINE_EXPAND: Line = row(6.0, 0.65);
/// z15 with one thread.
const THREAD_COMPRESS: Line = row(64.0, 5.2);
const THREAD_EXPAND: Line = row(16.0, 1.9);

/// Result of a model's clock. Every time is modelled: computed from published figures of the
/// hardware, not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelledTime {
    /// Streams, or parts of streams.
    pub streams: u64,
    /// Uncompressed bytes of compressions.
    pub compressed: u64,
    /// Uncompressed bytes of expansions.
    pub expanded: u64,
    /// Modelled time in which the engine works.
    pub modelled_engine: Duration,
    /// Modelled time in which one thread alone would do the same.
    pub modelled_thread: Duration,
}

impl ModelledTime {
    /// Adds a call. The first call of a stream has the setup time.
    pub(super) fn add(&mut self, function: Function, is_first: bool, written: usize, read: usize) {
        let (bytes, engine, thread) = match function {
            Function::Compress => (read, ENGINE_COMPRESS, THREAD_COMPRESS),
            Function::Expand => (written, ENGINE_EXPAND, THREAD_EXPAND),
            Function::QueryAvailable | Function::GenerateTable => return,
        };
        let time = |line: Line| {
            let setup = if is_first { line.setup } else { 0.0 };
            Duration::from_secs_f64(setup + bytes as f64 / line.bandwidth)
        };
        self.streams += u64::from(is_first);
        match function {
            Function::Compress => self.compressed += bytes as u64,
            _ => self.expanded += bytes as u64,
        }
        self.modelled_engine += time(engine);
        self.modelled_thread += time(thread);
    }

    /// Returns the modelled GB/s of the engine, by uncompressed bytes.
    pub fn modelled_gb_per_s(&self) -> f64 {
        let seconds = self.modelled_engine.as_secs_f64();
        if seconds == 0.0 { 0.0 } else { (self.compressed + self.expanded) as f64 / seconds / 1e9 }
    }
}

impl fmt::Display for ModelledTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "modelled: {} streams, engine works for {:?}, one thread for {:?}, {:.2} GB/s uncompressed",
            self.streams,
            self.modelled_engine,
            self.modelled_thread,
            self.modelled_gb_per_s(),
        )
    }
}

#[cfg(test)]
mod tests;
