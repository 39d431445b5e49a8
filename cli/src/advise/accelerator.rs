//! Figures of absent accelerators, and the data as they would compress it: Intel's IAA.

use std::num::NonZeroUsize;

use bytes::Bytes;
use pelton::codec::{Decoder, Format};
use pelton::job::{self, Job};
use pelton::{DeviceChoice, Engine};

use super::estimate::{Batch, Estimate, Origin, Speeds, Work};
use super::measure::FORMAT;
use crate::codecs::sample::Sample;
use crate::failure::Failure;

/// An accelerator's figures on the data.
#[derive(Clone, Debug, PartialEq)]
pub struct Accelerator {
    /// Such as `iaa, 4 devices`.
    pub name: String,
    /// Source of its speeds.
    pub origin: Origin,
    pub size: CompressedSize,
    pub compress: Speeds,
    pub decompress: Speeds,
    /// Watts that the accelerator adds to an idle system, minimum and maximum.
    pub watts: Option<[f64; 2]>,
}

impl Accelerator {
    /// Returns its estimate for blocks of a size in bytes, compared with the CPU's.
    pub fn estimate(&self, block: f64, cpu: &Estimate) -> Estimate {
        let work = |speeds: Speeds, cpu: &Work| {
            let batch = Batch { speeds, block };
            Work { batch, overtakes: batch.overtakes(&cpu.batch) }
        };
        Estimate {
            device: self.name.clone(),
            origin: self.origin,
            ratio: self.size.ratio(),
            compress: work(self.compress, &cpu.compress),
            decompress: work(self.decompress, &cpu.decompress),
            energy: self.watts.map(|watts| watts.map(|watts| watts / (self.compress.all / 1e9))),
            scan: None,
        }
    }
}

/// Size of the data before and after compression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompressedSize {
    pub uncompressed: u64,
    pub compressed: u64,
}

impl CompressedSize {
    /// Returns the compression ratio.
    pub fn ratio(self) -> f64 {
        self.uncompressed as f64 / self.compressed.max(1) as f64
    }
}

/// Source of the IAA's figures, for people.
pub const IAA_SOURCE: &str = "published: Intel IAA's speeds, those of 4 devices of a Xeon 8488C; the ratio is modelled, that \
     of this data with an IAA's 4 KB of history";

/// Returns the models of some numbers of IAA devices.
pub fn iaa(sample: &Sample, numbers: &[NonZeroUsize]) -> Result<Vec<Accelerator>, Failure> {
    let size = compress(sample)?;
    let one = pelton::figures::iaa();
    let model = |&devices: &NonZeroUsize| {
        let plural = if devices.get() == 1 { "" } else { "s" };
        let speeds = |all: f64| Speeds {
            setup: one.setup.as_secs_f64(),
            job: 0.0,
            // All engines are at work where all bytes are.
            one: all * one.engine / one.decompress,
            all: all * devices.get() as f64,
        };
        Accelerator {
            name: format!("iaa, {devices} device{plural}"),
            origin: Origin::Published,
            size,
            compress: speeds(one.compress),
            decompress: speeds(one.decompress),
            watts: None,
        }
    };
    Ok(numbers.iter().map(model).collect())
}

/// Compresses the sample by the driver on the model, and checks with the CPU that it decompresses
/// to the same bytes.
fn compress(sample: &Sample) -> Result<CompressedSize, Failure> {
    let model: DeviceChoice = "iaa-model".parse().map_err(Failure::error)?;
    let engine = Engine::builder().devices(model).build()?;
    let level = FORMAT.default_level();
    let jobs: job::Batch =
        sample.blocks.iter().map(|block| Job::compress(FORMAT, level, block.clone())).collect();
    let mut ticket = engine.router().submit(jobs);
    let mut compressed = 0;
    for (number, block) in sample.blocks.iter().enumerate() {
        let failed = |what: String| {
            Failure::Error(format!("block {number} of the sample, on the model of an IAA: {what}"))
        };
        let Some(outcome) = ticket.wait_next() else { break };
        let done = outcome.map_err(|error| failed(error.to_string()))?;
        if &*done.device != "iaa-model" {
            return Err(failed(format!(
                "it was packed by {} instead: this is a bug, please report it",
                done.device
            )));
        }
        check(FORMAT, &done.output, block).map_err(failed)?;
        compressed += done.output.len() as u64;
    }
    Ok(CompressedSize { uncompressed: sample.bytes, compressed })
}

/// Checks with the CPU that a compressed block is that block.
pub fn check(format: Format, compressed: &[u8], block: &Bytes) -> Result<(), String> {
    let mut uncompressed = vec![0; block.len()];
    match Decoder::new().decompress(format, compressed, &mut uncompressed) {
        Ok(_) if uncompressed == *block => Ok(()),
        Ok(_) => Err("what comes back is not what went in: this is a bug, please report it".to_owned()),
        Err(error) => Err(format!("{error}: this is a bug, please report it")),
    }
}
