//! Every file through the model and the software codecs, once for all figures.

use pelton_codec::{Encoder, Format, compress_bound};
use pelton_nxu::decompress::Limits;
use pelton_nxu::{BitReader, Compressed, Config, Cycles, Ended, Mode, Position, compress, decompress};

use crate::data::{File, Group};
use crate::sys::Stream;

/// Level of zlib and gzip that the paper compares with, their default.
pub const LEVEL: i32 = 6;

/// Sizes and cycles of a file, summed over its blocks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Run {
    /// Uncompressed bytes.
    pub bytes: u64,
    /// Bytes by codec, all raw.
    pub zlib: u64,
    pub lz4: u64,
    pub zstd: u64,
    pub snappy: u64,
    /// z15's 2-pass and 1.1-pass modes.
    pub two_pass: u64,
    pub sampled: u64,
    /// POWER9's 2-pass mode: tables of exact counts.
    pub exact: u64,
    /// Cycles of a pass of POWER9's LZ77 stage, and of z15's.
    pub p9: Cycles,
    pub z15: Cycles,
    /// Cycles of z15's 1.1-pass mode, all of them, and of decompression.
    pub sampled_cycles: u64,
    pub decompress_cycles: u64,
    /// Tables, and those of a second round of the Huffman algorithm.
    pub tables: u64,
    pub repeated: u64,
}

/// Runs a file through all. An error names the block that does not come back.
pub fn run(file: &File) -> Result<Run, String> {
    let mut run = Run::default();
    let mut encoder = Encoder::new();
    let mut software = |format: Format, block: &[u8]| {
        let mut target = vec![0; compress_bound(format, block.len())];
        let done = encoder.compress(format, format.default_level(), block, &mut target);
        done.map(|done| done.produced as u64).map_err(|error| format!("{}: {error}", file.name))
    };
    for block in &file.blocks {
        run.bytes += block.len() as u64;
        run.zlib += Stream::compress(LEVEL, block).deflate().len() as u64;
        run.lz4 += software(Format::Lz4, block)?;
        run.zstd += software(Format::Zstd, block)?;
        run.snappy += software(Format::Snappy, block)?;
        let p9 = compress(Config::P9, Mode::TwoPass, block);
        let two_pass = compress(Config::Z15, Mode::TwoPass, block);
        let sampled = compress(Config::Z15, Mode::SampledPass, block);
        run.exact += p9.bytes.len() as u64;
        run.two_pass += two_pass.bytes.len() as u64;
        run.sampled += sampled.bytes.len() as u64;
        add(&mut run.p9, p9.lz77);
        add(&mut run.z15, two_pass.lz77);
        run.sampled_cycles += sampled.cycles;
        run.repeated += two_pass.repeated.0;
        run.tables += two_pass.repeated.1;
        run.decompress_cycles +=
            decompressed(&two_pass, block).map_err(|what| format!("{}: {what}", file.name))?;
    }
    Ok(run)
}

/// Checks a stream, and returns the cycles of its decompression.
fn decompressed(compressed: &Compressed, source: &[u8]) -> Result<u64, String> {
    let limits = Limits { output: source.len(), one_block: false };
    let done = decompress(&Position::START, BitReader::new(&compressed.bytes, 0), &[], limits);
    match done.ended == Ended::Final && done.output == source {
        true => Ok(done.cycles),
        false => Err(format!("the model's stream does not come back: {:?}", done.ended)),
    }
}

fn add(sum: &mut Cycles, more: Cycles) {
    sum.words += more.words;
    sum.bank += more.bank;
    sum.encoder += more.encoder;
    sum.access += more.access;
    sum.conflicts += more.conflicts;
}

/// Files with their runs.
pub struct Runs<'a> {
    /// In the order of the tables.
    pub all: Vec<(&'a File, Run)>,
}

impl<'a> Runs<'a> {
    /// Runs all files.
    pub fn new(files: &'a [File]) -> Result<Runs<'a>, String> {
        let mut all = Vec::with_capacity(files.len());
        for file in files {
            eprintln!("{}: {}, {} bytes", file.group.name(), file.name, file.len());
            all.push((file, run(file)?));
        }
        Ok(Runs { all })
    }

    /// Returns those of some groups.
    pub fn of<'b>(&'b self, groups: &'b [Group]) -> impl Iterator<Item = &'b (&'a File, Run)> {
        self.all.iter().filter(|(file, _)| groups.contains(&file.group))
    }

    /// Returns the sum over some groups; none if there are no such files.
    pub fn sum(&self, groups: &[Group]) -> Option<Run> {
        self.sum_of(groups, 0)
    }

    /// Returns the sum over the files of at least a size.
    pub fn sum_of(&self, groups: &[Group], min: usize) -> Option<Run> {
        self.of(groups).filter(|(file, _)| file.len() >= min).map(|(_, run)| *run).reduce(|mut sum, run| {
            for (sum, more) in [
                (&mut sum.bytes, run.bytes),
                (&mut sum.zlib, run.zlib),
                (&mut sum.lz4, run.lz4),
                (&mut sum.zstd, run.zstd),
                (&mut sum.snappy, run.snappy),
                (&mut sum.two_pass, run.two_pass),
                (&mut sum.sampled, run.sampled),
                (&mut sum.exact, run.exact),
                (&mut sum.sampled_cycles, run.sampled_cycles),
                (&mut sum.decompress_cycles, run.decompress_cycles),
                (&mut sum.tables, run.tables),
                (&mut sum.repeated, run.repeated),
            ] {
                *sum += more;
            }
            add(&mut sum.p9, run.p9);
            add(&mut sum.z15, run.z15);
            sum
        })
    }

    /// Returns the groups that have files and their sums, and all corpora together.
    pub fn by_group(&self) -> Vec<(&'static str, Run)> {
        let groups = Group::ALL.into_iter().filter_map(|group| Some((group.name(), self.sum(&[group])?)));
        let together = self.sum(&Group::CORPORA).map(|run| ("the corpora", run));
        groups.chain(together).collect()
    }

    /// Returns a file's run by name.
    pub fn named(&self, name: &str) -> Option<&Run> {
        self.all.iter().find(|(file, _)| file.name == name).map(|(_, run)| run)
    }
}

/// Relative difference.
pub fn excess(more: u64, than: u64) -> f64 {
    more as f64 / than.max(1) as f64 - 1.0
}
