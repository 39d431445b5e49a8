//! Models of absent devices: their published figures, and the data as they would compress it.

use std::num::NonZeroUsize;
use std::time::Duration;

use bytes::Bytes;
use pelton::codec::Decoder;
use pelton::job::{Batch, Job};
use pelton::{DeviceChoice, Engine};

use super::measure::FORMAT;
use crate::codecs::sample::Sample;
use crate::failure::Failure;

/// Source of the modelled figures, for people.
pub const SOURCE: &str = "modelled: Intel IAA, by the speeds published for 4 devices of a Xeon 8488C; the ratio is that \
     of this data with an IAA's 4 KB of history";

/// An accelerator's figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accelerator {
    pub devices: NonZeroUsize,
    /// Fixed time of a batch.
    pub setup: Duration,
    /// Uncompressed bytes a second that all devices together compress.
    pub compress: f64,
    /// Uncompressed bytes a second that all devices together decompress.
    pub decompress: f64,
    /// Uncompressed bytes a second that one engine decompresses; each block is decompressed by one.
    pub engine: f64,
}

impl Accelerator {
    /// Returns the model of a number of IAA devices.
    pub fn iaa(devices: NonZeroUsize) -> Accelerator {
        let one = pelton::figures::iaa();
        let count = devices.get() as f64;
        let (compress, decompress) = (one.compress * count, one.decompress * count);
        Accelerator { devices, setup: one.setup, compress, decompress, engine: one.engine }
    }

    /// Returns its name.
    pub fn name(&self) -> String {
        let plural = if self.devices.get() == 1 { "" } else { "s" };
        format!("iaa, {} device{plural}", self.devices)
    }
}

/// Size of the data before and after compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// Compresses the sample by the driver on the model, and checks with the CPU that it decompresses
/// to the same bytes.
pub fn pack(sample: &Sample) -> Result<CompressedSize, Failure> {
    let model: DeviceChoice = "iaa-model".parse().map_err(Failure::error)?;
    let engine = Engine::builder().devices(model).build()?;
    let level = FORMAT.default_level();
    let jobs: Batch = sample.blocks.iter().map(|block| Job::compress(FORMAT, level, block.clone())).collect();
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
        check(&done.output, block).map_err(failed)?;
        compressed += done.output.len() as u64;
    }
    Ok(CompressedSize { uncompressed: sample.bytes, compressed })
}

fn check(compressed: &Bytes, block: &Bytes) -> Result<(), String> {
    let mut uncompressed = vec![0; block.len()];
    match Decoder::new().decompress(FORMAT, compressed, &mut uncompressed) {
        Ok(_) if uncompressed == *block => Ok(()),
        Ok(_) => Err("what comes back is not what went in: this is a bug, please report it".to_owned()),
        Err(error) => Err(format!("{error}: this is a bug, please report it")),
    }
}
