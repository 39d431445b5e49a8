//! Tables as Parquet files.

use std::io;
use std::path::Path;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::Schema;
use pelton_tests::document::Document;
use pelton_tests::file::parquet;

use super::arrays::{array, field};
use super::{Column, Table, empty_pages, int96};

/// Writes a table's files into a folder of its name, and returns that folder's path.
///
/// # Errors
/// A file can't be written.
pub fn write(table: &Table, folder: &Path) -> io::Result<String> {
    let folder = folder.join(&table.name);
    std::fs::create_dir_all(&folder)?;
    let (rows, files) = (table.rows(), table.layout.files.max(1));
    for file in 0..files {
        let range = rows * file / files..rows * (file + 1) / files;
        let bytes = bytes(table, &range);
        std::fs::write(folder.join(format!("{file}.parquet")), bytes)?;
    }
    Ok(folder.display().to_string())
}

fn bytes(table: &Table, range: &std::ops::Range<usize>) -> Vec<u8> {
    let schema = Arc::new(Schema::new(table.columns.iter().map(field).collect::<Vec<_>>()));
    let column = |column: &Column| array(&column.storage, &column.values[range.clone()]);
    let columns = table.columns.iter().map(column).collect();
    let batch = RecordBatch::try_new(schema, columns).expect("columns fit their fields");
    let file = parquet(&[batch], table.layout.properties(&table.columns));
    let layout = &table.layout;
    let has_int96 = layout.int96 && layout.codec == "uncompressed";
    if layout.empty_pages == 0 && !layout.checksums && !has_int96 {
        return file;
    }
    let mut document = Document::parse(&file);
    if has_int96 {
        int96::rewrite(&mut document, &table.columns);
    }
    if layout.empty_pages > 0 {
        document.drop_page_index();
        empty_pages::add(&mut document, layout.empty_pages, &table.columns, &layout.codec);
    }
    if layout.checksums {
        document.add_checksums();
    }
    document.write()
}
