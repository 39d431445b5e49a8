//! Estimate for one device: speeds on the data, and the time of a scan with it.

use std::time::Duration;

use super::accelerator::{Accelerator, CompressedSize};
use super::measure::Scan;
use crate::codecs::measure::Figures;

/// Speeds of a device on the data, in uncompressed bytes a second.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// `cpu, 2 threads` or `iaa, 4 devices`.
    pub device: String,
    /// Whether its speeds come from a model and not from a clock.
    pub is_modelled: bool,
    /// Compression ratio.
    pub ratio: f64,
    /// Compression.
    pub compress: f64,
    /// Decompression, batch by batch.
    pub batch: Batch,
    /// Smallest batch, in bytes, that it decompresses faster than the CPU with all threads; none if
    /// there is no such batch, or for the CPU itself.
    pub overtakes: Option<f64>,
    /// A scan of all columns.
    pub scan: Option<Duration>,
}

impl Estimate {
    /// Returns the estimate of the CPU, measured with one thread and with all `threads`; `block` is
    /// the size of a block in bytes.
    pub fn measured(
        threads: usize,
        one: &Figures,
        all: &Figures,
        block: f64,
        scan: Option<&Scan>,
    ) -> Estimate {
        let plural = if threads == 1 { "" } else { "s" };
        let speed = |figures: &Figures| figures.decompress.gb_per_second * 1e9;
        Estimate {
            device: format!("cpu, {threads} thread{plural}"),
            is_modelled: false,
            ratio: all.ratio(),
            compress: all.compress.gb_per_second * 1e9,
            batch: Batch { setup: Duration::ZERO, one: speed(one), all: speed(all), block },
            overtakes: None,
            scan: scan.map(|scan| scan.wall),
        }
    }

    /// Returns the estimate of a modelled accelerator, compared with the CPU.
    pub fn modelled(
        accelerator: &Accelerator,
        compressed: CompressedSize,
        block: f64,
        cpu: &Batch,
        scan: Option<&Scan>,
    ) -> Estimate {
        let Accelerator { setup, engine, decompress, .. } = *accelerator;
        let batch = Batch { setup, one: engine, all: decompress, block };
        Estimate {
            device: accelerator.name(),
            is_modelled: true,
            ratio: compressed.ratio(),
            compress: accelerator.compress,
            batch,
            overtakes: batch.overtakes(cpu),
            scan: scan.map(|scan| scan_with(scan, &batch)),
        }
    }
}

/// Returns the time of a scan while a device decompresses: the threads do the remaining work, and
/// the scan does not end before the device is done.
fn scan_with(scan: &Scan, device: &Batch) -> Duration {
    let saved = scan.decompression.div_f64(scan.threads as f64);
    let rest = scan.wall.saturating_sub(saved);
    rest.max(Duration::from_secs_f64(device.seconds(scan.bytes as f64)))
}

/// Cost model of a batch of blocks. One thread or engine handles a block, so a batch of few blocks
/// does not use all of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Batch {
    /// Fixed time of a batch.
    pub setup: Duration,
    /// Uncompressed bytes a second of one thread or engine.
    pub one: f64,
    /// Uncompressed bytes a second of all of them together.
    pub all: f64,
    /// Uncompressed bytes of a block.
    pub block: f64,
}

/// Range of compared batches, in bytes: from almost nothing to more than a program has in flight.
const MIN: f64 = 64.0;
const MAX: f64 = 1e10;
/// Steps between them, each an equal and imperceptible factor.
const STEPS: u32 = 960;

impl Batch {
    /// Returns the seconds for `bytes`: the time that all engines need together, but at least that
    /// of one engine for a block.
    pub fn seconds(&self, bytes: f64) -> f64 {
        self.setup.as_secs_f64() + (bytes / self.all).max(bytes.min(self.block) / self.one)
    }

    /// Returns the batch size in bytes from which on this is faster than `other`; none if larger
    /// batches are not.
    pub fn overtakes(&self, other: &Batch) -> Option<f64> {
        let size = |step: u32| MIN * (MAX / MIN).powf(f64::from(step) / f64::from(STEPS));
        let is_faster = |step: &u32| self.seconds(size(*step)) < other.seconds(size(*step));
        (0..=STEPS).rev().take_while(is_faster).last().map(size)
    }

    /// Returns the bytes of a batch that takes twice its setup and reaches half of the bandwidth:
    /// setup × bandwidth.
    pub fn half_peak(&self) -> f64 {
        self.setup.as_secs_f64() * self.all
    }
}

#[cfg(test)]
mod tests;
