//! Encoders that streams share.

use pelton_codec::{BlockEncoder, IsaLevel, RawEncoder};

use super::fallback::FallbackMemory;
use crate::pool::Pool;
use crate::settings::settings;

/// Encoders with their tables, which a stream borrows for the time of a call.
pub struct Encoders {
    pub blocks: BlockEncoder,
    pub one_shot: RawEncoder,
    /// Memory of a stream of zlib-rs.
    pub fallback: FallbackMemory,
    /// Scratch memory: the compressed sample of a trial.
    pub sample: Vec<u8>,
}

/// The encoders of the process.
pub static ENCODERS: Pool<Encoders> = Pool::new();

impl Encoders {
    pub fn new() -> Self {
        Self::with(settings().instructions)
    }

    /// Returns encoders limited to an ISA level.
    pub fn with(steps: IsaLevel) -> Self {
        Self {
            blocks: BlockEncoder::with_isa_level(steps),
            one_shot: RawEncoder::with_isa_level(steps),
            fallback: FallbackMemory::new(),
            sample: Vec::new(),
        }
    }
}
