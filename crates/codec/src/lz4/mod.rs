//! Raw LZ4 blocks (lz4_Block_format.md), on lz4_flex's safe decoder and encoder.

pub(crate) mod hadoop;

use std::ops::Range;

use lz4_flex::block::{self, CompressTable, DecompressError};

use crate::{Error, Format, Progress};

const FORMAT: Format = Format::Lz4;
/// LZ4_MAX_INPUT_SIZE of the reference implementation: no reader must be expected to take more.
const MAX_INPUT: usize = 0x7E00_0000;

pub(crate) fn decompress(input: &[u8], output: &mut [u8]) -> Result<Progress, Error> {
    match block::decompress_into(input, output) {
        Ok(produced) => Ok(Progress { consumed: input.len(), produced }),
        Err(e) => Err(match e {
            DecompressError::OutputTooSmall { .. } => {
                Error::OutputTooSmall { format: FORMAT, room: output.len() }
            }
            DecompressError::ExpectedAnotherByte | DecompressError::LiteralOutOfBounds => {
                Error::Truncated { format: FORMAT }
            }
            DecompressError::OffsetZero => Error::Corrupt { format: FORMAT, what: "a match has offset 0" },
            DecompressError::OffsetOutOfBounds => {
                Error::Corrupt { format: FORMAT, what: "a match reaches before the start of the block" }
            }
            _ => Error::Corrupt { format: FORMAT, what: "invalid data" },
        }),
    }
}

/// Returns the range of the literals of a block of a single sequence, which has no match then
/// (lz4_Block_format.md, "End of block conditions").
pub(crate) fn stored(input: &[u8]) -> Option<Range<usize>> {
    let (&token, mut rest) = input.split_first()?;
    // The lower half is a match's length. Nothing else than 0 has a meaning here.
    if token & 0x0f != 0 {
        return None;
    }
    let mut len = usize::from(token >> 4);
    if len == 15 {
        loop {
            let (&more, behind) = rest.split_first()?;
            (len, rest) = (len.checked_add(usize::from(more))?, behind);
            if more < u8::MAX {
                break;
            }
        }
    }
    (len == rest.len()).then(|| input.len() - len..input.len())
}

/// Encoder of raw LZ4 blocks alone: for libraries that would otherwise contain the encoders of all
/// formats, which [`crate::Encoder`] chooses from at run time. One for a thread.
///
/// It keeps the hash tables between blocks. lz4_flex has one for inputs below 64 KiB and one for
/// all; which of them a block gets is part of its bytes, and must not depend on earlier blocks.
pub struct Encoder {
    small: CompressTable,
    large: CompressTable,
}

impl Default for Encoder {
    fn default() -> Self {
        Self { small: CompressTable::small(), large: CompressTable::large() }
    }
}

impl Encoder {
    /// Compresses all of `input` into `output` as one block. Returns the bytes written.
    ///
    /// # Errors
    /// [`Error::InputTooLarge`] above LZ4's maximum; [`Error::OutputTooSmall`] if the output has
    /// less than [`Self::bound`] bytes.
    pub fn compress(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Error> {
        if input.len() > MAX_INPUT {
            return Err(Error::InputTooLarge { format: FORMAT, len: input.len(), limit: MAX_INPUT });
        }
        let room = output.len();
        let table = if input.len() < usize::from(u16::MAX) { &mut self.small } else { &mut self.large };
        block::compress_into_with_table(input, output, table)
            .map_err(|_| Error::OutputTooSmall { format: FORMAT, room })
    }

    /// Returns the bytes of an output for any input of `len` bytes.
    pub fn bound(len: usize) -> usize {
        block::get_maximum_output_size(len.min(MAX_INPUT))
    }
}

pub(crate) fn compress_bound(len: usize) -> usize {
    if len > MAX_INPUT { usize::MAX } else { Encoder::bound(len) }
}
