//! The kernels with their sources, and the number of their blocks that a GPU holds at a time.

use parking_lot::Mutex;

use super::{Format, layout};
use crate::{Gpu, Kernel, Result, Source};

/// A kernel of `kernels/decompress`, which has pages of one or more formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    None,
    Lz4,
    Snappy,
    Deflate,
    Zstd,
    /// Converts nvCOMP's results.
    Adopt,
}

/// Source and launch shape of a kind of kernel.
pub(super) struct Description {
    /// Name in the source.
    pub name: &'static str,
    /// Name and text of the source.
    file: &'static str,
    text: &'static str,
    /// Threads of a block.
    pub threads: u32,
    /// Blocks of a grid for each multiprocessor: the maximum that shared memory and the number of
    /// warps allow (`deflate_tables.cuh` and `zstd_tables.cuh` have the memory of a warp). More
    /// would find no page.
    pub blocks: u32,
}

const BYTES: (&str, &str) = ("bytes.cu", include_str!("../../kernels/decompress/bytes.cu"));
const DEFLATE: (&str, &str) = ("deflate.cu", include_str!("../../kernels/decompress/deflate.cu"));
const NVCOMP: (&str, &str) = ("nvcomp.cu", include_str!("../../kernels/decompress/nvcomp.cu"));
const ZSTD: (&str, &str) = ("zstd.cu", include_str!("../../kernels/decompress/zstd.cu"));

impl Kind {
    /// Number of kinds.
    pub const COUNT: usize = Kind::Adopt as usize + 1;

    pub fn of(format: Format) -> Kind {
        match format {
            Format::Uncompressed => Kind::None,
            Format::Lz4Raw => Kind::Lz4,
            Format::Snappy => Kind::Snappy,
            Format::Gzip | Format::Zlib | Format::Deflate => Kind::Deflate,
            Format::Zstd => Kind::Zstd,
        }
    }

    pub fn description(self) -> Description {
        let (name, (file, text), threads, blocks) = match self {
            // four of a multiprocessor's 64 warps for each block
            Kind::None => ("decompress_none", BYTES, 128, 16),
            Kind::Lz4 => ("decompress_lz4", BYTES, 128, 16),
            Kind::Snappy => ("decompress_snappy", BYTES, 128, 16),
            Kind::Deflate => ("decompress_deflate", DEFLATE, 32, 26),
            Kind::Zstd => ("decompress_zstd", ZSTD, 32, 19),
            // A thread for each page, in any number of blocks.
            Kind::Adopt => ("adopt_nvcomp", NVCOMP, 256, u32::MAX),
        };
        Description { name, file, text, threads, blocks }
    }
}

/// Returns the container of a page's format as its kernel has it.
pub(super) fn container(format: Format) -> u32 {
    match format {
        Format::Zlib => layout::ZLIB,
        Format::Gzip => layout::GZIP,
        _ => layout::RAW,
    }
}

macro_rules! headers {
    ($($name:literal),* $(,)?) => {
        &[$((concat!("decompress/", $name), include_str!(concat!("../../kernels/decompress/", $name)))),*]
    };
}

const HEADERS: &[(&str, &str)] = headers!(
    "batch.cuh",
    "bits.cuh",
    "candidates.cuh",
    "canonical.cuh",
    "checksum.cuh",
    "containers.cuh",
    "copy.cuh",
    "deflate.cuh",
    "deflate_header.cuh",
    "deflate_tables.cuh",
    "lz4.cuh",
    "sequences.cuh",
    "snappy.cuh",
    "xxh64.cuh",
    "zstd.cuh",
    "zstd_bits.cuh",
    "zstd_block.cuh",
    "zstd_fse.cuh",
    "zstd_huffman.cuh",
    "zstd_literals.cuh",
    "zstd_tables.cuh",
);

fn source(file: &str, text: &str) -> Source {
    Source { name: file.into(), text: text.into(), headers: HEADERS.to_vec() }
}

/// The kernels of a GPU, each compiled when it is first needed: a query's pages have one format as
/// a rule.
#[derive(Default)]
pub(super) struct Kernels(Mutex<[Option<Kernel>; Kind::COUNT]>);

impl Kernels {
    pub fn get(&self, gpu: &Gpu, kind: Kind) -> Result<Kernel> {
        let mut kernels = self.0.lock();
        let kernel = &mut kernels[kind as usize];
        if let Some(kernel) = kernel {
            return Ok(kernel.clone());
        }
        let Description { name, file, text, .. } = kind.description();
        Ok(kernel.insert(gpu.compile(&source(file, text))?.kernel(name)?).clone())
    }
}
