//! Damaged, lying and hostile files: each gets one line that names the place and the cause. Never a
//! panic, never memory beyond the limit, never a wrong answer.

mod bomb;
mod changing;
mod claims;
mod dictionary_indices;
mod flipped;
mod footer;
mod membership;
mod sizes;
mod sweep;
mod tables;
mod truncated;

use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray};
use parquet::basic::Compression;
use parquet::file::properties::WriterPropertiesBuilder;
use pelton_tests::document::{Chunk, Document};
use pelton_tests::file::{parquet, small_pages};

use crate::support::{Scratch, check_message, engine, read};

/// Rows of [`sample`].
const ROWS: usize = 600;
/// Rows of a page of it, and of a row group: three pages a chunk.
const PAGE: usize = 100;
const GROUP: usize = 300;

/// `id` counts, `word` repeats itself, `part` has nulls.
fn sample() -> RecordBatch {
    let id: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS as i64));
    let word: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..ROWS).map(|row| format!("the word {}", row % 17))));
    let part: ArrayRef =
        Arc::new((0..ROWS as i32).map(|row| (row % 3 != 0).then_some(row * 7)).collect::<Int32Array>());
    RecordBatch::try_from_iter([("id", id), ("word", word), ("part", part)]).expect("columns of one length")
}

/// The numbers of the columns of [`sample`].
const ID: usize = 0;
const WORD: usize = 1;
const PART: usize = 2;

fn properties(codec: Compression) -> WriterPropertiesBuilder {
    small_pages(codec, PAGE, GROUP)
}

fn sample_file(codec: Compression) -> Vec<u8> {
    parquet(&[sample()], properties(codec).build())
}

/// Returns the sample with dictionaries off, so that pages are values.
fn plain_document(codec: Compression) -> Document {
    Document::parse(&parquet(&[sample()], properties(codec).set_dictionary_enabled(false).build()))
}

fn chunk(document: &mut Document, row_group: usize, column: usize) -> &mut Chunk {
    &mut document.row_groups[row_group][column]
}

/// Reads a damaged file, which has to be refused: with the file's path, then each of `words`.
fn refused(file: &[u8], words: &[&str]) -> String {
    let scratch = Scratch::new();
    let path = scratch.write("bad.parquet", file);
    let message = match read(&engine(), &path) {
        Err(message) => message,
        Ok(batches) => panic!("it was read: {} rows", crate::support::rows(&batches)),
    };
    check_message(&message);
    let rest =
        message.strip_prefix(&format!("{path}: ")).unwrap_or_else(|| panic!("no path in front: {message}"));
    for word in words {
        assert!(rest.contains(word), "no {word:?} in {message}");
    }
    rest.to_owned()
}

/// Returns the place of a page as messages have it.
fn place(row_group: usize, column: &str, page: usize) -> String {
    format!("row group {row_group}, column {column}, page {page}: ")
}
