//! What jobs cost before any was seen.
//!
//! Estimates, not measurements. A job's bytes go up a PCIe 5.0 link and come down again into
//! pageable memory, at about 10 GB/s (`bench-gpu` measures the link), which is less than the
//! kernels are meant to do; a trip takes about 100 microseconds of calls and waits, which a batch's
//! jobs share. The router corrects both by what it sees.

use std::time::Duration;

use pelton_codec::Format;
use pelton_job::{Cost, Operation};

pub(super) fn seed(operation: Operation, is_host: bool) -> Cost {
    // The host build: about what its tests took. It is for tests, and far slower than the
    // processor's own decoders.
    if is_host {
        return Cost { setup: Duration::from_millis(1), bytes_per_second: 5e6 };
    }
    let gigabytes_per_second = match operation {
        // Symbols are decoded one after the other: small batches leave the GPU idle.
        Operation::Decompress { format: Format::Deflate | Format::Zlib | Format::Gzip | Format::Zstd } => 3.0,
        _ => 5.0,
    };
    Cost { setup: Duration::from_micros(20), bytes_per_second: gigabytes_per_second * 1e9 }
}
