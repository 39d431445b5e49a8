//! IBM's accelerators: NX-GZIP of POWER9 and POWER10, and DFLTCC of z15, by the model of their
//! engine on the data.

use bytes::Bytes;
use pelton::codec::Format;
use pelton_nxu::compress::compress_with;
use pelton_nxu::decompress::Limits;
use pelton_nxu::{BitReader, BitWriter, Config, Ended, Matcher, Mode, Position, Setups, decompress};

use super::accelerator::{Accelerator, CompressedSize, check};
use super::estimate::{Origin, Speeds};
use crate::codecs::sample::Sample;
use crate::failure::Failure;

/// Source of the figures, for people.
pub const SOURCE: &str = "modelled: IBM NX and DFLTCC on this data; published: their setup, watts and maximum decompression \
     (ISCA 2020); POWER10 as POWER9";

/// Bytes of gzip's header and trailer, which the CPU's and the IAA's sizes have too.
const CONTAINER: u64 = 18;
/// Maximum bytes of a stored block.
const MAX_STORED: usize = 65_535;
/// Watts that POWER9's system takes more with the accelerator at work, cores and memory included.
const POWER9_WATTS: [f64; 2] = [27.0, 42.0];

/// Returns the models.
pub fn models(sample: &Sample) -> Result<Vec<Accelerator>, Failure> {
    let power = run(sample, Config::P9, |matcher, block| sampled(matcher, Config::P9, true, block))?;
    // DFLTCC writes no stored blocks.
    let z = run(sample, Config::Z15, |matcher, block| sampled(matcher, Config::Z15, false, block))?;
    Ok(vec![
        power.accelerator("nx, POWER9", Some(POWER9_WATTS)),
        power.accelerator("nx, POWER10", None),
        z.accelerator("dfltcc, z15", None),
    ])
}

/// Sizes and cycles of the sample.
struct Run {
    config: Config,
    size: CompressedSize,
    compress: u64,
    decompress: u64,
}

impl Run {
    fn accelerator(&self, name: &str, watts: Option<[f64; 2]>) -> Accelerator {
        let speeds = |setups: Setups, all: f64| {
            let job = setups.shared.seconds;
            Speeds { setup: setups.alone.seconds - job, job, one: all, all }
        };
        let speed = |cycles: u64| self.size.uncompressed as f64 / self.config.seconds(cycles.max(1));
        let Config { compress, decompress, .. } = self.config;
        // The model has the decoder's cycles alone, and the published total is half of them.
        let decompressed = speed(self.decompress).min(decompress.shared.bandwidth());
        Accelerator {
            name: name.to_owned(),
            origin: Origin::Modelled,
            size: self.size,
            compress: speeds(compress, speed(self.compress)),
            decompress: speeds(decompress, decompressed),
            watts,
        }
    }
}

/// Compresses each block to a raw stream, with its cycles, and decompresses it.
fn run(
    sample: &Sample,
    config: Config,
    mut compress: impl FnMut(&mut Matcher, &Bytes) -> (Vec<u8>, u64),
) -> Result<Run, Failure> {
    let mut matcher = Matcher::new(config, 0);
    let mut run = Run { config, size: CompressedSize::default(), compress: 0, decompress: 0 };
    for (number, block) in sample.blocks.iter().enumerate() {
        let failed = |what: String| {
            Failure::Error(format!("block {number} of the sample, on the model of an NX: {what}"))
        };
        let (stream, cycles) = compress(&mut matcher, block);
        check(Format::Deflate, &stream, block).map_err(failed)?;
        run.compress += cycles;
        run.size.uncompressed += block.len() as u64;
        run.size.compressed += stream.len() as u64 + CONTAINER;
        let limits = Limits { output: block.len(), one_block: false };
        let done = decompress(&Position::START, BitReader::new(&stream, 0), &[], limits);
        if done.ended != Ended::Final || done.output != *block {
            return Err(failed(format!("it ends with {:?}: this is a bug, please report it", done.ended)));
        }
        run.decompress += done.cycles;
    }
    Ok(run)
}

/// Compresses a block with a table of its first bytes, as the driver does at levels 2 and 3 and the
/// paper recommends. With `can_store`, a block that is smaller uncompressed is stored.
fn sampled(matcher: &mut Matcher, config: Config, can_store: bool, block: &Bytes) -> (Vec<u8>, u64) {
    let done = compress_with(matcher, config, Mode::SampledPass, block);
    let stored = block.len() + 5 * block.len().div_ceil(MAX_STORED).max(1);
    let bytes = if can_store && done.bytes.len() > stored { store(block) } else { done.bytes };
    (bytes, done.cycles)
}

fn store(block: &[u8]) -> Vec<u8> {
    let mut to = BitWriter::new();
    let mut rest = block;
    loop {
        let (part, others) = rest.split_at(rest.len().min(MAX_STORED));
        to.bits(u64::from(others.is_empty()), 1);
        to.bits(0, 2);
        to.align();
        to.bits(part.len() as u64, 16);
        to.bits(!part.len() as u64 & 0xffff, 16);
        to.bytes(part);
        rest = others;
        if rest.is_empty() {
            return to.into_bytes();
        }
    }
}

#[cfg(test)]
mod tests;
