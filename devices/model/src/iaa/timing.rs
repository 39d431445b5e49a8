//! Figures of the modelled time: setup time and bandwidth of an engine and a device.
//!
//! None of them was measured by this project; docs/iaa.md ("Costs") has their sources.

use std::time::Duration;

use pelton_device_iaa::hw::Opcode;

/// Figures of the hardware.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Time of an operation without bytes.
    pub setup: Duration,
    /// Decompression of an engine in bytes of output per second.
    pub decompress: f64,
    /// Compression of an engine in bytes of input per second.
    pub compress: f64,
    /// Filter or CRC64 of an engine in bytes of input or output per second, counting the larger.
    pub filter: f64,
    /// Bandwidth of a device in engines, at most its number of engines.
    pub engines_at_once: f64,
    /// Time in which the system makes a page present for a waiting device.
    pub page_fault: Duration,
}

/// Engines of the machine in the publication.
const ENGINES: f64 = 32.0;

impl Timing {
    /// Published bandwidths of a Xeon 8488C, divided by its engines, and assumptions.
    pub const PAPER: Timing = Timing {
        setup: Duration::from_nanos(780),
        decompress: 18.24e9 / ENGINES,
        compress: 4.59e9 / ENGINES,
        filter: 18.24e9 / ENGINES,
        engines_at_once: 8.0,
        page_fault: Duration::from_micros(10),
    };

    /// Returns the time of an operation on an engine, and the part of it for its bytes, in
    /// nanoseconds.
    pub(super) fn of(&self, opcode: Opcode, consumed: usize, produced: usize) -> (f64, f64) {
        let (bytes, bandwidth) = match opcode {
            Opcode::Noop | Opcode::Drain => (0, self.filter),
            Opcode::Decompress => (produced, self.decompress),
            Opcode::Compress => (consumed, self.compress),
            _ => (consumed.max(produced), self.filter),
        };
        let transfer = bytes as f64 / bandwidth * 1e9;
        (self.setup.as_nanos() as f64 + transfer, transfer)
    }
}
