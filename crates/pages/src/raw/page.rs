//! One page, and the pages of one column chunk.

use std::ops::Range;

use bytes::Bytes;
use parquet::basic::{Compression, Encoding};
use pelton_codec::Format;

use crate::error::{Cause, Error, Place, Result};
use crate::header::{PageHeader, PageKind};
use crate::load::jobs::check_size;

/// A page as it is in the file.
#[derive(Debug, Clone)]
pub struct RawPage {
    /// Index of the page in its chunk; a dictionary page counts as one.
    pub page: usize,
    /// The rows of the row group that it holds, as many as its header says it has values; none for
    /// a dictionary.
    pub rows: Range<usize>,
    /// Its header.
    pub header: PageHeader,
    /// What follows the header, [`PageHeader::compressed_size`] bytes.
    pub bytes: Bytes,
}

/// The wanted pages of one column chunk.
#[derive(Debug, Clone)]
pub struct RawChunk {
    /// Index of the leaf column in the file's schema.
    pub leaf: usize,
    /// File, row group and column, for errors.
    pub place: Place,
    /// What the pages are compressed with.
    pub codec: Compression,
    /// The dictionary, if a page needs it.
    pub dictionary: Option<RawPage>,
    /// Data pages in the order of their rows, none of them empty. Rows between two of them are not
    /// wanted.
    pub pages: Vec<RawPage>,
}

/// A page's bytes by what is compressed.
#[derive(Debug, Clone)]
pub struct RawBody {
    /// Definition levels, never compressed. `None`: they lie in front of the values, in the same
    /// bytes.
    pub levels: Option<Bytes>,
    /// The values, and in front of them the levels, if these are not given.
    pub values: Bytes,
    /// Bytes of `values` after decompression; `None`: they are not compressed.
    pub plain_size: Option<usize>,
}

impl RawPage {
    /// Whether its values are codes into the dictionary.
    pub fn is_coded(&self) -> bool {
        matches!(self.header.encoding, Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY)
            && !matches!(self.header.kind, PageKind::Dictionary { .. })
    }
}

impl RawChunk {
    /// What is compressed of a page.
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
        // the header's parser has seen to it that the levels are no more than either size
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
            // all values are null, and there may not even be an empty compressed stream
            return Ok(RawBody { levels, values: values.slice(..0), plain_size: None });
        }
        if let Some(format) = format(self.codec) {
            check_size(format, values.len(), size)
                .map_err(|what| Error::new(self.place.clone().page(page.page), Cause::BadHeader(what)))?;
        }
        Ok(RawBody { levels, values, plain_size: Some(size) })
    }

    /// Bytes of its pages as they are in the file, without headers.
    pub fn bytes(&self) -> u64 {
        self.dictionary.iter().chain(&self.pages).map(|page| page.bytes.len() as u64).sum()
    }
}

/// The format whose bounds a codec's pages have.
fn format(codec: Compression) -> Option<Format> {
    match codec {
        Compression::GZIP(_) => Some(Format::Gzip),
        Compression::SNAPPY => Some(Format::Snappy),
        Compression::ZSTD(_) => Some(Format::Zstd),
        Compression::BROTLI(_) => Some(Format::Brotli),
        // in either framing
        Compression::LZ4 | Compression::LZ4_RAW => Some(Format::Lz4),
        Compression::UNCOMPRESSED | Compression::LZO => None,
    }
}
