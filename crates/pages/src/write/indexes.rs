//! Bloom filters and the page index, which lie between the row groups and the footer. Copies
//! filters and column indexes, and writes offset indexes with the new offsets of pages.

use std::io::Write;
use std::ops::Range;

use bytes::Bytes;
use parquet::file::metadata::ColumnChunkMetaData;
use pelton_job::InputBuffer;

use super::edit::{self, Field, edit, edit_list};
use super::layout::NewChunk;
use super::sink::Sink;
use crate::error::{Cause, Error, Place, Result};
use crate::file::ParquetFile;
use crate::header::thrift::{Reader, ThriftError};

/// Field ids (parquet.thrift).
mod id {
    pub const PAGE_LOCATIONS: i16 = 1;
    pub mod page_location {
        pub const OFFSET: i16 = 1;
        pub const COMPRESSED_PAGE_SIZE: i16 = 2;
    }
    pub const BLOOM_FILTER_NUM_BYTES: i16 = 1;
}

/// Upper bound of a bloom filter's header, which is a number and three unions of an empty struct.
const BLOOM_HEADER: u64 = 64;

/// Copies the filters and indexes of all chunks, and records their offsets in `chunks`.
pub(super) async fn copy(
    file: &ParquetFile,
    chunks: &mut [Vec<NewChunk>],
    sink: &mut Sink<&mut dyn Write>,
) -> Result<()> {
    for part in [Part::Bloom, Part::ColumnIndex, Part::OffsetIndex] {
        for (row_group, chunks) in chunks.iter_mut().enumerate() {
            for (leaf, new) in chunks.iter_mut().enumerate() {
                let chunk = file.metadata().row_group(row_group).column(leaf);
                let place = file.place().row_group(row_group).column(chunk.column_path().string());
                let Some(range) = part.range(file, chunk, &place).await? else { continue };
                let bytes = read(file, range).await?;
                match part {
                    Part::Bloom => new.bloom = Some(sink.write(&[&bytes])?),
                    Part::ColumnIndex => new.column_index = Some(sink.write(&[&bytes])?),
                    Part::OffsetIndex => {
                        let bytes = offset_index(&bytes, new).map_err(|e| bad(&place, "offset index", e))?;
                        new.offset_index = Some(sink.write(&[&bytes])?);
                    }
                }
            }
        }
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum Part {
    Bloom,
    ColumnIndex,
    OffsetIndex,
}

impl Part {
    /// Returns its byte range in the old file; `None` if the chunk has none.
    async fn range(
        self,
        file: &ParquetFile,
        chunk: &ColumnChunkMetaData,
        place: &Place,
    ) -> Result<Option<Range<u64>>> {
        let (offset, length) = match self {
            Part::Bloom => (chunk.bloom_filter_offset(), chunk.bloom_filter_length()),
            Part::ColumnIndex => (chunk.column_index_offset(), chunk.column_index_length()),
            Part::OffsetIndex => (chunk.offset_index_offset(), chunk.offset_index_length()),
        };
        let Some(offset) = offset else { return Ok(None) };
        let negative = || {
            let what = "a filter or an index of it has a negative offset or length".to_owned();
            Error::new(place.clone(), Cause::NotParquet(what))
        };
        let start = u64::try_from(offset).map_err(|_| negative())?;
        let length = match (self, length) {
            (_, Some(length)) => u64::try_from(length).map_err(|_| negative())?,
            // old writers store a filter's length in its header only
            (Part::Bloom, None) => {
                let end = file.location().size().min(start.saturating_add(BLOOM_HEADER));
                let header = read(file, start.min(end)..end).await?;
                bloom_length(&header).map_err(|e| bad(place, "bloom filter", e))?
            }
            _ => return Ok(None),
        };
        Ok(Some(start..start.saturating_add(length)))
    }
}

fn bad(place: &Place, what: &str, error: ThriftError) -> Error {
    Error::new(place.clone(), Cause::NotParquet(format!("its {what} does not parse: {error}")))
}

async fn read(file: &ParquetFile, range: Range<u64>) -> Result<Bytes> {
    Ok(file.location().read(&[range], InputBuffer::fresh).await?.remove(0))
}

/// Returns the bytes of a bloom filter and its header, as the header states them.
fn bloom_length(header: &[u8]) -> edit::Result<u64> {
    let mut reader = Reader::new(header);
    let (mut last, mut bytes) = (0, 0);
    while let Some((id, kind)) = reader.field(&mut last)? {
        match id {
            id::BLOOM_FILTER_NUM_BYTES => bytes = reader.i32(kind)?,
            _ => reader.skip(kind)?,
        }
    }
    let bytes = u64::try_from(bytes).map_err(|_| ThriftError::BadVarint)?;
    Ok(reader.position() as u64 + bytes)
}

/// Returns an offset index with the new offsets of pages. An entry that matches no page of the
/// chunk is copied: readers detect it as they would in the old file.
pub(super) fn offset_index(old: &[u8], chunk: &NewChunk) -> edit::Result<Vec<u8>> {
    edit(&mut Reader::new(old), &[], |reader, id, kind| match id {
        id::PAGE_LOCATIONS => edit_list(reader, kind, |reader, _| {
            let mut page = None;
            edit(reader, &[], |reader, id, kind| {
                Ok(match id {
                    id::page_location::OFFSET => {
                        page = chunk.page_at(reader.i64(kind)?);
                        page.map_or(Field::Keep, |page| Field::I64(page.to as i64))
                    }
                    // fields are sorted by id, so the offset has been read before
                    id::page_location::COMPRESSED_PAGE_SIZE => {
                        page.map_or(Field::Keep, |page| Field::I32(page.length as i32))
                    }
                    _ => Field::Keep,
                })
            })
        }),
        _ => Ok(Field::Keep),
    })
}
