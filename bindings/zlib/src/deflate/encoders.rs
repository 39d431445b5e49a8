//! Pool of the encoders' tables, which a stream borrows for the time of a call.

use pelton_codec::{BlockEncoder, IsaLevel, RawEncoder};

use crate::pool::Pool;
use crate::settings::settings;

/// What is needed to compress, but only during a call.
pub struct Encoders {
    pub blocks: BlockEncoder,
    pub one_shot: RawEncoder,
}

/// The coders of the process.
pub static ENCODERS: Pool<Encoders> = Pool::new();

impl Encoders {
    pub fn new() -> Self {
        Self::with(settings().instructions)
    }

    /// Coders that take no faster steps than these.
    pub fn with(steps: IsaLevel) -> Self {
        Self { blocks: BlockEncoder::with_isa_level(steps), one_shot: RawEncoder::with_isa_level(steps) }
    }
}
