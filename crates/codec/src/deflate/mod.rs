//! DEFLATE and its containers zlib and gzip, by libdeflate and our own code. Each file names its
//! RFC.
//!
//! libdeflate decodes and encodes whole raw streams and containers. The containers are parsed here
//! instead for two reasons: libdeflate does not say whether data is truncated or corrupt, and it
//! does not check gzip's header CRC.
//!
//! `inflate/` decompresses: many streams at once, one by speculative decoding, or one in pieces.
//! `encoder/` compresses; its `level_policy.rs` chooses the encoder.

mod container;
mod encoder;
pub(crate) mod gzip;
mod inflate;
mod isa;
mod raw;
mod sys;
mod tables;
pub(crate) mod zlib;

pub use container::Container;
pub use encoder::bit_writer::{BitWriter, PendingBits};
pub use encoder::block::codes::BlockCodes;
pub use encoder::block_encoder::{BlockEncoder, part_bound};
pub(crate) use encoder::level_policy::Encoder;
pub use encoder::levels::Window;
pub use inflate::batch::{BatchInflater, Stream};
pub use inflate::speculative::{SpeculativeError, SpeculativeInflater};
pub use inflate::streaming::{
    MAX_KEPT as STREAM_MAX_KEPT, StreamFault, StreamInflater, StreamState, StreamStop,
    WINDOW as STREAM_WINDOW,
};
pub use isa::{BatchIsaLevel, IsaLevel};
pub use raw::{RawDecoder, RawEncoder};
pub(crate) use sys::compress_bound;

use std::ops::ControlFlow;

use crate::{Error, Format, Progress};
use inflate::whole::WholeInflater;
use inflate::{diagnose, stored};
use sys::{Decompressor, Failure};

/// Bytes that are decoded one symbol after the other where segments gain nothing: more than the
/// window of matches, and less than most blocks of text.
const STRETCH: usize = 64 << 10;

/// Decodes raw streams; the containers are built on it.
pub(crate) struct Decoder {
    segments: Option<SpeculativeInflater>,
    /// For streams with a checksum.
    libdeflate: Option<Decompressor>,
    /// For streams without one.
    whole: Option<WholeInflater>,
    /// Set if no stream is decoded in segments.
    is_serial: bool,
    /// Highest ISA level.
    isa_level: IsaLevel,
}

impl Default for Decoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Decoder {
    pub(crate) const fn new() -> Self {
        Self::with_isa_level(IsaLevel::Avx512)
    }

    /// One that uses no higher ISA level.
    pub(crate) const fn with_isa_level(isa_level: IsaLevel) -> Self {
        Self { segments: None, libdeflate: None, whole: None, is_serial: false, isa_level }
    }

    /// One that decodes whatever it is from start to end.
    pub(crate) const fn serial() -> Self {
        let isa_level = IsaLevel::Avx512;
        Self { segments: None, libdeflate: None, whole: None, is_serial: true, isa_level }
    }

    /// Makes all states that a raw stream may need; `None` without memory.
    fn reserve(&mut self) -> Option<()> {
        if self.segments.is_none() {
            self.segments = SpeculativeInflater::within(self.isa_level);
        }
        self.whole().map(drop)
    }

    /// Decodes the raw stream at the start of `input`, which is inside a container of `format` or
    /// bare, and probably about as long as `expected`.
    pub(crate) fn raw(
        &mut self,
        format: Format,
        expected: Progress,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<Progress, Error> {
        if !self.is_serial
            && let Some(done) = stored::decode(input, output)
        {
            return Ok(done);
        }
        match self.speculatively(expected, input, output) {
            Some(Ok(done)) => return Ok(done),
            Some(Err(SpeculativeError::GivenUp)) => {
                if let Some(done) = self.in_stretches(input, output) {
                    return Ok(done);
                }
            }
            _ => {}
        }
        if format == Format::Deflate {
            let whole = self.whole().ok_or(Error::OutOfMemory { format })?;
            return whole.decompress(input, output);
        }
        let decompressor = self.libdeflate().ok_or(Error::OutOfMemory { format })?;
        decompressor.decompress(input, output).map_err(|failure| match failure {
            Failure::NoRoom => Error::OutputTooSmall { format, room: output.len() },
            Failure::BadData => match diagnose::diagnose(input) {
                Some(diagnose::Fault::Truncated) => Error::Truncated { format },
                Some(diagnose::Fault::Corrupt(what)) => Error::Corrupt { format, what },
                // libdeflate is the more lenient of the two, so this is not expected.
                None => Error::Corrupt { format, what: "invalid data" },
            },
        })
    }

    /// Decodes it in segments; `None` if that does not gain, or without memory.
    fn speculatively(
        &mut self,
        expected: Progress,
        input: &[u8],
        output: &mut [u8],
    ) -> Option<Result<Progress, SpeculativeError>> {
        if self.is_serial || !SpeculativeInflater::gains(expected.consumed, expected.produced) {
            return None;
        }
        let segments = match &mut self.segments {
            Some(segments) => segments,
            empty => empty.insert(SpeculativeInflater::within(self.isa_level)?),
        };
        Some(segments.inflate(input, output))
    }

    /// Decodes a stream that [`Self::speculatively`] gave up in some block: blocks from there on
    /// one symbol after the other, then in segments again. A stretch that is given up soon doubles
    /// the next one. `None` if the stream is incomplete, invalid or does not fit, or without
    /// memory.
    pub(crate) fn in_stretches(&mut self, input: &[u8], output: &mut [u8]) -> Option<Progress> {
        let mut block = self.segments.as_ref()?.block_given_up();
        let mut stretch = STRETCH;
        loop {
            let enough = block.produced.saturating_add(stretch);
            let next = match self.whole()?.decode_blocks(input, output, block, enough) {
                ControlFlow::Break(done) => return done,
                ControlFlow::Continue(next) => next,
            };
            let segments = self.segments.as_mut()?;
            match segments.inflate_from(input, output, next) {
                Ok(done) => return Some(done),
                Err(SpeculativeError::Undecodable) => return None,
                Err(SpeculativeError::GivenUp) => {}
            }
            block = segments.block_given_up();
            stretch = match block.produced - next.produced > stretch {
                true => STRETCH,
                false => stretch.saturating_mul(2),
            };
        }
    }

    /// `None` without memory.
    fn whole(&mut self) -> Option<&mut WholeInflater> {
        if self.whole.is_none() {
            self.whole = WholeInflater::new(self.isa_level);
        }
        self.whole.as_mut()
    }

    /// `None` without memory.
    fn libdeflate(&mut self) -> Option<&mut Decompressor> {
        if self.libdeflate.is_none() {
            self.libdeflate = Decompressor::new();
        }
        self.libdeflate.as_mut()
    }
}
