//! Parser of page headers: the Thrift struct in front of each page with its kind and size.
//!
//! Source: parquet-format, `src/main/thrift/parquet.thrift`, `PageHeader` and its structs.
//! parquet-rs's own parser is private and parses each header when its page is decoded. Here all
//! headers of a row group are parsed first, so that its pages become one batch of jobs.

pub mod thrift;

use parquet::basic::Encoding;
use thrift::{Reader, ThriftError};

/// Kind of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageKind {
    /// The dictionary of the chunk.
    Dictionary {
        /// The values are sorted.
        is_sorted: bool,
    },
    /// Values with their levels, all compressed together.
    DataV1 {
        /// Encoding of the definition levels.
        definition_levels: Encoding,
        /// Encoding of the repetition levels.
        repetition_levels: Encoding,
    },
    /// Values with uncompressed levels in front.
    DataV2 {
        /// Nulls among the values.
        num_nulls: u32,
        /// Rows in the page.
        num_rows: u32,
        /// Bytes of definition levels.
        definition_bytes: u32,
        /// Bytes of repetition levels, which precede the definition levels.
        repetition_bytes: u32,
        /// Whether the values are compressed.
        is_compressed: bool,
    },
}

/// A page header. Everything that needs no page was validated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageHeader {
    /// Kind of the page.
    pub kind: PageKind,
    /// Values in the page, nulls included.
    pub num_values: u32,
    /// Encoding of the values.
    pub encoding: Encoding,
    /// Bytes of the page after decompression, levels included.
    pub uncompressed_size: usize,
    /// Bytes of the page in the file, without this header.
    pub compressed_size: usize,
    /// CRC-32 of the page's bytes in the file.
    pub crc: Option<u32>,
}

impl PageHeader {
    /// Returns whether the values of a data page are dictionary indices.
    pub(crate) fn is_dictionary_encoded(&self) -> bool {
        matches!(self.encoding, Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY)
            && !matches!(self.kind, PageKind::Dictionary { .. })
    }
}

