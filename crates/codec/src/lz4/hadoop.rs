//! LZ4 in Hadoop's `BlockCompressorStream` framing, which Parquet's deprecated `LZ4` codec means.
//!
//! ```text
//! block := plain size (u32, big-endian)  chunk*        until the chunks have given that many bytes
//! chunk := packed size (u32, big-endian)  raw LZ4 block
//! ```
//! Blocks follow each other to the end of the input. Hadoop writes several chunks in a block when a
//! caller hands it more than its buffer holds; everyone else writes one. Hadoop marks an empty file
//! by a plain size of 0 alone, everyone else writes a chunk after it too.

use crate::{Error, Format, Progress};

const FORMAT: Format = Format::Lz4Hadoop;
/// Hadoop's reader decodes chunks in a buffer of fixed size (`io.compression.codec.lz4.buffersize`)
/// and fails on larger ones. Its writer subtracts LZ4's worst case from that (`Lz4Codec`), and so
/// does this one.
const BLOCK: usize = BUFFER - (BUFFER / 255 + 16);
const BUFFER: usize = 256 * 1024;
/// A plain and a packed size.
const HEADER: usize = 8;

pub(crate) fn decompress(input: &[u8], output: &mut [u8]) -> Result<Progress, Error> {
    let room = output.len();
    let too_small = Error::OutputTooSmall { format: FORMAT, room };
    let mut rest = input;
    let mut produced = 0;
    while !rest.is_empty() {
        let plain = take_u32(&mut rest)?;
        let block = output.get_mut(produced..).and_then(|o| o.get_mut(..plain)).ok_or(too_small.clone())?;
        let mut filled = 0;
        while filled < plain || (plain == 0 && !rest.is_empty()) {
            let packed = take_u32(&mut rest)?;
            let (chunk, after) = rest.split_at_checked(packed).ok_or(Error::Truncated { format: FORMAT })?;
            rest = after;
            let got = super::decompress(chunk, &mut block[filled..]).map_err(of_chunk)?.produced;
            if got == 0 {
                if plain == 0 {
                    break;
                }
                return Err(corrupt("an empty chunk in a block that is not"));
            }
            filled += got;
        }
        produced += plain;
    }
    Ok(Progress { consumed: input.len(), produced })
}

/// A chunk is whole and may not exceed its block, so its faults are faults of the data, not of the
/// caller's slices.
fn of_chunk(error: Error) -> Error {
    match error {
        Error::OutputTooSmall { .. } => corrupt("a block is longer than the plain size in front of it"),
        Error::Truncated { .. } => corrupt("a chunk's data ends before its packed size"),
        Error::Corrupt { what, .. } => corrupt(what),
        other => other,
    }
}

fn take_u32(rest: &mut &[u8]) -> Result<usize, Error> {
    let (size, after) = rest.split_first_chunk::<4>().ok_or(Error::Truncated { format: FORMAT })?;
    *rest = after;
    Ok(u32::from_be_bytes(*size) as usize)
}

fn corrupt(what: &'static str) -> Error {
    Error::Corrupt { format: FORMAT, what }
}

pub(crate) fn compress(
    encoder: &mut super::Encoder,
    input: &[u8],
    output: &mut [u8],
) -> Result<usize, Error> {
    let too_small = Error::OutputTooSmall { format: FORMAT, room: output.len() };
    let mut at = 0;
    for block in blocks(input) {
        let (header, body) = output[at..].split_first_chunk_mut::<HEADER>().ok_or(too_small.clone())?;
        let packed = encoder.compress(block, body).map_err(|_| too_small.clone())?;
        // Both are at most BLOCK's bound, far below 2^32.
        header[..4].copy_from_slice(&(block.len() as u32).to_be_bytes());
        header[4..].copy_from_slice(&(packed as u32).to_be_bytes());
        at += HEADER + packed;
    }
    Ok(at)
}

/// An empty input is one empty block: a page with no block at all is refused by other readers.
fn blocks(input: &[u8]) -> impl Iterator<Item = &[u8]> {
    let empty = input.is_empty().then_some(input);
    input.chunks(BLOCK).chain(empty)
}

pub(crate) fn compress_bound(len: usize) -> usize {
    let of_block = |len| HEADER + super::compress_bound(len);
    (len / BLOCK) * of_block(BLOCK) + of_block(len % BLOCK)
}
