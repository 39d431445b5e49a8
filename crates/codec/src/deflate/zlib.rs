//! The zlib container (RFC 1950): two bytes of header, a raw stream, an Adler-32.

use super::{Decoder, Window};
use crate::{Checksum, Error, Format, Progress, checksum};

const FORMAT: Format = Format::Zlib;
/// CM of RFC 1950: DEFLATE, the only method there is.
const METHOD_DEFLATE: u8 = 8;
/// CINFO of a 32 KiB window, the largest: log2 of the window less eight.
const MAX_WINDOW: u8 = 7;
/// Difference between log2 of the window and CINFO.
const WINDOW_LOG2_BASE: u8 = 8;
/// FDICT: the stream starts from a preset dictionary.
const PRESET_DICTIONARY: u8 = 1 << 5;

pub(crate) fn decompress(raw: &mut Decoder, input: &[u8], output: &mut [u8]) -> Result<Progress, Error> {
    let header = header_len(input)?;
    let expected = Progress { consumed: input.len(), produced: output.len() };
    let body = raw.raw(FORMAT, expected, &input[header..], output)?;
    let consumed = check_trailer(input, header + body.consumed, &output[..body.produced])?;
    Ok(Progress { consumed, produced: body.produced })
}

/// Checks the header and returns its length.
pub(super) fn header_len(input: &[u8]) -> Result<usize, Error> {
    let header: &[u8; 2] = input.first_chunk().ok_or(Error::Truncated { format: FORMAT })?;
    check_header(*header)?;
    Ok(header.len())
}

/// Returns the header of a stream, which declares roughly its level (FLEVEL) and the maximum
/// distance of its matches (CINFO).
pub(super) fn header(level: i32, window: Window) -> [u8; 2] {
    header_of(level, window.bytes().ilog2() as u8)
}

/// Returns the [`header`] of a stream with matches of at most `1 << window_log2` bytes back.
pub(super) fn header_of(level: i32, window_log2: u8) -> [u8; 2] {
    let level_class: u16 = match level {
        ..=1 => 0,
        2..=5 => 1,
        6 => 2,
        _ => 3,
    };
    let header = u16::from((window_log2 - WINDOW_LOG2_BASE) << 4 | METHOD_DEFLATE) << 8 | level_class << 6;
    // FCHECK makes it a multiple of 31.
    (header + (31 - header % 31)).to_be_bytes()
}

/// Returns the trailer.
pub(super) fn trailer(uncompressed: &[u8]) -> [u8; 4] {
    (checksum(Checksum::Adler32, uncompressed) as u32).to_be_bytes()
}

/// Checks the trailer at `end` of `input`, and returns its end.
pub(super) fn check_trailer(input: &[u8], end: usize, uncompressed: &[u8]) -> Result<usize, Error> {
    check_checksum(input, end, checksum(Checksum::Adler32, uncompressed) as u32)
}

/// Returns the maximum distance of matches that a checked header declares.
pub(super) fn window(header: &[u8]) -> Option<usize> {
    header.first().map(|cmf| 1 << ((cmf >> 4) + WINDOW_LOG2_BASE))
}

/// [`check_trailer`] for data with this Adler-32.
pub(super) fn check_checksum(input: &[u8], end: usize, adler: u32) -> Result<usize, Error> {
    let truncated = Error::Truncated { format: FORMAT };
    let trailer: &[u8; 4] = input.get(end..).and_then(<[u8]>::first_chunk).ok_or(truncated)?;
    if adler != u32::from_be_bytes(*trailer) {
        return Err(corrupt("the Adler-32 does not match the data"));
    }
    Ok(end + trailer.len())
}

fn check_header([cmf, flg]: [u8; 2]) -> Result<(), Error> {
    if !u16::from_be_bytes([cmf, flg]).is_multiple_of(31) {
        return Err(corrupt("not a zlib header"));
    }
    if cmf & 0xf != METHOD_DEFLATE {
        return Err(corrupt("the compression method is not DEFLATE"));
    }
    if cmf >> 4 > MAX_WINDOW {
        return Err(corrupt("the window is larger than 32 KiB"));
    }
    if flg & PRESET_DICTIONARY != 0 {
        return Err(corrupt("a preset dictionary is needed, which a block does not have"));
    }
    Ok(())
}

fn corrupt(what: &'static str) -> Error {
    Error::Corrupt { format: FORMAT, what }
}
