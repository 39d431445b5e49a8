//! Page indexes: column indexes and offset indexes, read after the footer.
//!
//! parquet-rs reads all bytes from the first index to the last, and allocates memory for the number
//! of pages that an index claims. The offsets in the footer are therefore checked against the
//! file's size, and the lists of each index against its bytes.

use std::ops::Range;

use bytes::Bytes;
use parquet::DecodeResult;
use parquet::file::metadata::{
    ColumnChunkMetaData, PageIndexPolicy, ParquetMetaData, ParquetMetaDataPushDecoder,
};
use pelton_job::InputBuffer;

use super::Location;
use crate::error::{Cause, Error, Place, Result};
use crate::header::thrift::{Reader, kind};
use crate::panic_guard;

/// Maximum bytes between the first and the last index that belong to no index. Writers put all
/// indexes together.
const GAPS: u64 = 1 << 20;

/// Adds the page indexes, if there are any, to a file's metadata. `tail` is the end of the file
/// that was read already, with its offset.
///
/// # Errors
/// The file can't be read, or has changed; an index lies outside of the file, or does not parse.
pub(super) async fn read(
    location: &Location,
    metadata: ParquetMetaData,
    tail: (u64, &Bytes),
) -> Result<ParquetMetaData> {
    let error = |what| Error::new(Place::file(location.name()), Cause::NotParquet(what));
    let ranges: Vec<Range<u64>> = indexes(&metadata).collect();
    let bounds = ranges.iter().map(|range| range.start).min().zip(ranges.iter().map(|range| range.end).max());
    let Some((start, end)) = bounds.filter(|(start, end)| start < end) else { return Ok(metadata) };
    let sum = ranges.iter().fold(0u64, |sum, range| sum.saturating_add(range.end - range.start));
    if sum > location.size() || end - start > sum.saturating_add(GAPS) {
        let what =
            format!("its page indexes have {sum} bytes, and lie in bytes {start} to {end} of the file");
        return Err(error(what));
    }
    let bytes = match start.checked_sub(tail.0) {
        Some(from) if end <= location.size() => tail.1.slice(from as usize..(end - tail.0) as usize),
        _ => location.read(&[start..end], InputBuffer::fresh).await?.remove(0),
    };
    for range in &ranges {
        let index = &bytes[(range.start - start) as usize..(range.end - start) as usize];
        let walked = Reader::new(index).skip(kind::STRUCT);
        walked.map_err(|e| error(format!("a page index does not parse: {e}")))?;
    }
    decode(metadata, location.size(), start..end, bytes).map_err(error)
}

/// Returns the byte ranges of all indexes, by the footer.
fn indexes(metadata: &ParquetMetaData) -> impl Iterator<Item = Range<u64>> + '_ {
    let of_chunk = |chunk: &ColumnChunkMetaData| {
        let columns = (chunk.column_index_offset(), chunk.column_index_length());
        let offsets = (chunk.offset_index_offset(), chunk.offset_index_length());
        [columns, offsets].into_iter().filter_map(|(offset, length)| {
            let (start, length) = (u64::try_from(offset?).ok()?, u64::try_from(length?).ok()?);
            Some(start..start.saturating_add(length))
        })
    };
    metadata.row_groups().iter().flat_map(|group| group.columns()).flat_map(of_chunk)
}

/// Parses the indexes with parquet-rs.
fn decode(
    metadata: ParquetMetaData,
    size: u64,
    range: Range<u64>,
    bytes: Bytes,
) -> Result<ParquetMetaData, String> {
    let decoder = ParquetMetaDataPushDecoder::try_new_with_metadata(size, metadata);
    let mut decoder = decoder.map_err(|e| e.to_string())?.with_page_index_policy(PageIndexPolicy::Optional);
    decoder.push_range(range, bytes).map_err(|e| e.to_string())?;
    match panic_guard::catch(|| decoder.try_decode())?.map_err(|e| e.to_string())? {
        DecodeResult::Data(metadata) => Ok(metadata),
        _ => Err("its page indexes are not where its footer says".to_owned()),
    }
}
