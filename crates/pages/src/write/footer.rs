//! Footer with the new file's offsets, sizes and codec. Copies everything else: schema, statistics,
//! encodings, names.

use super::edit::{self, Field, edit, edit_list};
use super::layout::NewChunk;
use crate::file::WINDOW_KEY;
use crate::header::thrift::{Reader, kind};

/// Field ids (parquet.thrift).
mod id {
    pub mod file_metadata {
        pub const ROW_GROUPS: i16 = 4;
        pub const KEY_VALUE_METADATA: i16 = 5;
    }
    pub const KEY_VALUE_KEY: i16 = 1;
    pub mod row_group {
        pub const COLUMNS: i16 = 1;
        pub const TOTAL_BYTE_SIZE: i16 = 2;
        pub const FILE_OFFSET: i16 = 5;
        pub const TOTAL_COMPRESSED_SIZE: i16 = 6;
    }
    pub mod column_chunk {
        pub const FILE_OFFSET: i16 = 2;
        pub const META_DATA: i16 = 3;
        pub const OFFSET_INDEX_OFFSET: i16 = 4;
        pub const OFFSET_INDEX_LENGTH: i16 = 5;
        pub const COLUMN_INDEX_OFFSET: i16 = 6;
        pub const COLUMN_INDEX_LENGTH: i16 = 7;
    }
    pub mod column {
        pub const CODEC: i16 = 4;
        pub const TOTAL_UNCOMPRESSED_SIZE: i16 = 6;
        pub const TOTAL_COMPRESSED_SIZE: i16 = 7;
        pub const DATA_PAGE_OFFSET: i16 = 9;
        pub const INDEX_PAGE_OFFSET: i16 = 10;
        pub const DICTIONARY_PAGE_OFFSET: i16 = 11;
        pub const BLOOM_FILTER_OFFSET: i16 = 14;
        pub const BLOOM_FILTER_LENGTH: i16 = 15;
    }
}

/// Changes from the old file to the new one.
pub(super) struct New<'a> {
    /// Column chunks by row group.
    pub chunks: &'a [Vec<NewChunk>],
    /// `CompressionCodec` of all chunks.
    pub codec: i32,
    /// Greatest distance of a match, if it is smaller than DEFLATE's.
    pub window: Option<u32>,
}

/// Returns the footer `old` with the changes of `new`, which has the same row groups and columns.
pub(super) fn rewrite(old: &[u8], new: &New<'_>) -> edit::Result<Vec<u8>> {
    let mark = new.window.map(|bytes| edit::texts([WINDOW_KEY, &bytes.to_string()]));
    let missing: Vec<_> = mark
        .iter()
        .map(|mark| (id::file_metadata::KEY_VALUE_METADATA, edit::list(std::slice::from_ref(mark))))
        .collect();
    edit(&mut Reader::new(old), &missing, |reader, id, kind| match id {
        id::file_metadata::ROW_GROUPS => {
            edit_list(reader, kind, |reader, index| row_group(reader, new, new.chunks.get(index)))
        }
        id::file_metadata::KEY_VALUE_METADATA => pairs(reader, kind, mark.as_deref()),
        _ => Ok(Field::Keep),
    })
}

/// Copies the file's keys and values, with the window mark of the new file instead of the old mark.
fn pairs(reader: &mut Reader<'_>, kind: u8, mark: Option<&[u8]>) -> edit::Result<Field> {
    let mut kept = Vec::new();
    edit_list(reader, kind, |reader, _| {
        let mut key = &[][..];
        let pair = edit(reader, &[], |reader, id, kind| {
            if id == id::KEY_VALUE_KEY {
                key = reader.binary(kind)?;
            }
            Ok(Field::Keep)
        })?;
        if key != WINDOW_KEY.as_bytes() {
            kept.push(pair);
        }
        Ok(Vec::new())
    })?;
    kept.extend(mark.map(<[u8]>::to_vec));
    Ok(if kept.is_empty() { Field::Drop } else { edit::list(&kept) })
}

