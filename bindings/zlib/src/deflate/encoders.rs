//! Encoders that streams share.

use pelton_codec::{BlockEncoder, IsaLevel, RawEncoder};

use super::fallback::FallbackMemory;
use super::level_trial;
use super::policy::BLOCK;
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

/// Longest input of the one-shot encoder without a trial.
const MAX_ONE_SHOT: usize = 96 << 10;
/// Levels of libdeflate that trials use.
const TRIED: [i32; 2] = [3, 5];
/// Bytes of the longest window.
const WINDOW: usize = 32 << 10;

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

    /// Reserves all memory that blocks and short one-shot input need at a level of zlib's. `None`
    /// without memory.
    pub fn reserve(&mut self, asked: i32) -> Option<()> {
        self.blocks.reserve(WINDOW + BLOCK).ok()?;
        // At level 5, short input is compressed at level 6.
        let own = if asked == 5 { 6 } else { asked };
        self.one_shot.reserve(&[own, TRIED[0], TRIED[1]], MAX_ONE_SHOT).ok()?;
        self.fallback.reserve()?;
        level_trial::reserve(&mut self.sample)
    }
}
