//! The targets: a function over bytes each, which panics if something is wrong.

pub mod chunks;
pub mod codecs;
pub mod cuda;
pub mod filter;
pub mod footers;
pub mod gpu_pages;
pub mod nxu;
pub mod pages;
pub mod substrait;
pub mod zlib_calls;

use codecs::{batch, brotli, deflate, encoder, files, hadoop, lz4, snappy, streaming, zstd};
use pelton_device_model::dfltcc::fuzz as dfltcc;
use pelton_device_model::iaa::fuzz as iaa;
use pelton_device_model::nx::fuzz as nx;

/// A function to fuzz, with its first inputs.
pub struct Target {
    /// The name on the command line, and of the folder in `corpus/`.
    pub name: &'static str,
    /// Sound inputs to start from.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Panics if something is wrong.
    pub run: fn(&[u8]),
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target { name: "deflate", seeds: deflate::raw_seeds, run: deflate::raw },
    Target { name: "zlib", seeds: deflate::zlib_seeds, run: deflate::zlib },
    Target { name: "gzip", seeds: deflate::gzip_seeds, run: deflate::gzip },
    Target { name: "inflate-batch", seeds: batch::seeds, run: batch::run },
    Target { name: "inflate-pieces", seeds: streaming::seeds, run: streaming::run },
    Target { name: "files-in-pieces", seeds: files::seeds, run: files::run },
    Target { name: "coder", seeds: encoder::seeds, run: encoder::run },
    Target { name: "lz4", seeds: lz4::seeds, run: lz4::run },
    Target { name: "lz4-hadoop", seeds: hadoop::seeds, run: hadoop::run },
    Target { name: "snappy", seeds: snappy::seeds, run: snappy::run },
    Target { name: "zstd", seeds: zstd::seeds, run: zstd::run },
    Target { name: "brotli", seeds: brotli::seeds, run: brotli::run },
    Target { name: "zlib-calls", seeds: zlib_calls::seeds, run: zlib_calls::run },
    Target { name: "iaa-model", seeds: iaa::seeds, run: |input| _ = iaa::descriptor(input) },
    Target { name: "dfltcc-model", seeds: dfltcc::seeds, run: dfltcc::calls },
    Target { name: "nx-model", seeds: nx::seeds, run: |input| _ = nx::request(input) },
    Target { name: "nxu", seeds: nxu::seeds, run: nxu::run },
    Target { name: "cuda", seeds: cuda::seeds, run: cuda::run },
    Target { name: "filter", seeds: filter::seeds, run: filter::run },
    Target { name: "gpu-pages", seeds: gpu_pages::seeds, run: gpu_pages::run },
    Target { name: "substrait", seeds: substrait::seeds, run: substrait::run },
    Target { name: "pages", seeds: pages::seeds, run: pages::run },
    Target { name: "headers", seeds: chunks::seeds, run: chunks::run },
    Target { name: "footers", seeds: footers::seeds, run: footers::run },
];
