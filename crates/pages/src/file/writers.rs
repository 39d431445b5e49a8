//! Corrections of footers from writers with known bugs.
//!
//! Other readers accept these files, each in its own way. The footer is corrected once, so that no
//! other module has to know these bugs.

use std::cmp::Ordering;

use parquet::file::metadata::{ColumnChunkMetaData, FileMetaData, ParquetMetaData, RowGroupMetaData};

/// Bytes added to each chunk of old parquet-mr files. Their sizes omit the header of the dictionary
/// page (PARQUET-816, IMPALA-694). Arrow's readers add the same number, which is several times the
/// size of such a header.
const DICTIONARY_HEADER: i64 = 100;

/// First version of parquet-mr that counts the header.
const COUNTS_DICTIONARY_HEADERS: [u32; 3] = [1, 2, 9];

/// Prefix of `created_by` in files of parquet-mr.
const PARQUET_MR: &str = "parquet-mr";

/// Returns the corrected footer of a file of `size` bytes. A dictionary page at offset 0, where the
/// magic is, is removed. Chunk sizes that omit the header of the dictionary page are increased. A
/// row count of 0 for a file with rows becomes the sum of the row groups.
pub(super) fn correct(metadata: ParquetMetaData, size: u64) -> ParquetMetaData {
    let padding = match leaves_headers_out(metadata.file_metadata().created_by()) {
        true => DICTIONARY_HEADER,
        false => 0,
    };
    let rows = metadata.row_groups().iter().fold(0i64, |sum, group| sum.saturating_add(group.num_rows()));
    let has_no_count = metadata.file_metadata().num_rows() == 0 && rows > 0;
    let is_odd = |chunk: &ColumnChunkMetaData| chunk.dictionary_page_offset() == Some(0) || padding > 0;
    if !has_no_count && !metadata.row_groups().iter().flat_map(RowGroupMetaData::columns).any(is_odd) {
        return metadata;
    }
    let chunk = |chunk: &ColumnChunkMetaData| {
        let dictionary = chunk.dictionary_page_offset().filter(|&offset| offset != 0);
        let start = dictionary.unwrap_or(chunk.data_page_offset());
        let end = start.saturating_add(chunk.compressed_size());
        let room = i64::try_from(size).unwrap_or(i64::MAX).saturating_sub(end).max(0);
        let more = padding.min(room);
        let builder = chunk.clone().into_builder().set_dictionary_page_offset(dictionary);
        let builder = builder.set_total_compressed_size(chunk.compressed_size().saturating_add(more));
        builder.set_total_uncompressed_size(chunk.uncompressed_size().saturating_add(more)).build()
    };
    let group = |group: &RowGroupMetaData| {
        let columns = group.columns().iter().map(chunk).collect::<Result<Vec<_>, _>>()?;
        group.clone().into_builder().set_column_metadata(columns).build()
    };
    // the number of columns is unchanged, so this does not fail; otherwise later checks report the
    // fault
    let Ok(groups) = metadata.row_groups().iter().map(group).collect::<Result<Vec<_>, _>>() else {
        return metadata;
    };
    let old = metadata.file_metadata();
    let file = FileMetaData::new(
        old.version(),
        if has_no_count { rows } else { old.num_rows() },
        old.created_by().map(str::to_owned),
        old.key_value_metadata().cloned(),
        old.schema_descr_ptr(),
        old.column_orders().cloned(),
    );
    let mut indexes = metadata.into_builder();
    let (columns, offsets) = (indexes.take_column_index(), indexes.take_offset_index());
    let corrected = ParquetMetaData::new(file, groups).into_builder();
    corrected.set_column_index(columns).set_offset_index(offsets).build()
}

/// Returns whether sizes of chunks omit the header of the dictionary page.
fn leaves_headers_out(created_by: Option<&str>) -> bool {
    let Some(version) = created_by.and_then(|name| name.strip_prefix(PARQUET_MR)) else { return false };
    let version = version.trim_start();
    let version = version.strip_prefix("version").unwrap_or(version).trim_start();
    let parts = version.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse().unwrap_or(0));
    parts.chain(std::iter::repeat(0)).take(3).cmp(COUNTS_DICTIONARY_HEADERS) == Ordering::Less
}

#[cfg(test)]
mod tests;
