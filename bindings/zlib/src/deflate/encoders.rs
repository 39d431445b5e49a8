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
    /// Scratch memory: one-shot output, as encoders write past its end.
    output: Vec<u8>,
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
            output: Vec::new(),
        }
    }

    /// Reserves scratch memory for one-shot output of up to `len` bytes; `None` without memory.
    pub fn reserve_output(&mut self, len: usize) -> Option<()> {
        self.output.try_reserve_exact(len.saturating_sub(self.output.len())).ok()
    }

    /// Runs `compress` on scratch memory of the size of `output`, up to `max_len` bytes, and copies
    /// its output, so that `output` stays as it is behind that. Returns the size.
    pub fn compress_exactly(
        &mut self,
        output: &mut [u8],
        max_len: usize,
        compress: impl FnOnce(&mut Self, &mut [u8]) -> Option<usize>,
    ) -> Option<usize> {
        let room = output.len().min(max_len);
        self.reserve_output(room)?;
        let mut scratch = std::mem::take(&mut self.output);
        scratch.resize(scratch.len().max(room), 0);
        let len = compress(self, &mut scratch[..room]);
        if let Some(len) = len {
            output[..len].copy_from_slice(&scratch[..len]);
        }
        self.output = scratch;
        len
    }
}
