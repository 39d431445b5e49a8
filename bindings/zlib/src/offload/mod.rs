//! Offload: jobs for configured accelerators.
//!
//! A stream in one call, a block of a stream, or a stream to decompress is a job, and a router
//! chooses between an accelerator and the calling thread. Without such a setting a call pays for
//! one look at the settings. The calling thread repeats jobs that an accelerator fails.
//!
//! | file | contents |
//! |---|---|
//! | `registry.rs` | the devices of this process, opened when a call first has a job for them |
//! | `caller.rs` | the calling thread, as a device of the router |
//! | `compress.rs`, `decompress.rs` | jobs and their results |
//! | `batch.rs` | batches of blocks |

mod batch;
mod caller;
mod compress;
mod decompress;
mod registry;

/// Frees the decoders that no call has borrowed.
pub fn free_pools() {
    caller::DECODERS.clear();
}

/// Reserves the memory of a decoder, so that a call needs none. Without memory nothing is reserved.
pub fn reserve_decoder() {
    caller::DECODERS.with(new_decoder, |decoder| decoder.reserve());
}

fn new_decoder() -> RawDecoder {
    RawDecoder::with_isa_level(settings().instructions)
}

use pelton_codec::RawDecoder;

use crate::settings::settings;

pub use batch::{run_batch, takes_batches};
pub use compress::{Assignment, InlineRun, JobKind, MIN_LEVEL, assign};
pub use decompress::{Body, decompress};
pub use registry::{has_device, report};

/// Smallest job in uncompressed bytes that the router is asked about: below this, the calling
/// thread is faster than the shortest job of an IAA (`devices/iaa/src/device/prior_cost.rs`).
const MIN_LEN: usize = 1 << 10;
