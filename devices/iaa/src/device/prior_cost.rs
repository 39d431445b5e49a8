//! Prior cost of each operation, before any job was measured.
//!
//! The bandwidths are published for a machine and divided by its engines, because a job runs on one
//! engine. The setup time is that of another accelerator. The model's clock has the same figures,
//! and docs/iaa.md ("Costs") has their sources. They give an order of magnitude.

use std::time::Duration;

use pelton_job::{Cost, Operation};

/// Engines of the measured machine.
const ENGINES: f64 = 32.0;
/// Decompressed bytes per second.
const DECOMPRESS: f64 = 18.24e9 / ENGINES;
/// Uncompressed bytes per second of compression.
const COMPRESS: f64 = 4.59e9 / ENGINES;
/// Bytes per second of other operations, which are assumed to be as fast as decompression: the
/// device computes the CRC of its output on the way.
const CHECKSUM: f64 = DECOMPRESS;
/// Time of a job without bytes.
const SETUP: Duration = Duration::from_nanos(780);

/// Returns the cost of one job on one engine.
pub(super) fn prior_cost(operation: Operation) -> Cost {
    let bytes_per_second = match operation {
        Operation::Compress { .. } | Operation::CompressPart { .. } => COMPRESS,
        Operation::Checksum { .. } => CHECKSUM,
        _ => DECOMPRESS,
    };
    Cost { setup: SETUP, bytes_per_second }
}
