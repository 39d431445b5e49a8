//! Column chunks of any bytes, headers and pages, under a footer that agrees with them.
//!
//! Most of a whole file are values. Here most are headers and the counts that values begin with, of
//! every type and encoding.

use std::sync::{Arc, OnceLock};

use arrow::array::{
    ArrayRef, BooleanArray, Decimal128Array, FixedSizeBinaryArray, Float64Array, Int32Array, Int64Array,
    ListArray, RecordBatch, StringArray,
};
use arrow::datatypes::Int32Type;
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::schema::types::ColumnPath;
use pelton_tests::document::{Document, column, file_metadata, footer, row_group};
use pelton_tests::file::parquet;
use pelton_tests::thrift::{Struct, Value};

use super::pages;

/// Rows of the sound chunks.
const ROWS: usize = 40;

/// Bytes that a chunk claims to have uncompressed: no page claims more than its footer says, so
/// this says much.
const CLAIMED: i64 = 1 << 40;

/// A sound chunk, and its file's footer.
struct Sound {
    footer: Struct,
    chunk: Vec<u8>,
}

fn sound() -> &'static [Sound] {
    static SOUND: OnceLock<Vec<Sound>> = OnceLock::new();
    SOUND.get_or_init(|| {
        let versions = [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0];
        let kinds = columns().into_iter().flat_map(|(values, encodings)| {
            let dictionary = std::iter::once(None);
            let encodings = dictionary.chain(encodings.iter().copied().map(Some));
            encodings.map(move |encoding| (values.clone(), encoding)).collect::<Vec<_>>()
        });
        let kinds =
            kinds.flat_map(|(values, encoding)| versions.map(|version| (values.clone(), encoding, version)));
        kinds
            .enumerate()
            .map(|(number, (values, encoding, version))| chunk(number, values, encoding, version))
            .collect()
    })
}

/// Returns columns of every type, with the encodings that they can have beside a dictionary.
fn columns() -> Vec<(ArrayRef, &'static [Encoding])> {
    use Encoding::{
        BYTE_STREAM_SPLIT, DELTA_BINARY_PACKED, DELTA_BYTE_ARRAY, DELTA_LENGTH_BYTE_ARRAY, PLAIN, RLE,
    };
    let some = |row: usize| (!row.is_multiple_of(5)).then_some(row);
    let rows = || 0..ROWS;
    let word = |row: usize| some(row).map(|row| format!("word {}", row % 7));
    let fixed = rows().map(|row| some(row).map(|row| [row as u8; 16]));
    let lists = rows().map(|row| some(row).map(|row| (0..row as i32 % 4).map(Some).collect::<Vec<_>>()));
    let decimals = Decimal128Array::from_iter(rows().map(|row| some(row).map(|row| row as i128)));
    vec![
        (
            Arc::new(Int32Array::from_iter_values(rows().map(|row| row as i32))) as ArrayRef,
            &[PLAIN, DELTA_BINARY_PACKED, BYTE_STREAM_SPLIT][..],
        ),
        (
            Arc::new(Int64Array::from_iter(rows().map(|row| some(row).map(|row| row as i64)))),
            &[PLAIN, DELTA_BINARY_PACKED],
        ),
        (Arc::new(Float64Array::from_iter(rows().map(|row| some(row).map(|row| row as f64)))), &[PLAIN]),
        (
            Arc::new(BooleanArray::from_iter(rows().map(|row| some(row).map(|row| row % 2 == 0)))),
            &[PLAIN, RLE],
        ),
        (
            Arc::new(StringArray::from_iter(rows().map(word))),
            &[PLAIN, DELTA_LENGTH_BYTE_ARRAY, DELTA_BYTE_ARRAY],
        ),
        (
            Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(fixed, 16).expect("one size")),
            &[PLAIN, DELTA_BYTE_ARRAY],
        ),
        (Arc::new(decimals.with_precision_and_scale(38, 2).expect("a decimal")), &[PLAIN]),
        (Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists)), &[PLAIN, DELTA_BINARY_PACKED]),
    ]
}

fn chunk(number: usize, values: ArrayRef, encoding: Option<Encoding>, version: WriterVersion) -> Sound {
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::ZSTD(Default::default()),
    ];
    let batch = RecordBatch::try_from_iter([("x", values)]).expect("one column");
    let mut properties = WriterProperties::builder()
        .set_compression(codecs[number % codecs.len()])
        .set_writer_version(version)
        .set_dictionary_enabled(encoding.is_none())
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
        .set_data_page_row_count_limit(ROWS / 2)
        .set_write_batch_size(ROWS / 2);
    if let Some(encoding) = encoding {
        for path in ["x", "x.list.item", "x.list.element"] {
            properties = properties.set_column_encoding(
                ColumnPath::from(path.split('.').map(str::to_owned).collect::<Vec<_>>()),
                encoding,
            );
        }
    }
    let file = parquet(&[batch], properties.build());
    let mut document = Document::parse(&file);
    let meta = document.row_groups[0][0].meta();
    let first = meta.get(column::DICTIONARY_PAGE_OFFSET).or_else(|| meta.get(column::DATA_PAGE_OFFSET));
    let start = first.expect("a chunk has an offset").int() as usize;
    let end = start + meta.int(column::COMPRESSED_SIZE) as usize;
    Sound { footer: footer(&file).0, chunk: file[start..end].to_vec() }
}

/// Inputs: the number of a column, its rows in four bytes (zero stands for those of the sound
/// chunk), and its chunk.
pub fn seeds() -> Vec<Vec<u8>> {
    let seed = |(number, sound): (usize, &Sound)| [&[number as u8, 0, 0, 0, 0][..], &sound.chunk].concat();
    sound().iter().enumerate().map(seed).collect()
}

/// Reads the file with this chunk, as the target `pages` does.
pub fn run(input: &[u8]) {
    let Some((&[number, a, b, c, d], chunk)) = input.split_first_chunk::<5>() else { return };
    let mut footer = sound()[usize::from(number) % sound().len()].footer.clone();
    let claimed = i64::from(u32::from_le_bytes([a, b, c, d]));
    if claimed > 0 {
        footer.set(file_metadata::NUM_ROWS, Value::I64(claimed));
    }
    let group = footer.list(file_metadata::ROW_GROUPS)[0].fields();
    if claimed > 0 {
        group.set(row_group::NUM_ROWS, Value::I64(claimed));
    }
    // ColumnChunk.meta_data
    let meta = group.list(row_group::COLUMNS)[0].fields().inner(3);
    if claimed > 0 {
        meta.set(column::NUM_VALUES, Value::I64(claimed));
    }
    meta.set(column::UNCOMPRESSED_SIZE, Value::I64(CLAIMED));
    meta.set(column::COMPRESSED_SIZE, Value::I64(chunk.len() as i64));
    let footer = footer.write();
    pages::run(&[b"PAR1", chunk, &footer, &(footer.len() as u32).to_le_bytes(), b"PAR1"].concat());
}

#[cfg(test)]
mod tests;