fn row_group(
    reader: &mut Reader<'_>,
    new: &New<'_>,
    chunks: Option<&Vec<NewChunk>>,
) -> edit::Result<Vec<u8>> {
    let chunks = chunks.map(Vec::as_slice).unwrap_or_default();
    let sum = |size: fn(&NewChunk) -> u64| Field::I64(chunks.iter().map(size).sum::<u64>() as i64);
    edit(reader, &[], |reader, id, kind| {
        Ok(match id {
            id::row_group::COLUMNS => {
                let none = NewChunk::default();
                edit_list(reader, kind, |reader, index| {
                    column_chunk(reader, new.codec, chunks.get(index).unwrap_or(&none))
                })?
            }
            id::row_group::TOTAL_BYTE_SIZE => sum(|chunk| chunk.uncompressed),
            id::row_group::FILE_OFFSET => {
                chunks.first().map_or(Field::Keep, |chunk| Field::I64(chunk.start as i64))
            }
            id::row_group::TOTAL_COMPRESSED_SIZE => sum(|chunk| chunk.compressed),
            _ => Field::Keep,
        })
    })
}

fn column_chunk(reader: &mut Reader<'_>, codec: i32, chunk: &NewChunk) -> edit::Result<Vec<u8>> {
    use id::column_chunk::*;
    let offset = |range: &Option<std::ops::Range<u64>>| match range {
        Some(range) => Field::I64(range.start as i64),
        None => Field::Drop,
    };
    let length = |range: &Option<std::ops::Range<u64>>| match range {
        Some(range) => Field::I32((range.end - range.start) as i32),
        None => Field::Drop,
    };
    edit(reader, &[], |reader, id, kind| {
        Ok(match id {
            // deprecated: writers store 0 or an offset in the chunk
            FILE_OFFSET => match reader.i64(kind)? {
                0 => Field::Keep,
                _ => Field::I64(chunk.start as i64),
            },
            META_DATA if kind == kind::STRUCT => Field::Bytes(kind, column(reader, codec, chunk)?),
            OFFSET_INDEX_OFFSET => offset(&chunk.offset_index),
            OFFSET_INDEX_LENGTH => length(&chunk.offset_index),
            COLUMN_INDEX_OFFSET => offset(&chunk.column_index),
            COLUMN_INDEX_LENGTH => length(&chunk.column_index),
            _ => Field::Keep,
        })
    })
}

fn column(reader: &mut Reader<'_>, codec: i32, chunk: &NewChunk) -> edit::Result<Vec<u8>> {
    use id::column::*;
    let place = |offset: i64, otherwise: u64| {
        Field::I64(chunk.page_at(offset).map_or(otherwise, |page| page.to) as i64)
    };
    let bloom = chunk.bloom.as_ref();
    edit(reader, &[], |reader, id, kind| {
        Ok(match id {
            CODEC => Field::I32(codec),
            TOTAL_UNCOMPRESSED_SIZE => Field::I64(chunk.uncompressed as i64),
            TOTAL_COMPRESSED_SIZE => Field::I64(chunk.compressed as i64),
            DATA_PAGE_OFFSET => place(reader.i64(kind)?, chunk.data_start()),
            INDEX_PAGE_OFFSET => match chunk.page_at(reader.i64(kind)?) {
                Some(page) => Field::I64(page.to as i64),
                None => Field::Drop,
            },
            DICTIONARY_PAGE_OFFSET => place(reader.i64(kind)?, chunk.start),
            BLOOM_FILTER_OFFSET => bloom.map_or(Field::Drop, |bloom| Field::I64(bloom.start as i64)),
            BLOOM_FILTER_LENGTH => {
                bloom.map_or(Field::Drop, |bloom| Field::I32((bloom.end - bloom.start) as i32))
            }
            _ => Field::Keep,
        })
    })
}
