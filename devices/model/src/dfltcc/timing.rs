//! Modelled time of the engine, by the paper's Table II: T = T0 + bytes / bandwidth, where a
//! bandwidth is the half-peak size divided by T0.

use std::fmt;
use std::time::Duration;

use pelton_device_dfltcc::Function;
use pelton_nxu::{Config, Setup};

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
        let (bytes, setups) = match function {
            Function::Compress => (read, Config::Z15.compress),
            Function::Expand => (written, Config::Z15.decompress),
            Function::QueryAvailable | Function::GenerateTable => return,
        };
        let time = |setup: Setup| {
            let seconds = if is_first { setup.seconds } else { 0.0 };
            Duration::from_secs_f64(seconds + bytes as f64 / setup.bandwidth())
        };
        self.streams += u64::from(is_first);
        match function {
            Function::Compress => self.compressed += bytes as u64,
            _ => self.expanded += bytes as u64,
        }
        // With several threads, setup by software overlaps, and the rest is the engine's own time.
        self.modelled_engine += time(setups.shared);
        self.modelled_thread += time(setups.alone);
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
