//! Header of a gzip member.

use pyo3::prelude::*;

use crate::codec::error::bad_gzip as bad;

// FLG (RFC 1952, 2.3.1).
const HEADER_CRC: u8 = 1 << 1;
const EXTRA: u8 = 1 << 2;
const NAME: u8 = 1 << 3;
const COMMENT: u8 = 1 << 4;
/// ID1, ID2, CM, FLG, MTIME (4), XFL and OS.
const FIXED: usize = 10;
const MAGIC: [u8; 2] = [0x1f, 0x8b];
const METHOD_DEFLATE: u8 = 8;

/// Length and MTIME of a header.
pub struct Header {
    pub len: usize,
    pub mtime: u32,
}

/// Returns the header that `input` starts with; `None` if the header continues after it. The
/// header's own checksum is not compared, as in the standard module.
pub fn parse(input: &[u8]) -> PyResult<Option<Header>> {
    if let Some(magic) = input.get(..2)
        && magic != MAGIC
    {
        return Err(not_gzip(magic));
    }
    if input.get(2).is_some_and(|&method| method != METHOD_DEFLATE) {
        return Err(bad("Unknown compression method".into()));
    }
    Ok(fields(input))
}

/// Returns the error for a file that does not start like gzip.
pub fn not_gzip(start: &[u8]) -> PyErr {
    bad(format!("Not a gzipped file (b'{}')", start.escape_ascii()))
}

fn fields(input: &[u8]) -> Option<Header> {
    let fixed: &[u8; FIXED] = input.first_chunk()?;
    let flags = fixed[3];
    let mtime = u32::from_le_bytes([fixed[4], fixed[5], fixed[6], fixed[7]]);
    let mut len = FIXED;
    if flags & EXTRA != 0 {
        let extra: &[u8; 2] = input.get(len..)?.first_chunk()?;
        len += 2 + usize::from(u16::from_le_bytes(*extra));
    }
    for text in [NAME, COMMENT] {
        if flags & text != 0 {
            len += input.get(len..)?.iter().position(|&byte| byte == 0)? + 1;
        }
    }
    if flags & HEADER_CRC != 0 {
        len += 2;
    }
    (len <= input.len()).then_some(Header { len, mtime })
}
