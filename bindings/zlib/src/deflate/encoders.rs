//! Encoders that streams share.

use pelton_codec::{BlockEncoder, IsaLevel, RawEncoder};

use crate::pool::Pool;
use crate::settings::settings;

/// Encoders with their tables, which a stream borrows for the time of a call.
pub struct Encoders {
    pub blocks: BlockEncoder,
    pub one_shot: RawEncoder,
}

/// The encoders of the process.
pub static ENCODERS: Pool<Encoders> = Pool::new();

impl Encoders {
    pub fn new() -> Self {
        Self::with(settings().instructions)
    }

    /// Returns encoders limited to an ISA level.
    pub fn with(steps: IsaLevel) -> Self {
        Self { blocks: BlockEncoder::with_isa_level(steps), one_shot: RawEncoder::with_isa_level(steps) }
    }
}
