//! How long the hardware would take: setup time plus bytes by bandwidth, for one engine and for one
//! device.
//!
//! Every figure here is modelled. Nothing was measured on hardware by this project.

use std::time::Duration;

use pelton_device_iaa::hw::Opcode;

/// Figures of the hardware.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// T0: time that an operation takes in the device besides its bytes.
    pub setup: Duration,
    /// Bytes a second that an engine decompresses, counted at its output.
    pub decompress: f64,
    /// Bytes a second that an engine compresses, counted at its input.
    pub compress: f64,
    /// Bytes a second that an engine filters, or sums for a CRC64, counted at its input or output,
    /// whichever is more.
    pub filter: f64,
    /// Engines whose bandwidth a device has in all, where it has less than its engines together.
    pub engines_at_once: f64,
    /// Time that the system takes to make a page present that the device waits for.
    pub page_fault: Duration,
}

/// Engines in the machine that the figures below are from: 4 devices with 8 engines each (Xeon
/// 8488C).
const ENGINES: f64 = 32.0;

impl Timing {
    /// What "A Hot Take on the Intel Analytics Accelerator for Database Management Systems" (2025)
    /// measured on a Xeon 8488C, as far as it says.
    ///
    /// - `decompress`: 18.24 GB/s (its Table 1, `lineitem`) over 32 engines: 0.57 GB/s. `compress`:
    ///   4.59 GB/s, 0.143 GB/s. The paper counts plain bytes. It does not say how many jobs were in
    ///   flight; that all engines were busy is an assumption, and if they were not, an engine is
    ///   faster than this.
    /// - `filter`: an assumption. The filter takes what the decompressor gives, so it is at least
    ///   as fast as that.
    /// - `engines_at_once`: all 8, an assumption that follows from the first.
    /// - `setup`: an assumption. No figure for this device is published that we know; IBM's on-chip
    ///   accelerators ("Data Compression Accelerator on IBM POWER9 and z15 Processors", 2020) have
    ///   0.55 and 0.78 µs once the software's part is hidden by eight threads. The larger is taken.
    /// - `page_fault`: an assumption, the order of a minor fault of the processor with the way
    ///   through the IOMMU and back.
    pub const PAPER: Timing = Timing {
        setup: Duration::from_nanos(780),
        decompress: 18.24e9 / ENGINES,
        compress: 4.59e9 / ENGINES,
        filter: 18.24e9 / ENGINES,
        engines_at_once: 8.0,
        page_fault: Duration::from_micros(10),
    };

    /// An operation's time on an engine, and the part of it that the bytes take, in nanoseconds.
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
