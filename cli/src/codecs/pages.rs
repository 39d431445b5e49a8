//! Uncompressed pages of a Parquet file.

use std::fs::File;
use std::path::Path;

use bytes::Bytes;
use parquet::column::page::PageReader;
use parquet::errors::ParquetError;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;

use crate::failure::Failure;

/// Passes the pages that `wanted` selects to `take`, decompressed and in the file's order. Only the
/// headers of the others are read.
pub fn for_each(
    path: &Path,
    file: &SerializedFileReader<File>,
    wanted: &mut dyn FnMut() -> bool,
    take: &mut dyn FnMut(Bytes),
) -> Result<(), Failure> {
    for group in 0..file.metadata().num_row_groups() {
        let failed = |column: usize, error: ParquetError| {
            let column = file.metadata().row_group(group).column(column).column_path().string();
            Failure::Error(format!("{}: row group {group}, column {column}: {error}", path.display()))
        };
        let row_group = file.get_row_group(group).map_err(|error| failed(0, error))?;
        for column in 0..row_group.num_columns() {
            let pages = row_group.get_column_page_reader(column);
            let walked = pages.and_then(|mut pages| walk(pages.as_mut(), wanted, take));
            walked.map_err(|error| failed(column, error))?;
        }
    }
    Ok(())
}

fn walk(
    pages: &mut dyn PageReader,
    wanted: &mut dyn FnMut() -> bool,
    take: &mut dyn FnMut(Bytes),
) -> Result<(), ParquetError> {
    while pages.peek_next_page()?.is_some() {
        if !wanted() {
            pages.skip_next_page()?;
        } else if let Some(page) = pages.get_next_page()? {
            take(page.buffer().clone());
        }
    }
    Ok(())
}
