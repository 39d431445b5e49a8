//! gzip members (RFC 1952): a header of ten bytes and optional fields, a raw stream, a CRC-32 and a
//! length.

use super::Decoder;
use crate::{Checksum, Error, Format, Progress, checksum};

const FORMAT: Format = Format::Gzip;
const TRUNCATED: Error = Error::Truncated { format: FORMAT };
/// ID1 and ID2.
const MAGIC: [u8; 2] = [0x1f, 0x8b];
/// CM: DEFLATE, the only method there is.
const METHOD_DEFLATE: u8 = 8;
/// ID1, ID2, CM, FLG, MTIME (4), XFL and OS.
const FIXED: usize = 10;
/// CRC32 and ISIZE.
const TRAILER: usize = 8;

/// OS: not known.
const UNKNOWN_OS: u8 = 255;

/// The header of a member without a name or a time.
pub(super) const HEADER: [u8; FIXED] = [MAGIC[0], MAGIC[1], METHOD_DEFLATE, 0, 0, 0, 0, 0, 0, UNKNOWN_OS];

// FLG. The lowest bit (FTEXT) is a hint without a field; the highest three are reserved, and zero.
const HEADER_CRC: u8 = 1 << 1;
const EXTRA: u8 = 1 << 2;
const NAME: u8 = 1 << 3;
const COMMENT: u8 = 1 << 4;
const RESERVED: u8 = 0b1110_0000;

/// Identifier of our own extra subfield (RFC 1952), of one byte: the binary logarithm of the
/// maximum distance of matches. Some hardware has a window of only 4 KB, and no other field of a
/// gzip header gives the distance.
const WINDOW_FIELD: [u8; 2] = *b"PW";
/// SI1, SI2, LEN (2) and the byte.
const WINDOW_FIELD_LEN: u16 = 5;

/// Returns the header of a member with matches of at most `1 << window_log2` bytes back.
pub(super) fn header_of(window_log2: u8) -> Vec<u8> {
    let mut header = HEADER.to_vec();
    header[3] = EXTRA;
    header.extend(WINDOW_FIELD_LEN.to_le_bytes());
    header.extend(WINDOW_FIELD);
    header.extend([1, 0, window_log2]);
    header
}

/// Returns the maximum distance of matches that a checked header declares.
pub(super) fn window(header: &[u8]) -> Option<usize> {
    if header.get(3)? & EXTRA == 0 {
        return None;
    }
    let (len, rest) = header.get(FIXED..)?.split_first_chunk::<2>()?;
    let mut fields = rest.get(..usize::from(u16::from_le_bytes(*len)))?;
    while let Some(([si1, si2, low, high], rest)) = fields.split_first_chunk() {
        let (data, rest) = rest.split_at_checked(usize::from(u16::from_le_bytes([*low, *high])))?;
        match (&[*si1, *si2], data) {
            (&WINDOW_FIELD, [log2 @ 8..=15]) => return Some(1 << log2),
            _ => fields = rest,
        }
    }
    None
}

/// Decodes members until other bytes follow.
pub(crate) fn decompress(raw: &mut Decoder, input: &[u8], output: &mut [u8]) -> Result<Progress, Error> {
    let capacity = output.len();
    let mut done = Progress::default();
    // A member is taken to be as long as the one before it.
    let mut expected = Progress { consumed: input.len(), produced: output.len() };
    loop {
        let part = member(raw, expected, &input[done.consumed..], &mut output[done.produced..]).map_err(
            |e| match e {
                // The caller's output, not the part that earlier members left.
                Error::OutputTooSmall { format, .. } => Error::OutputTooSmall { format, room: capacity },
                other => other,
            },
        )?;
        expected = part;
        done.consumed += part.consumed;
        done.produced += part.produced;
        if !is_member(&input[done.consumed..]) {
            return Ok(done);
        }
    }
}

