//! Decoder and encoder of raw streams only, for callers that handle containers themselves, such as
//! a zlib. Other formats are not linked.

use std::ops::ControlFlow;

use super::isa::IsaLevel;
use super::{Decoder, Encoder, SpeculativeError};
use crate::deflate::encoder::fixed as fixed_encoder;
use crate::deflate::inflate::{fixed, stored};
use crate::{Error, Format, Level, Progress};

/// Ways to decode a stream that is not decoded in segments from the start to the end.
enum Way {
    Serial,
    /// From the block in which it was given up.
    InStretches,
}

/// Decompresses whole raw DEFLATE streams, keeping its state between them. One for a thread.
#[derive(Default)]
pub struct RawDecoder(Decoder);

impl RawDecoder {
    /// Returns a decoder. Its state is made when it is first used: a window of 112 KB, and about
    /// twice that for longer streams.
    pub const fn new() -> Self {
        Self(Decoder::new())
    }

    /// The same, but no higher ISA level is used.
    pub const fn with_isa_level(isa_level: IsaLevel) -> Self {
        Self(Decoder::with_isa_level(isa_level))
    }

    /// Reserves its state; `None` without memory. No call needs more.
    pub fn reserve(&mut self) -> Option<()> {
        self.0.reserve()
    }

    /// Decodes the stream at the start of `input`. `None` if it is incomplete, invalid or does not
    /// fit, without the time that a diagnosis takes: for callers with a decoder to fall back to.
    /// Output bytes behind the data, or behind the place of a fault, stay as they are.
    pub fn decompress(&mut self, input: &[u8], output: &mut [u8]) -> Option<Progress> {
        match self.quickly(input, output) {
            ControlFlow::Break(done) => done,
            ControlFlow::Continue(Way::InStretches) => self.0.in_stretches(input, output),
            ControlFlow::Continue(Way::Serial) => self.0.whole()?.decode(input, output),
        }
    }

    /// Decodes streams that are faster by other means than from start to end, or returns how to go
    /// on with one that is not, or is only up to some block.
    fn quickly(&mut self, input: &[u8], output: &mut [u8]) -> ControlFlow<Option<Progress>, Way> {
        if let Some(done) = fixed::decode(input, output).or_else(|| stored::decode(input, output)) {
            return ControlFlow::Break(Some(done));
        }
        let expected = Progress { consumed: input.len(), produced: output.len() };
        match self.0.speculatively(expected, input, output) {
            Some(Ok(done)) => ControlFlow::Break(Some(done)),
            Some(Err(SpeculativeError::Undecodable)) => ControlFlow::Break(None),
            Some(Err(SpeculativeError::GivenUp)) => ControlFlow::Continue(Way::InStretches),
            None => ControlFlow::Continue(Way::Serial),
        }
    }
}

/// Compresses whole raw DEFLATE streams, keeping its state between them. One for a thread.
#[derive(Default)]
pub struct RawEncoder(Encoder);

impl RawEncoder {
    /// An encoder. Its state, 0.7 to 2 MB by level, is made when it is first used.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, but no faster steps than these are taken where it compresses in blocks.
    pub fn with_isa_level(isa_level: IsaLevel) -> Self {
        Self(Encoder::with_isa_level(isa_level))
    }

    /// Reserves the memory for inputs of up to `len` bytes, with libdeflate at `levels`, of which
    /// there are at most four: no call at these needs more.
    ///
    /// # Errors
    /// `BadLevel`, `OutOfMemory`.
    pub fn reserve(&mut self, levels: &[i32], len: usize) -> Result<(), Error> {
        self.0.reserve(levels, len)
    }

    /// Compresses `input` at a level from 0 to 12, and returns how long the stream is.
    ///
    /// # Errors
    /// `BadLevel`, `OutOfMemory`, and `OutputTooSmall` if the stream does not fit.
    pub fn compress(&mut self, level: i32, input: &[u8], output: &mut [u8]) -> Result<usize, Error> {
        let level = Level::new(Format::Deflate, level)?;
        if input.len() <= fixed_encoder::MAX_INPUT && level.value() > 0 {
            let (format, capacity) = (Format::Deflate, output.len());
            return fixed_encoder::encode(input, output)
                .ok_or(Error::OutputTooSmall { format, room: capacity });
        }
        self.0.compress(level, input, output)
    }

    /// Compresses `input` with libdeflate at a level from 1 to 12, for callers that choose the
    /// encoder themselves.
    ///
    /// # Errors
    /// As [`Self::compress`].
    pub fn compress_with_libdeflate(
        &mut self,
        level: i32,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<usize, Error> {
        let (format, capacity) = (Format::Deflate, output.len());
        let compressor = self.0.libdeflate(Level::new(format, level)?)?;
        compressor.compress(format, input, output).ok_or(Error::OutputTooSmall { format, room: capacity })
    }
}
