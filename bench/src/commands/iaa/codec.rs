//! A codec at a level on a device, and its figures on some blocks.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use pelton::codec::{Decoder, Format, Level};
use pelton::job::{Batch, Job, JobOutput, OutputSize, Router};
use pelton::{DeviceChoice, Engine};
use serde::Serialize;

use super::blocks::Blocks;
use pelton_report::numbers::median;
use pelton_tpch::Error;

/// Devices of the machine in the paper.
const DEVICES: f64 = 4.0;

/// A codec.
pub struct Codec {
    /// Name in the tables.
    pub name: String,
    /// The device that has to do it.
    device: &'static str,
    format: Format,
    level: Level,
    router: Arc<Router>,
    /// Bytes a second where they are modelled: in and out.
    modelled: Option<[f64; 2]>,
}

/// Ratio and speeds of a codec on a table in large blocks.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Figures {
    /// Compression ratio.
    pub ratio: f64,
    /// Uncompressed GB/s.
    pub compress: f64,
    /// Uncompressed GB/s.
    pub decompress: f64,
    /// Whether the speeds are modelled.
    pub is_modelled: bool,
}

impl Codec {
    /// Those of the paper's Table 1. Its "Deflate CPU" is Intel's QPL at the one level that the IAA
    /// has too; ours are the levels that are next to that in size and speed.
    pub fn all() -> Result<Vec<Codec>, Error> {
        let (cpu, model) = (router("cpu")?, router("iaa-model")?);
        let level = |format, level| Level::new(format, level).map_err(|e| Error::Argument(e.to_string()));
        let on_cpu = |name: &str, format, level| Codec {
            name: name.to_owned(),
            device: "cpu",
            format,
            level,
            router: cpu.clone(),
            modelled: None,
        };
        let one = pelton::figures::iaa();
        Ok(vec![
            on_cpu("Snappy", Format::Snappy, Format::Snappy.default_level()),
            on_cpu("LZ4", Format::Lz4, Format::Lz4.default_level()),
            on_cpu("zstd-1", Format::Zstd, level(Format::Zstd, 1)?),
            on_cpu("zstd-3", Format::Zstd, level(Format::Zstd, 3)?),
            on_cpu("zstd-9", Format::Zstd, level(Format::Zstd, 9)?),
            on_cpu("Deflate-1 CPU", Format::Deflate, level(Format::Deflate, 1)?),
            on_cpu("Deflate-6 CPU", Format::Deflate, level(Format::Deflate, 6)?),
            Codec {
                name: "Deflate IAA (model)".to_owned(),
                device: "iaa-model",
                format: Format::Deflate,
                level: level(Format::Deflate, 6)?,
                router: model,
                modelled: Some([one.compress * DEVICES, one.decompress * DEVICES]),
            },
        ])
    }

    /// Ratio and speeds, the median of `runs`. Checks that every block comes back the same.
    pub fn measure(&self, blocks: &Blocks, runs: usize) -> Result<Figures, Error> {
        let (packed, first) = self.pack(blocks)?;
        self.check(blocks, &packed)?;
        let ratio = ratio(blocks, &packed);
        if let Some([compress, decompress]) = self.modelled {
            return Ok(Figures {
                ratio,
                compress: compress / 1e9,
                decompress: decompress / 1e9,
                is_modelled: true,
            });
        }
        let (mut compress, mut decompress) = (vec![first.as_secs_f64()], Vec::new());
        for _ in 1..runs {
            compress.push(self.pack(blocks)?.1.as_secs_f64());
        }
        for _ in 0..runs {
            decompress.push(self.unpack(blocks, &packed)?.as_secs_f64());
        }
        let speed = |seconds: &[f64]| blocks.bytes as f64 / median(seconds) / 1e9;
        Ok(Figures { ratio, compress: speed(&compress), decompress: speed(&decompress), is_modelled: false })
    }

    /// Returns the ratio alone.
    pub fn ratio(&self, blocks: &Blocks) -> Result<f64, Error> {
        let (packed, _) = self.pack(blocks)?;
        self.check(blocks, &packed)?;
        Ok(ratio(blocks, &packed))
    }

    fn pack(&self, blocks: &Blocks) -> Result<(Vec<Bytes>, Duration), Error> {
        self.run(
            blocks.blocks.iter().map(|block| Job::compress(self.format, self.level, block.clone())).collect(),
        )
    }

    fn unpack(&self, blocks: &Blocks, packed: &[Bytes]) -> Result<Duration, Error> {
        let jobs = packed.iter().zip(&blocks.blocks).map(|(packed, block)| {
            Job::decompress(self.format, packed.clone(), OutputSize::Exact(block.len()))
        });
        Ok(self.run(jobs.collect())?.1)
    }

    /// Runs a batch on the device that has to do it, and on no other.
    fn run(&self, batch: Batch) -> Result<(Vec<Bytes>, Duration), Error> {
        let started = Instant::now();
        let outcomes = self.router.submit(batch).wait();
        let time = started.elapsed();
        let failed = |reason| Error::Codec { name: self.name.clone(), reason };
        let take = |done: JobOutput| match &*done.device == self.device {
            true => Ok(done.output),
            false => Err(failed(format!("a block was done by {}", done.device))),
        };
        let outputs: Result<Vec<Bytes>, Error> =
            outcomes.into_iter().map(|outcome| take(outcome.map_err(|e| failed(e.to_string()))?)).collect();
        Ok((outputs?, time))
    }

    fn check(&self, blocks: &Blocks, packed: &[Bytes]) -> Result<(), Error> {
        let mut decoder = Decoder::new();
        for (number, (packed, block)) in packed.iter().zip(&blocks.blocks).enumerate() {
            let mut plain = vec![0; block.len()];
            let same = decoder.decompress(self.format, packed, &mut plain).is_ok() && plain == *block;
            if !same {
                let reason = format!("block {number} does not come back the same");
                return Err(Error::Codec { name: self.name.clone(), reason });
            }
        }
        Ok(())
    }
}

fn ratio(blocks: &Blocks, packed: &[Bytes]) -> f64 {
    let packed: usize = packed.iter().map(Bytes::len).sum();
    blocks.bytes as f64 / packed.max(1) as f64
}

fn router(devices: &str) -> Result<Arc<Router>, Error> {
    let choice: DeviceChoice =
        devices.parse().map_err(|e: pelton::ChoiceError| Error::Argument(e.to_string()))?;
    let engine = Engine::builder().threads(1).devices(choice).build().map_err(Error::engine)?;
    Ok(engine.router().clone())
}