fn member(raw: &mut Decoder, expected: Progress, input: &[u8], output: &mut [u8]) -> Result<Progress, Error> {
    let header = header_len(input)?;
    let body = raw.raw(FORMAT, expected, &input[header..], output)?;
    let consumed = check_trailer(input, header + body.consumed, &output[..body.produced])?;
    Ok(Progress { consumed, produced: body.produced })
}

/// Returns whether the bytes after a member are another one.
pub(super) fn is_member(input: &[u8]) -> bool {
    input.starts_with(&MAGIC)
}

/// Returns the trailer: the CRC-32, and the length modulo 2^32.
pub(super) fn trailer(uncompressed: &[u8]) -> [u8; TRAILER] {
    trailer_of(checksum(Checksum::Crc32, uncompressed) as u32, uncompressed.len())
}

/// [`trailer`] of data with this CRC-32 and length.
pub(super) fn trailer_of(crc: u32, uncompressed_len: usize) -> [u8; TRAILER] {
    let crc = crc.to_le_bytes();
    let len = (uncompressed_len as u32).to_le_bytes();
    [crc[0], crc[1], crc[2], crc[3], len[0], len[1], len[2], len[3]]
}

/// Checks the trailer at `end` of `input`, and returns the end of the member.
pub(super) fn check_trailer(input: &[u8], end: usize, uncompressed: &[u8]) -> Result<usize, Error> {
    check_checksum(input, end, checksum(Checksum::Crc32, uncompressed) as u32, uncompressed.len())
}

/// [`check_trailer`] for data with this CRC-32 and length.
pub(super) fn check_checksum(
    input: &[u8],
    end: usize,
    crc: u32,
    uncompressed_len: usize,
) -> Result<usize, Error> {
    let trailer: &[u8; TRAILER] = input.get(end..).and_then(<[u8]>::first_chunk).ok_or(TRUNCATED)?;
    let [c0, c1, c2, c3, l0, l1, l2, l3] = *trailer;
    if crc != u32::from_le_bytes([c0, c1, c2, c3]) {
        return Err(corrupt("the CRC-32 does not match the data"));
    }
    // ISIZE is the length modulo 2^32.
    if uncompressed_len as u32 != u32::from_le_bytes([l0, l1, l2, l3]) {
        return Err(corrupt("the length at the end of the member does not match the data"));
    }
    Ok(end + TRAILER)
}

/// Checks a member's header and returns its length.
pub(super) fn header_len(input: &[u8]) -> Result<usize, Error> {
    let magic = input.len().min(MAGIC.len());
    if input[..magic] != MAGIC[..magic] {
        return Err(corrupt("not a gzip header"));
    }
    let fixed: &[u8; FIXED] = input.first_chunk().ok_or(TRUNCATED)?;
    let flags = fixed[3];
    if fixed[2] != METHOD_DEFLATE {
        return Err(corrupt("the compression method is not DEFLATE"));
    }
    if flags & RESERVED != 0 {
        return Err(corrupt("reserved header flags are set"));
    }
    let mut at = FIXED;
    if flags & EXTRA != 0 {
        let len: &[u8; 2] = input[at..].first_chunk().ok_or(TRUNCATED)?;
        at += len.len() + usize::from(u16::from_le_bytes(*len));
    }
    for string in [NAME, COMMENT] {
        if flags & string != 0 {
            let rest = input.get(at..).ok_or(TRUNCATED)?;
            at += rest.iter().position(|&byte| byte == 0).ok_or(TRUNCATED)? + 1;
        }
    }
    if flags & HEADER_CRC != 0 {
        let covered = input.get(..at).ok_or(TRUNCATED)?;
        let crc: &[u8; 2] = input[at..].first_chunk().ok_or(TRUNCATED)?;
        // CRC16 is the low half of the CRC-32 of all header bytes before it.
        if checksum(Checksum::Crc32, covered) as u16 != u16::from_le_bytes(*crc) {
            return Err(corrupt("the header's CRC does not match it"));
        }
        at += crc.len();
    }
    if at > input.len() { Err(TRUNCATED) } else { Ok(at) }
}

fn corrupt(what: &'static str) -> Error {
    Error::Corrupt { format: FORMAT, what }
}
