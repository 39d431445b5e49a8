//! Estimate for one device: speeds on the data, and the time of a scan with it.

use std::time::Duration;

use super::measure::Scan;
use crate::codecs::measure::{Figures, Speed};

/// Source of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A clock, on this machine.
    Measured,
    /// The maker of the device, or a paper.
    Published,
    /// A model of the device on this data.
    Modelled,
}

impl Origin {
    /// Returns the word for it.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Measured => "measured",
            Origin::Published => "published",
            Origin::Modelled => "modelled",
        }
    }
}

/// Speeds of a device on the data, in uncompressed bytes a second.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// `cpu, 2 threads` or `iaa, 4 devices`.
    pub device: String,
    /// Source of its speeds.
    pub origin: Origin,
    /// Compression ratio.
    pub ratio: f64,
    pub compress: Work,
    pub decompress: Work,
    /// Joules for a gigabyte compressed, minimum and maximum.
    pub energy: Option<[f64; 2]>,
    /// A scan of all columns.
    pub scan: Option<Duration>,
}

/// A device's compression or decompression, compared with the CPU's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    pub batch: Batch,
    /// Smallest batch, in bytes, that the device finishes before the CPU with all threads; none if
    /// there is no such batch, or for the CPU itself.
    pub overtakes: Option<f64>,
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
        let work = |speed: &dyn Fn(&Figures) -> Speed| {
            let [one, all] = [one, all].map(|figures| speed(figures).gb_per_second * 1e9);
            let speeds = Speeds { setup: 0.0, job: 0.0, one, all };
            Work { batch: Batch { speeds, block }, overtakes: None }
        };
        Estimate {
            device: format!("cpu, {threads} thread{plural}"),
            origin: Origin::Measured,
            ratio: all.ratio(),
            compress: work(&|figures| figures.compress),
            decompress: work(&|figures| figures.decompress),
            energy: None,
            scan: scan.map(|scan| scan.wall),
        }
    }

    /// Adds the time of a scan of the files while this device decompresses.
    pub fn with_scan(mut self, scan: Option<&Scan>) -> Estimate {
        self.scan = scan.map(|scan| scan_with(scan, &self.decompress.batch));
        self
    }
}

/// Returns the time of a scan while a device decompresses: the threads do the remaining work, and
/// the scan does not end before the device is done.
fn scan_with(scan: &Scan, device: &Batch) -> Duration {
    let saved = scan.decompression.div_f64(scan.threads as f64);
    let rest = scan.wall.saturating_sub(saved);
    rest.max(Duration::from_secs_f64(device.seconds(scan.bytes as f64)))
}

/// Speeds of a device, apart from the data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speeds {
    /// Seconds of a batch's setup.
    pub setup: f64,
    /// Seconds of each job, in addition to its bytes.
    pub job: f64,
    /// Uncompressed bytes a second of one thread or engine; a block is done by one.
    pub one: f64,
    /// Uncompressed bytes a second of all of them together.
    pub all: f64,
}

/// Cost model of a batch of blocks. One thread or engine handles a block, so a batch of few blocks
/// does not use all of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Batch {
    pub speeds: Speeds,
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
        let Speeds { setup, job, one, all } = self.speeds;
        let jobs = (bytes / self.block).max(1.0);
        setup + (bytes / all + jobs * job).max(bytes.min(self.block) / one + job)
    }

    /// Returns the bytes a second of a large batch.
    pub fn throughput(&self) -> f64 {
        1.0 / (1.0 / self.speeds.all + self.speeds.job / self.block)
    }

    /// Returns the batch size in bytes from which on this is faster than `other`; none if larger
    /// batches are not, and zero if all compared ones are.
    pub fn overtakes(&self, other: &Batch) -> Option<f64> {
        let size = |step: u32| MIN * (MAX / MIN).powf(f64::from(step) / f64::from(STEPS));
        let is_faster = |step: &u32| self.seconds(size(*step)) < other.seconds(size(*step));
        let first = (0..=STEPS).rev().take_while(is_faster).last()?;
        Some(if first == 0 { 0.0 } else { size(first) })
    }

    /// Returns the bytes of a job that takes twice its setup and reaches half of the bandwidth:
    /// setup × bandwidth. None if there is no setup.
    pub fn half_peak(&self) -> Option<f64> {
        let setup = self.speeds.setup + self.speeds.job;
        (setup > 0.0).then_some(setup * self.speeds.all)
    }
}

#[cfg(test)]
mod tests;
