//! What jobs cost before any was seen.
//!
//! From "A Hot Take on the Intel Analytics Accelerator" (Laspias, Pavlo and Patel, ADMS 2025),
//! Table 1: 4 devices, so 32 engines, of a Xeon 8488C decompress 18.24 GB/s and compress 4.59 GB/s
//! of TPC-H's `lineitem`. A job runs on one engine: a 32nd of that. The paper has no figure for the
//! time of a small job; the one here is of IBM's on-chip accelerators, the larger of the two in
//! "Data Compression Accelerator on IBM POWER9 and z15 Processors" (2020), once software's part is
//! hidden. All of it is what the model's clock has (`devices/model/src/iaa/timing.rs`), and an
//! order of magnitude, no more.

use std::time::Duration;

use pelton_job::{Cost, Operation};

/// Engines that the bandwidths were measured with.
const ENGINES: f64 = 32.0;
/// Decompressed bytes a second.
const DECOMPRESS: f64 = 18.24e9 / ENGINES;
/// Bytes a second that are compressed, with all that it takes.
const COMPRESS: f64 = 4.59e9 / ENGINES;
/// Bytes a second that need neither: the paper has no figure. No slower than decompression, whose
/// output the device takes the CRC of as it goes.
const CHECKSUM: f64 = DECOMPRESS;
/// The time of a job without bytes.
const SETUP: Duration = Duration::from_nanos(780);

/// The cost of one job on one engine.
pub(crate) fn seed(operation: Operation) -> Cost {
    let bytes_per_second = match operation {
        Operation::Compress { .. } | Operation::CompressPart { .. } => COMPRESS,
        Operation::Checksum { .. } => CHECKSUM,
        _ => DECOMPRESS,
    };
    Cost { setup: SETUP, bytes_per_second }
}
