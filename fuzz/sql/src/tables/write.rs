//! Tables as Parquet files.

use std::io;
use std::path::Path;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::Schema;
use pelton_tests::document::{Document, page_header};
use pelton_tests::file::parquet;
use pelton_tests::thrift::Value as Thrift;

use super::arrays::{array, field};
use super::{Column, Table};

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
    if layout.empty_pages == 0 && !layout.checksums {
        return file;
    }
    let mut document = Document::parse(&file);
    if layout.empty_pages > 0 {
        document.drop_page_index();
        add_empty_pages(&mut document, layout.empty_pages);
    }
    if layout.checksums {
        document.add_checksums();
    }
    document.write()
}

/// Puts a page of no values in front of each nth data page. Its body is nothing at all, uncompressed, in pages of
/// version 2, which say so; chunks with other pages are left alone.
fn add_empty_pages(document: &mut Document, every: usize) {
    for chunk in document.row_groups.iter_mut().flatten() {
        let mut pages = Vec::new();
        for (index, page) in chunk.pages.drain(..).enumerate() {
            if page.header.get(page_header::DATA_V2).is_some() && index % every == 0 {
                let mut empty = page.clone();
                empty.body.clear();
                empty.header.set(page_header::COMPRESSED_SIZE, Thrift::I32(0));
                empty.header.set(page_header::UNCOMPRESSED_SIZE, Thrift::I32(0));
                let fields = empty.header.inner(page_header::DATA_V2);
                // numbers of values, nulls and rows, the plain encoding, and bytes of both kinds of levels
                for field in 1..=6 {
                    fields.set(field, Thrift::I32(0));
                }
                fields.set(7, Thrift::Bool(false));
                fields.remove(8);
                pages.push(empty);
            }
            pages.push(page);
        }
        chunk.pages = pages;
    }
}
