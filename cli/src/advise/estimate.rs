//! One line of advice: what a device does with the data, and what that would mean for a scan.

use std::time::Duration;

use super::accelerator::{Accelerator, Packed};
use super::batch::Batch;
use super::scan::Scan;
use crate::codecs::measure::Figures;

/// What a device does with the data. All speeds are in uncompressed bytes a second.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// `cpu, 2 threads` or `iaa, 4 devices`.
    pub device: String,
    /// Whether its speeds come from a model and not from a clock.
    pub is_modelled: bool,
    /// How many times smaller the data gets.
    pub ratio: f64,
    /// Compression.
    pub compress: f64,
    /// Decompression, batch by batch.
    pub batch: Batch,
    /// From so many bytes in a batch it decompresses faster than the CPU with all threads; none if
    /// it never does, or is the CPU.
    pub overtakes: Option<f64>,
    /// A scan of all columns.
    pub scan: Option<Duration>,
}

impl Estimate {
    /// The CPU, as it was measured with one thread and with these; a block has so many bytes.
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

    /// An accelerator, as it is modelled, beside the CPU.
    pub fn modelled(
        accelerator: &Accelerator,
        packed: Packed,
        block: f64,
        cpu: &Batch,
        scan: Option<&Scan>,
    ) -> Estimate {
        let Accelerator { setup, engine, decompress, .. } = *accelerator;
        let batch = Batch { setup, one: engine, all: decompress, block };
        Estimate {
            device: accelerator.name(),
            is_modelled: true,
            ratio: packed.ratio(),
            compress: accelerator.compress,
            batch,
            overtakes: batch.overtakes(cpu),
            scan: scan.map(|scan| scan_with(scan, &batch)),
        }
    }
}

/// A scan whose decompression somebody else does meanwhile: the threads have the rest to do, and it
/// is not over before the device is done.
fn scan_with(scan: &Scan, device: &Batch) -> Duration {
    let saved = scan.decompression.div_f64(scan.threads as f64);
    let rest = scan.wall.saturating_sub(saved);
    rest.max(Duration::from_secs_f64(device.seconds(scan.bytes as f64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scan_is_over_when_threads_and_device_are() {
        let scan = Scan {
            wall: Duration::from_secs(10),
            decompression: Duration::from_secs(8),
            bytes: 4_000_000_000,
            threads: 2,
        };
        let device = |all| Batch { setup: Duration::ZERO, one: all, all, block: 1e6 };
        assert_eq!(scan_with(&scan, &device(4e9)), Duration::from_secs(6));
        assert_eq!(scan_with(&scan, &device(0.5e9)), Duration::from_secs(8));
    }
}
