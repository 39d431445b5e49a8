//! Prior costs, before any job was measured.
//!
//! Measured with `examples/measure_seeds.rs` on an AMD EPYC (Zen 5) with one thread, on pages of
//! mixed integers, text and random bytes. Other processors and data differ by a small factor either
//! way, and some twenty jobs correct that. The priors only have to get the order of magnitude right
//! between formats, levels and devices.

use std::time::Duration;

use pelton_codec::{Checksum, Format};
use pelton_job::{Cost, Operation};

/// The lowest level for a bandwidth, and the bandwidth in MB of input per second.
type Levels = [(i32, f64)];

const DEFLATE: &Levels = &[
    (0, 40_000.0),
    (1, 230.0),
    (4, 210.0),
    (5, 160.0),
    (6, 140.0),
    (7, 90.0),
    (8, 27.0),
    (9, 22.0),
    (10, 9.0),
    (11, 7.0),
    (12, 4.0),
];
const ZSTD: &Levels = &[
    (1, 480.0),
    (2, 430.0),
    (3, 370.0),
    (5, 170.0),
    (6, 150.0),
    (8, 80.0),
    (9, 50.0),
    (11, 40.0),
    (13, 12.0),
    (16, 7.0),
    (18, 4.0),
];
const BROTLI: &Levels = &[
    (0, 320.0),
    (1, 240.0),
    (2, 140.0),
    (3, 120.0),
    (4, 49.0),
    (5, 36.0),
    (7, 24.0),
    (9, 10.0),
    (10, 2.0),
    (11, 1.0),
];

/// Returns the cost of one job on one thread.
pub(crate) fn seed(operation: Operation) -> Cost {
    let (microseconds, megabytes_per_second) = match operation {
        Operation::Decompress { format } => match format {
            Format::Deflate | Format::Zlib | Format::Gzip => (3.4, 1350.0),
            Format::Lz4 | Format::Lz4Hadoop => (0.7, 10_000.0),
            Format::Snappy => (0.4, 6900.0),
            Format::Zstd => (2.7, 2200.0),
            Format::Brotli => (6.5, 350.0),
        },
        Operation::Compress { format, level } => match format {
            Format::Deflate | Format::Zlib | Format::Gzip => (0.5, at(DEFLATE, level.value())),
            Format::Lz4 | Format::Lz4Hadoop => (2.1, 3100.0),
            Format::Snappy => (0.5, 3000.0),
            Format::Zstd => (2.0, at(ZSTD, level.value())),
            Format::Brotli => (6.0, at(BROTLI, level.value())),
        },
        Operation::CompressPart { level } => (0.5, at(DEFLATE, level.value())),
        // The test takes little time in comparison.
        Operation::TestMembership { format } => return seed(Operation::Decompress { format }),
        // From the second-level cache; memory gives a quarter of it.
        Operation::Checksum { kind } => match kind {
            Checksum::Crc32 | Checksum::Crc32c | Checksum::Crc64 => (0.4, 65_000.0),
            Checksum::Adler32 => (0.4, 53_000.0),
            Checksum::Xxh64 => (0.4, 23_000.0),
        },
        // An operation that this device does not support.
        _ => (1.0, 1.0),
    };
    Cost {
        setup: Duration::from_nanos((microseconds * 1e3) as u64),
        bytes_per_second: megabytes_per_second * 1e6,
    }
}

/// Returns the bandwidth of the highest level in the table up to `level`.
fn at(levels: &Levels, level: i32) -> f64 {
    let row = levels.iter().rev().find(|(lowest, _)| *lowest <= level).or(levels.first());
    row.map_or(1.0, |(_, bandwidth)| *bandwidth)
}

#[cfg(test)]
mod tests;
