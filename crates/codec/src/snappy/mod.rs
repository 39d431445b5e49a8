//! Raw Snappy blocks (google/snappy, format_description.txt): decompressed here, interleaved if
//! there are several (`batch`). The `snap` crate compresses them, and names the fault in bad
//! blocks.

mod arch;
mod batch;
mod element;

pub(crate) use batch::{decompress as decompress_batch, gains};

use std::ops::Range;

use crate::{Error, Format, Progress};

const FORMAT: Format = Format::Snappy;
/// The plain size is a varint of at most 32 bits, so of five bytes at most.
const MAX_HEADER: usize = 5;

/// A block claims its plain size in front; `snap` compares it with the output's length before
/// anything else.
pub(crate) fn decompress(input: &[u8], output: &mut [u8]) -> Result<Progress, Error> {
    if let Some(produced) = decode(input, output) {
        return Ok(Progress { consumed: input.len(), produced });
    }
    match snap::raw::Decoder::new().decompress(input, output) {
        Ok(produced) => Ok(Progress { consumed: input.len(), produced }),
        Err(e) => Err(explain(e, input, output.len())),
    }
}

/// Decodes a block that is sound; `None` if it is not.
fn decode(input: &[u8], output: &mut [u8]) -> Option<usize> {
    let (size, from) = header(input)?;
    rest(&input[from..], output.get_mut(..size)?, 0, 0)
}

/// Decodes a block's elements from byte `at` on to its output from byte `done` on, which has the
/// size in the header; `None` if they are not sound.
fn rest(input: &[u8], output: &mut [u8], mut at: usize, mut done: usize) -> Option<usize> {
    loop {
        let (read, written) = arch::decompress(&input[at..], output, done);
        (at, done) = (at + read, written);
        if at == input.len() {
            return (done == output.len()).then_some(done);
        }
        // An element that is long, or close to an end of a buffer, is decoded with bounds checks,
        // and the rest as before.
        let (read, written) = element::decompress(&input[at..], output, done)?;
        (at, done) = (at + read, written);
    }
}

/// Returns the range of the bytes of a block with a literal as its only element.
pub(crate) fn stored(input: &[u8]) -> Option<Range<usize>> {
    let (size, from) = header(input)?;
    let literal = element::literal(&input[from..])?;
    let bytes = from + literal.start..from + literal.end;
    (bytes.len() == size && bytes.end == input.len()).then_some(bytes)
}

/// Returns the plain size, and the start of the elements.
fn header(input: &[u8]) -> Option<(usize, usize)> {
    let mut size = 0_u64;
    for (i, &byte) in input.iter().take(MAX_HEADER).enumerate() {
        size |= u64::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            return Some((usize::try_from(u32::try_from(size).ok()?).ok()?, i + 1));
        }
    }
    None
}

fn explain(error: snap::Error, input: &[u8], room: usize) -> Error {
    use snap::Error as Snap;
    let corrupt = |what| Error::Corrupt { format: FORMAT, what };
    match error {
        Snap::BufferTooSmall { .. } => Error::OutputTooSmall { format: FORMAT, room },
        // All elements were sound, and the next was to come.
        Snap::Empty | Snap::CopyRead { .. } | Snap::HeaderMismatch { .. } => {
            Error::Truncated { format: FORMAT }
        }
        Snap::Literal { len, src_len, .. } if len > src_len => Error::Truncated { format: FORMAT },
        Snap::Literal { .. } | Snap::CopyWrite { .. } => corrupt("the data is longer than its size in front"),
        Snap::Offset { .. } => corrupt("a copy reaches before the start of the block"),
        Snap::Header if input.len() < MAX_HEADER && input.iter().all(|byte| byte & 0x80 != 0) => {
            Error::Truncated { format: FORMAT }
        }
        Snap::Header | Snap::TooBig { .. } => corrupt("the size in front is not a number of 32 bits"),
        _ => corrupt("invalid data"),
    }
}

/// Keeps the hash table between blocks.
pub(crate) struct Encoder(snap::raw::Encoder);

impl Default for Encoder {
    fn default() -> Self {
        Self(snap::raw::Encoder::new())
    }
}

impl Encoder {
    pub(crate) fn compress(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Error> {
        let room = output.len();
        self.0.compress(input, output).map_err(|e| match e {
            snap::Error::TooBig { max, .. } => {
                Error::InputTooLarge { format: FORMAT, len: input.len(), limit: max as usize }
            }
            _ => Error::OutputTooSmall { format: FORMAT, room },
        })
    }
}

pub(crate) fn compress_bound(len: usize) -> usize {
    match snap::raw::max_compress_len(len) {
        0 => usize::MAX,
        bound => bound,
    }
}

#[cfg(test)]
mod tests;