/// Reason to refuse a header.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// The bytes are not Thrift.
    #[error(transparent)]
    Thrift(#[from] ThriftError),
    /// A required field is absent.
    #[error("it has no {0}")]
    Missing(&'static str),
    /// A field has an invalid value.
    #[error("its {0} is {1}")]
    Bad(&'static str, i64),
}

type Result<T> = std::result::Result<T, HeaderError>;

/// Result of parsing a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parsed {
    /// A page to read.
    Page(PageHeader),
    /// Size in the file of a page of another type, such as an index page. Readers skip it.
    Other(usize),
}

/// Parses the header at the front of `bytes`, and returns its length too.
pub fn parse(bytes: &[u8]) -> Result<(Parsed, usize)> {
    let mut reader = Reader::new(bytes);
    let mut raw = RawHeader::default();
    let mut last = 0;
    while let Some((id, kind)) = reader.field(&mut last)? {
        match id {
            1 => raw.page_type = Some(reader.any_i32(kind)?),
            2 => raw.uncompressed_size = Some(reader.any_i32(kind)?),
            3 => raw.compressed_size = Some(reader.any_i32(kind)?),
            4 => raw.crc = Some(reader.any_i32(kind)? as u32),
            5 | 7 | 8 if kind == thrift::kind::STRUCT => {
                raw.body[usize::from(id as u16 - 5)] = Some(body(&mut reader)?)
            }
            _ => reader.skip(kind)?,
        }
    }
    Ok((raw.check()?, reader.position()))
}

/// Indices of the page types in [`RawHeader::body`]: their Thrift field ids, counted from the
/// first.
const DATA_V1: usize = 0;
const DICTIONARY: usize = 2;
const DATA_V2: usize = 3;

#[derive(Default)]
struct RawHeader {
    page_type: Option<i32>,
    uncompressed_size: Option<i32>,
    compressed_size: Option<i32>,
    crc: Option<u32>,
    body: [Option<Body>; 4],
}

/// Integers and booleans of a header's inner struct, by field id. The meaning of an id differs by
/// page type; no type has more than seven plain fields.
type Body = [Option<i32>; 8];

fn body(reader: &mut Reader<'_>) -> Result<Body> {
    let mut fields = Body::default();
    let mut last = 0;
    while let Some((id, kind)) = reader.field(&mut last)? {
        match (id, kind) {
            (1..=7, kind) if thrift::is_integer(kind) => fields[id as usize] = Some(reader.any_i32(kind)?),
            (1..=7, thrift::kind::TRUE | thrift::kind::FALSE) => {
                fields[id as usize] = Some(reader.bool(kind)?.into())
            }
            _ => reader.skip(kind)?,
        }
    }
    Ok(fields)
}

fn size(name: &'static str, value: Option<i32>) -> Result<u32> {
    let value = value.ok_or(HeaderError::Missing(name))?;
    u32::try_from(value).map_err(|_| HeaderError::Bad(name, value.into()))
}

fn encoding(name: &'static str, value: Option<i32>) -> Result<Encoding> {
    // parquet.thrift, enum Encoding; 1 was never used
    Ok(match value.ok_or(HeaderError::Missing(name))? {
        0 => Encoding::PLAIN,
        2 => Encoding::PLAIN_DICTIONARY,
        3 => Encoding::RLE,
        #[allow(deprecated)] // old files name it for their levels
        4 => Encoding::BIT_PACKED,
        5 => Encoding::DELTA_BINARY_PACKED,
        6 => Encoding::DELTA_LENGTH_BYTE_ARRAY,
        7 => Encoding::DELTA_BYTE_ARRAY,
        8 => Encoding::RLE_DICTIONARY,
        9 => Encoding::BYTE_STREAM_SPLIT,
        other => return Err(HeaderError::Bad(name, other.into())),
    })
}

impl RawHeader {
    fn check(self) -> Result<Parsed> {
        let uncompressed_size = size("uncompressed size", self.uncompressed_size)? as usize;
        let compressed_size = size("compressed size", self.compressed_size)? as usize;
        // parquet.thrift, enum PageType
        let (index, name) = match self.page_type.ok_or(HeaderError::Missing("page type"))? {
            0 => (DATA_V1, "data page header"),
            2 => (DICTIONARY, "dictionary page header"),
            3 => (DATA_V2, "data page header (v2)"),
            _ => return Ok(Parsed::Other(compressed_size)),
        };
        let body = self.body[index].ok_or(HeaderError::Missing(name))?;
        let num_values = size("number of values", body[1])?;
        let (kind, values) = match index {
            DATA_V1 => (
                PageKind::DataV1 {
                    definition_levels: encoding("encoding of definition levels", body[3])?,
                    repetition_levels: encoding("encoding of repetition levels", body[4])?,
                },
                body[2],
            ),
            DICTIONARY => (PageKind::Dictionary { is_sorted: body[3] == Some(1) }, body[2]),
            _ => {
                let definition_bytes = size("bytes of definition levels", body[5])?;
                let repetition_bytes = size("bytes of repetition levels", body[6])?;
                let levels = u64::from(definition_bytes) + u64::from(repetition_bytes);
                if levels > uncompressed_size.min(compressed_size) as u64 {
                    return Err(HeaderError::Bad("bytes of levels", levels as i64));
                }
                let kind = PageKind::DataV2 {
                    num_nulls: size("number of nulls", body[2])?,
                    num_rows: size("number of rows", body[3])?,
                    definition_bytes,
                    repetition_bytes,
                    is_compressed: body[7] != Some(0),
                };
                (kind, body[4])
            }
        };
        let encoding = encoding("encoding", values)?;
        Ok(Parsed::Page(PageHeader {
            kind,
            num_values,
            encoding,
            uncompressed_size,
            compressed_size,
            crc: self.crc,
        }))
    }
}

#[cfg(test)]
mod tests;
