//! Raw streams and nothing else, for those who write and check the containers themselves: a zlib. Other formats are not linked.

use super::isa::Steps;
use super::{Decoder, Encoder, SegmentError};
use crate::deflate::encoder::fixed as fixed_encoder;
use crate::deflate::inflate::{fixed, stored};
use crate::{Error, Format, Level, Progress};

/// Decompresses whole raw DEFLATE streams, keeping its state between them. One for a thread.
#[derive(Default)]
pub struct RawDecoder(Decoder);

impl RawDecoder {
    /// A decoder. Its state, of 12 KB, and of 125 KB for streams of 2.5 KB and up, is made when it is first used.
    pub const fn new() -> Self {
        Self(Decoder::new())
    }

    /// Decodes the stream at the start of `input`. `None` if it isn't whole, isn't right or doesn't fit, whichever it is,
    /// without the time that it takes to find out: for those who have another decoder to go on with.
    pub fn decompress(&mut self, input: &[u8], output: &mut [u8]) -> Option<Progress> {
        if let Some(done) = fixed::decode(input, output).or_else(|| stored::decode(input, output)) {
            return Some(done);
        }
        let expected = Progress { consumed: input.len(), produced: output.len() };
        match self.0.in_segments(expected, input, output) {
            Some(Ok(done)) => Some(done),
            Some(Err(SegmentError::Undecodable)) => None,
            Some(Err(SegmentError::GivenUp)) | None => self.0.libdeflate()?.decompress(input, output).ok(),
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
    pub fn with_steps(steps: Steps) -> Self {
        Self(Encoder::with_steps(steps))
    }

    /// Compresses `input` at a level from 0 to 12, and returns how long the stream is.
    ///
    /// # Errors
    /// `BadLevel`, `OutOfMemory`, and `OutputTooSmall` if the stream does not fit.
    pub fn compress(&mut self, level: i32, input: &[u8], output: &mut [u8]) -> Result<usize, Error> {
        let level = Level::new(Format::Deflate, level)?;
        if input.len() <= fixed_encoder::LONGEST && level.value() > 0 {
            let (format, room) = (Format::Deflate, output.len());
            return fixed_encoder::encode(input, output).ok_or(Error::OutputTooSmall { format, room });
        }
        self.0.compress(level, input, output)
    }
}
