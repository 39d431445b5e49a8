//! One line of advice: what a device does with the data, and what that would mean for a scan.

use std::time::Duration;

use super::accelerator::{Accelerator, Packed};
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
    /// Decompression.
    pub decompress: f64,
    /// Time of a batch beside its bytes; zero where it was not told apart.
    pub setup: Duration,
    /// From so many bytes in a batch it decompresses faster than the CPU with all threads; none if it never does, or is
    /// the CPU.
    pub overtakes: Option<f64>,
    /// A scan of all columns.
    pub scan: Option<Duration>,
}

impl Estimate {
    /// The CPU, as it was measured.
    pub fn measured(threads: usize, figures: &Figures, scan: Option<&Scan>) -> Estimate {
        let plural = if threads == 1 { "" } else { "s" };
        Estimate {
            device: format!("cpu, {threads} thread{plural}"),
            is_modelled: false,
            ratio: figures.ratio(),
            compress: figures.compress.gb_per_second * 1e9,
            decompress: figures.decompress.gb_per_second * 1e9,
            setup: Duration::ZERO,
            overtakes: None,
            scan: scan.map(|scan| scan.wall),
        }
    }

    /// An accelerator, as it is modelled, beside the CPU with all threads.
    pub fn modelled(
        accelerator: &Accelerator,
        packed: Packed,
        cpu: &Figures,
        scan: Option<&Scan>,
    ) -> Estimate {
        let cpu = cpu.decompress.gb_per_second * 1e9;
        Estimate {
            device: accelerator.name(),
            is_modelled: true,
            ratio: packed.ratio(),
            compress: accelerator.compress,
            decompress: accelerator.decompress,
            setup: accelerator.setup,
            overtakes: overtakes(accelerator.setup, accelerator.decompress, cpu),
            scan: scan.map(|scan| scan_with(scan, accelerator)),
        }
    }

    /// The time of a batch of so many bytes.
    pub fn batch(&self, bytes: f64) -> f64 {
        self.setup.as_secs_f64() + bytes / self.decompress
    }

    /// Bytes of a batch that takes twice the setup, so that half of the bandwidth is reached: setup × bandwidth.
    pub fn half_peak(&self) -> f64 {
        self.setup.as_secs_f64() * self.decompress
    }
}

/// The batch from which on a device with this setup and bandwidth is faster than one without setup: where
/// setup + bytes / device = bytes / cpu.
fn overtakes(setup: Duration, device: f64, cpu: f64) -> Option<f64> {
    let gain = 1.0 / cpu - 1.0 / device;
    (gain > 0.0).then(|| setup.as_secs_f64() / gain)
}

/// A scan whose decompression somebody else does meanwhile: the threads have the rest to do, and it is not over before the
/// device is done.
fn scan_with(scan: &Scan, accelerator: &Accelerator) -> Duration {
    let saved = scan.decompression.div_f64(scan.threads as f64);
    let rest = scan.wall.saturating_sub(saved);
    let device = accelerator.setup + Duration::from_secs_f64(scan.bytes as f64 / accelerator.decompress);
    rest.max(device)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;

    const MICRO: Duration = Duration::from_micros(1);

    fn accelerator(setup: Duration, decompress: f64) -> Accelerator {
        Accelerator { devices: NonZeroUsize::MIN, setup, compress: 1e9, decompress }
    }

    #[test]
    fn a_device_overtakes_where_both_take_as_long() {
        let bytes = overtakes(10 * MICRO, 4e9, 1e9).unwrap();
        // 10 µs + n / 4 GB/s = n / 1 GB/s: n = 13,333 bytes.
        assert!((bytes - 13_333.3).abs() < 0.1, "{bytes}");
        assert_eq!(overtakes(10 * MICRO, 1e9, 1e9), None);
        assert_eq!(overtakes(10 * MICRO, 1e9, 2e9), None);
        assert_eq!(overtakes(Duration::ZERO, 2e9, 1e9), Some(0.0));
    }

    #[test]
    fn a_scan_is_over_when_threads_and_device_are() {
        let scan = Scan {
            wall: Duration::from_secs(10),
            decompression: Duration::from_secs(8),
            bytes: 4_000_000_000,
            threads: 2,
        };
        assert_eq!(scan_with(&scan, &accelerator(MICRO, 4e9)), Duration::from_secs(6));
        assert_eq!(scan_with(&scan, &accelerator(Duration::ZERO, 0.5e9)), Duration::from_secs(8));
    }
}
