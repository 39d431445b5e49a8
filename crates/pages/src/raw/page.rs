//! Raw page, and the raw pages of a column chunk.

use std::ops::Range;

use bytes::Bytes;
use parquet::basic::Compression;
use pelton_codec::Format;

use crate::error::{Cause, Error, Place, Result};
use crate::header::{PageHeader, PageKind};
use crate::load::jobs::check_size;

/// A page as stored in the file.
#[derive(Debug, Clone)]
pub struct RawPage {
    /// Index of the page in its chunk; a dictionary page counts as one.
    pub page: usize,
    /// Its rows in the row group, equal in number to its values; none for a dictionary.
    pub rows: Range<usize>,
    /// Its header.
    pub header: PageHeader,
    /// Bytes after the header, [`PageHeader::compressed_size`] of them.
    pub bytes: Bytes,
}

/// Selected pages of one column chunk.
#[derive(Debug, Clone)]
pub struct RawChunk {
    /// Index of the leaf column in the file's schema.
    pub leaf: usize,
    /// File, row group and column, for errors.
    pub place: Place,
    /// Codec of the pages.
    pub codec: Compression,
    /// The dictionary, if a page needs it.
    pub dictionary: Option<RawPage>,
    /// Data pages in the order of their rows, none of them empty. Rows between two pages are not
    /// selected.
    pub pages: Vec<RawPage>,
}

/// A page's bytes, split by compression.
#[derive(Debug, Clone)]
pub struct RawBody {
    /// Definition levels outside of the compressed data; `None` if they are in front of the values.
    pub levels: Option<Bytes>,
    /// The values, after the levels unless these are separate.
    pub values: Bytes,
    /// Size of `values` after decompression; `None` if they are not compressed.
    pub plain_size: Option<usize>,
}

impl RawPage {
    /// Returns whether its values are dictionary indices.
    pub fn is_coded(&self) -> bool {
        self.header.is_dictionary_encoded()
    }
}

impl RawChunk {
    /// Splits the bytes of a page by compression.
    ///
    /// # Errors
    /// The header's sizes contradict the bytes.
    pub fn body(&self, page: &RawPage) -> Result<RawBody> {
        let RawPage { header, bytes, .. } = page;
        let (levels, is_compressed) = match header.kind {
            PageKind::DataV2 { definition_bytes, repetition_bytes, is_compressed, .. } => {
                let (from, to) = (repetition_bytes as usize, (repetition_bytes + definition_bytes) as usize);
                (Some(from..to), is_compressed)
            }
            _ => (None, true),
        };
        let start = levels.as_ref().map_or(0, |levels| levels.end);
        let (levels, values) = (levels.map(|levels| bytes.slice(levels)), bytes.slice(start..));
        // the header's parser checked that the levels exceed neither size
        let size = header.uncompressed_size - start;
        if self.codec == Compression::UNCOMPRESSED || !is_compressed {
            if values.len() != size {
                let (found, claimed) = (bytes.len(), header.uncompressed_size);
                let what = format!("it claims {claimed} bytes without compression, there are {found}");
                return Err(Error::new(self.place.clone().page(page.page), Cause::BadHeader(what)));
            }
            return Ok(RawBody { levels, values, plain_size: None });
        }
        if size == 0 {
            // All values are null. Some writers leave the compressed stream out.
            return Ok(RawBody { levels, values: values.slice(..0), plain_size: None });
        }
        if let Some(format) = format(self.codec) {
            check_size(format, values.len(), size)
                .map_err(|what| Error::new(self.place.clone().page(page.page), Cause::BadHeader(what)))?;
        }
        Ok(RawBody { levels, values, plain_size: Some(size) })
    }

    /// Returns the size of its pages in the file, without headers.
    pub fn bytes(&self) -> u64 {
        self.dictionary.iter().chain(&self.pages).map(|page| page.bytes.len() as u64).sum()
    }
}

/// Returns the format with the size bounds of a codec.
fn format(codec: Compression) -> Option<Format> {
    match codec {
        Compression::GZIP(_) => Some(Format::Gzip),
        Compression::SNAPPY => Some(Format::Snappy),
        Compression::ZSTD(_) => Some(Format::Zstd),
        Compression::BROTLI(_) => Some(Format::Brotli),
        // both framings have the same bound
        Compression::LZ4 | Compression::LZ4_RAW => Some(Format::Lz4),
        Compression::UNCOMPRESSED | Compression::LZO => None,
    }
}
