//! Containers of DEFLATE streams, for callers that decode or encode the raw stream by other means.

use super::{gzip, zlib};
use crate::{Checksum, Error, Format};

/// The container of a DEFLATE stream: none, zlib's or gzip's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Container(Kind);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Raw,
    Zlib,
    Gzip,
}

impl Container {
    /// The container of a format; `None` if that is not DEFLATE.
    pub const fn of(format: Format) -> Option<Self> {
        match format {
            Format::Deflate => Some(Self(Kind::Raw)),
            Format::Zlib => Some(Self(Kind::Zlib)),
            Format::Gzip => Some(Self(Kind::Gzip)),
            _ => None,
        }
    }

    /// The format.
    pub const fn format(self) -> Format {
        match self.0 {
            Kind::Raw => Format::Deflate,
            Kind::Zlib => Format::Zlib,
            Kind::Gzip => Format::Gzip,
        }
    }

    /// The checksum of the uncompressed data that follows the stream.
    pub const fn checksum(self) -> Option<Checksum> {
        match self.0 {
            Kind::Raw => None,
            Kind::Zlib => Some(Checksum::Adler32),
            Kind::Gzip => Some(Checksum::Crc32),
        }
    }

    /// Checks the header that the input starts with, and returns its length.
    ///
    /// # Errors
    /// The header is invalid, or ends too early.
    pub fn header_len(self, input: &[u8]) -> Result<usize, Error> {
        match self.0 {
            Kind::Raw => Ok(0),
            Kind::Zlib => zlib::header_len(input),
            Kind::Gzip => gzip::header_len(input),
        }
    }

    /// Returns the maximum distance of the stream's matches that a [checked](Self::header_len)
    /// header declares; `None` if it declares none.
    pub fn window(self, header: &[u8]) -> Option<usize> {
        match self.0 {
            Kind::Raw => None,
            Kind::Zlib => zlib::window(header),
            Kind::Gzip => gzip::window(header),
        }
    }

    /// Checks the trailer at `end` of `input` against the [checksum](Self::checksum) and the length
    /// of the uncompressed data, and returns its end.
    ///
    /// # Errors
    /// It ends too early, or says something else.
    pub fn check_trailer(
        self,
        input: &[u8],
        end: usize,
        checksum: u32,
        uncompressed_len: usize,
    ) -> Result<usize, Error> {
        match self.0 {
            Kind::Raw => Ok(end),
            Kind::Zlib => zlib::check_checksum(input, end, checksum),
            Kind::Gzip => gzip::check_checksum(input, end, checksum, uncompressed_len),
        }
    }

    /// Returns whether the bytes after a stream and its trailer are another member of the same
    /// block.
    pub fn goes_on(self, rest: &[u8]) -> bool {
        self.0 == Kind::Gzip && gzip::is_member(rest)
    }

    /// Returns the header of a stream written at `level`, which declares the maximum distance of
    /// matches, two to the power of `window_log2`, as far as the format can.
    pub fn header(self, level: i32, window_log2: u8) -> Vec<u8> {
        match self.0 {
            Kind::Raw => Vec::new(),
            Kind::Zlib => zlib::header_of(level, window_log2.clamp(8, 15)).to_vec(),
            Kind::Gzip => gzip::header_of(window_log2.clamp(8, 15)),
        }
    }

    /// Returns the trailer of a stream with this [checksum](Self::checksum) and length of its
    /// uncompressed data.
    pub fn trailer(self, checksum: u32, uncompressed_len: usize) -> Vec<u8> {
        match self.0 {
            Kind::Raw => Vec::new(),
            Kind::Zlib => checksum.to_be_bytes().to_vec(),
            Kind::Gzip => gzip::trailer_of(checksum, uncompressed_len).to_vec(),
        }
    }
}

#[cfg(test)]
mod tests;
