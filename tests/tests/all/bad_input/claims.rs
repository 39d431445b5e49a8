//! Small files with counts, lengths and sizes that claim billions: each gives one line or its rows,
//! in little memory, in the command, in DuckDB and in Python.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, FixedSizeBinaryArray, Int64Array, ListArray, RecordBatch, StringArray,
};
use arrow::datatypes::{DataType, Field, Int32Type, Schema};
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::schema::types::ColumnPath;
use pelton_tests::document::{Chunk, Document, Page, column, file_metadata, page_header, row_group};
use pelton_tests::file::parquet;
use pelton_tests::python::{interpreter, repository};
use pelton_tests::thrift::{Struct, Value};

use super::chunk;
use crate::support::Scratch;

/// KiB of memory that a process may map: more than Pelton's own, and gigabytes less than any file
/// claims.
const LIMIT: u32 = 8_000_000;

/// Rows of the files before they claim others.
const ROWS: usize = 40;

/// Types of Thrift, and the tag of a list that has more elements than its header has bits for.
const BINARY: u8 = 8;
const LIST: u8 = 9;
const I64: u8 = 6;
const STRUCT: u8 = 12;
const LONG: u8 = 0xf0;

/// A claim of more than there is memory for, and the largest of 31 bits.
const HUGE: u64 = 1 << 40;
const LARGE: i64 = i32::MAX as i64;

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// Returns the head of DELTA_BINARY_PACKED: values of a block, miniblocks of it, values, and a
/// first value of 0.
fn delta(block: u64, miniblocks: u64, values: u64) -> Vec<u8> {
    [varint(block), varint(miniblocks), varint(values), vec![0]].concat()
}

/// Returns a file of one column without nulls but those that `values` has, in an encoding; without
/// one, with a dictionary.
fn document(values: ArrayRef, encoding: Option<Encoding>, codec: Compression) -> Document {
    let batch = RecordBatch::try_from_iter([("x", values)]).expect("one column");
    let mut properties = WriterProperties::builder()
        .set_compression(codec)
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_dictionary_enabled(encoding.is_none())
        .set_statistics_enabled(EnabledStatistics::Page);
    if let Some(encoding) = encoding {
        properties = properties.set_column_encoding(ColumnPath::from("x"), encoding);
    }
    let mut document = Document::parse(&parquet(&[batch], properties.build()));
    chunk(&mut document, 0, 0).meta().set(column::UNCOMPRESSED_SIZE, Value::I64(1 << 50));
    document
}

fn words() -> ArrayRef {
    Arc::new(StringArray::from_iter_values((0..ROWS).map(|row| format!("word {}", row % 7))))
}

fn numbers() -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(0..ROWS as i64))
}

/// Returns the last page of the only column.
fn page(document: &mut Document) -> &mut Page {
    chunk(document, 0, 0).pages.last_mut().expect("a chunk has a page")
}

/// Returns the document with these bytes as its last page, without compression.
fn with_page(mut document: Document, body: Vec<u8>) -> Document {
    let page = page(&mut document);
    page.claim(body.len() as i32);
    page.set_body(body);
    document
}

/// Returns the document with a number of rows that its footer and its last page claim.
fn with_rows(mut document: Document, rows: i64) -> Document {
    document.footer.set(file_metadata::NUM_ROWS, Value::I64(rows));
    document.row_group(0).set(row_group::NUM_ROWS, Value::I64(rows));
    document.drop_page_index();
    chunk(&mut document, 0, 0).meta().set(column::NUM_VALUES, Value::I64(rows));
    // DataPageHeader.num_values
    let header = page(&mut document).header.inner(page_header::DATA_V1);
    header.set(1, Value::I32(rows.min(LARGE) as i32));
    document
}

/// Returns a list of structs, or of other elements, that claims [`LARGE`] of them.
fn list(element: u8) -> Value {
    Value::Raw(LIST, [vec![LONG | element], varint(LARGE as u64)].concat())
}

/// Returns a text that claims a gigabyte.
fn text() -> Value {
    Value::Raw(BINARY, varint(1 << 30))
}

/// Definition levels of version 1: one run of zeros.
fn no_values(rows: i64) -> Vec<u8> {
    let run = [varint((rows as u64) << 1), vec![0]].concat();
    [&(run.len() as u32).to_le_bytes()[..], &run].concat()
}

/// A file, and whether it has to be refused. Others have the rows that they claim, or are right
/// without the claim.
struct Liar {
    name: String,
    file: Vec<u8>,
    is_refused: bool,
}

type Add<'a> = dyn FnMut(&str, Document, bool) + 'a;

fn liars() -> Vec<Liar> {
    let mut liars = offset_indexes();
    let mut add = |name: &str, document: Document, is_refused: bool| {
        liars.push(Liar { name: name.to_owned(), file: document.write(), is_refused });
    };
    values(&mut add);
    pages(&mut add);
    footers(&mut add);
    column_indexes(&mut add);
    liars
}

/// Counts in front of encoded values.
fn values(add: &mut Add<'_>) {
    let plain = Compression::UNCOMPRESSED;
    let lengths = || document(words(), Some(Encoding::DELTA_LENGTH_BYTE_ARRAY), plain);
    let fronts = || document(words(), Some(Encoding::DELTA_BYTE_ARRAY), plain);
    let deltas = || document(numbers(), Some(Encoding::DELTA_BINARY_PACKED), plain);
    for count in [LARGE as u64, HUGE, u64::MAX >> 1] {
        add(&format!("delta-length-{count}"), with_page(lengths(), delta(128, 4, count)), true);
        add(&format!("delta-prefix-{count}"), with_page(fronts(), delta(128, 4, count)), true);
        let suffixes = [delta(128, 4, 0), delta(128, 4, count)].concat();
        add(&format!("delta-suffix-{count}"), with_page(fronts(), suffixes), true);
        add(&format!("delta-{count}"), with_page(deltas(), delta(128, 4, count)), true);
        add(&format!("delta-miniblocks-{count}"), with_page(deltas(), delta(count, count, 40)), true);
    }
    // Values that a block of one miniblock without bits really has, as far as the format goes.
    let block = (LARGE as u64 / 128 + 1) * 128;
    let consistent = [delta(block, 1, LARGE as u64), vec![0, 0]].concat();
    for (name, of) in [("lengths", lengths()), ("numbers", deltas())] {
        let name = format!("delta-{name}-of-one-block");
        add(&name, with_rows(with_page(of, consistent.clone()), LARGE), false);
    }
    let twice = [&consistent[..], &consistent].concat();
    add("delta-fronts-of-one-block", with_rows(with_page(fronts(), twice), LARGE), false);
}

/// Counts and sizes in headers of pages, and levels.
fn pages(add: &mut Add<'_>) {
    let plain = Compression::UNCOMPRESSED;
    let switches: ArrayRef = Arc::new((0..ROWS).map(|row| Some(row % 3 == 0)).collect::<BooleanArray>());
    let bytes = FixedSizeBinaryArray::try_from_iter((0..ROWS).map(|row| [row as u8 % 7; 16]));
    let bytes: ArrayRef = Arc::new(bytes.expect("values of one size"));
    let columns = [("words", words()), ("numbers", numbers()), ("switches", switches), ("bytes", bytes)];
    for (name, values) in columns {
        let mut document = document(values, None, Compression::SNAPPY);
        let first = &mut chunk(&mut document, 0, 0).pages[0];
        if !first.is_data() {
            // DictionaryPageHeader.num_values
            first.header.inner(page_header::DICTIONARY).set(1, Value::I32(i32::MAX));
            first.claim(i32::MAX);
            add(&format!("dictionary-of-{name}"), document, true);
        }
    }
    for (name, codec) in pelton_tests::file::codecs() {
        let mut document = document(words(), None, codec);
        page(&mut document).claim(i32::MAX);
        add(&format!("size-{name}"), document, true);
    }
    let nulls: ArrayRef = Arc::new(Int64Array::from(vec![None; ROWS]));
    let nulls = || document(nulls.clone(), Some(Encoding::PLAIN), plain);
    add("rows-of-nulls", with_rows(with_page(nulls(), no_values(LARGE)), LARGE), false);
    add("rows-that-are-not-there", with_rows(with_page(nulls(), no_values(LARGE)), 1 << 40), true);
    add("rows-without-bytes", with_rows(with_page(nulls(), no_values(LARGE)), i64::MAX), true);

    let list = [Some((0..ROWS as i32).map(Some).collect::<Vec<_>>())];
    let list: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(list));
    let mut long = document(list, Some(Encoding::PLAIN), plain);
    // One row: a value that begins it, then a run of values that go on, all null.
    let count = 1u64 << 30;
    let levels = |runs: &[(u64, u8)]| {
        let runs: Vec<u8> =
            runs.iter().flat_map(|(length, of)| [varint(length << 1), vec![*of]].concat()).collect();
        [&(runs.len() as u32).to_le_bytes()[..], &runs].concat()
    };
    let body = [levels(&[(1, 0), (count - 1, 1)]), levels(&[(count, 2)])].concat();
    long.drop_page_index();
    chunk(&mut long, 0, 0).meta().set(column::NUM_VALUES, Value::I64(count as i64));
    page(&mut long).header.inner(page_header::DATA_V1).set(1, Value::I32(count as i32));
    add("list-of-nulls", with_page(long, body), true);
}

/// Counts, lengths and widths in footers.
fn footers(add: &mut Add<'_>) {
    let plain = Compression::UNCOMPRESSED;
    let numbers = || document(numbers(), Some(Encoding::PLAIN), plain);
    // fields of FileMetaData: key_value_metadata, created_by, column_orders
    for (field, value) in [
        (file_metadata::SCHEMA, list(STRUCT)),
        (file_metadata::ROW_GROUPS, list(STRUCT)),
        (5, list(STRUCT)),
        (6, text()),
        (7, list(STRUCT)),
    ] {
        let mut file = numbers();
        file.footer.set(field, value);
        add(&format!("footer-field-{field}"), file, true);
    }
    // fields of ColumnMetaData: encodings, key_value_metadata, statistics, encoding_stats,
    // size_statistics
    let statistics = |field| Value::Struct(Struct(vec![(field, text())]));
    let histogram = |field| Value::Struct(Struct(vec![(field, list(I64))]));
    for (field, value) in [
        (2, list(5)),
        (column::PATH, list(BINARY)),
        (8, list(STRUCT)),
        (12, statistics(1)),
        (12, statistics(5)),
        (13, list(STRUCT)),
        (16, histogram(2)),
        (16, histogram(3)),
    ] {
        let mut file = numbers();
        chunk(&mut file, 0, 0).meta().set(field, value);
        add(&format!("chunk-field-{field}"), file, true);
    }
    let mut file = numbers();
    let meta = chunk(&mut file, 0, 0).meta();
    meta.set(column::BLOOM_FILTER_OFFSET, Value::I64(4));
    meta.set(column::BLOOM_FILTER_LENGTH, Value::I32(100));
    add("bloom-filter", file, false);

    let nulls = FixedSizeBinaryArray::try_from_sparse_iter_with_size((0..ROWS).map(|_| None::<[u8; 16]>), 16);
    let nulls: ArrayRef = Arc::new(nulls.expect("nulls"));
    for width in [100_000_000, i32::MAX] {
        let mut file = document(nulls.clone(), Some(Encoding::PLAIN), plain);
        // SchemaElement.type_length; the Arrow schema would say another
        file.footer.list(file_metadata::SCHEMA)[1].fields().set(2, Value::I32(width));
        file.footer.remove(5);
        chunk(&mut file, 0, 0).meta().set(column::UNCOMPRESSED_SIZE, Value::I64(100));
        add(&format!("bytes-of-width-{width}"), file, true);
    }
    let lists = (0..ROWS).map(|_| None::<Vec<Option<i32>>>);
    let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists));
    let mut file = document(lists, Some(Encoding::PLAIN), plain);
    let item = Arc::new(Field::new("item", DataType::Int32, true));
    let schema = Schema::new(vec![Field::new("x", DataType::FixedSizeList(item, i32::MAX), true)]);
    for pair in file.footer.list(5) {
        // KeyValue.value
        pair.fields().set(2, Value::Binary(parquet::arrow::encode_arrow_schema(&schema).into_bytes()));
    }
    chunk(&mut file, 0, 0).meta().set(column::UNCOMPRESSED_SIZE, Value::I64(100));
    // DuckDB has no use for the Arrow schema, and reads the lists as they are.
    add("list-of-fixed-size", file, false);
}

/// Lists in offset indexes. A document makes these fit, so they go into the finished file.
fn offset_indexes() -> Vec<Liar> {
    // OffsetIndex: 1 page_locations, 2 unencoded_byte_array_data_bytes
    let indexes = [(1, vec![(1, list(STRUCT))]), (2, vec![(1, Value::List(STRUCT, vec![])), (2, list(I64))])];
    let liar = |(field, index): (i16, Vec<(i16, Value)>)| {
        let file = document(numbers(), Some(Encoding::PLAIN), Compression::UNCOMPRESSED).write();
        let (mut footer, start) = pelton_tests::document::footer(&file);
        let entry = footer.list(file_metadata::ROW_GROUPS)[0].fields().list(row_group::COLUMNS)[0].fields();
        let index = Struct(index).write();
        // ColumnChunk: 4 offset_index_offset, 5 offset_index_length
        entry.set(4, Value::I64(start as i64));
        entry.set(5, Value::I32(index.len() as i32));
        let footer = footer.write();
        let length = (footer.len() as u32).to_le_bytes();
        let file = [&file[..start], &index, &footer, &length, b"PAR1"].concat();
        Liar { name: format!("offset-index-{field}"), file, is_refused: false }
    };
    indexes.into_iter().map(liar).collect()
}

/// Lists in column indexes, and where these lie.
fn column_indexes(add: &mut Add<'_>) {
    let numbers = || document(numbers(), Some(Encoding::PLAIN), Compression::UNCOMPRESSED);
    // fields of ColumnIndex: null_pages, min_values, max_values, null_counts, histograms
    for (field, element) in [(1, 1), (2, BINARY), (3, BINARY), (5, I64), (6, I64), (7, I64)] {
        let mut file = numbers();
        let index = chunk(&mut file, 0, 0).column_index.as_mut().expect("the writer makes one");
        index.set(field, list(element));
        add(&format!("column-index-{field}"), file, false);
    }
    for (name, offset, length) in [("far", 1i64 << 50, 100), ("long", 4, i32::MAX), ("elsewhere", 4, 1)] {
        let mut file = numbers();
        // ColumnChunk: 6 column_index_offset, 7 column_index_length
        let Chunk { chunk, column_index, .. } = chunk(&mut file, 0, 0);
        *column_index = None;
        chunk.set(6, Value::I64(offset));
        chunk.set(7, Value::I32(length));
        add(&format!("index-that-is-{name}"), file, false);
    }
}

/// Writes the files to a folder; returns the names of the files that have to be refused.
fn write(scratch: &Scratch) -> Vec<String> {
    let liars = liars();
    assert!(liars.len() > 50, "{}", liars.len());
    for liar in &liars {
        scratch.write(&format!("files/{}.parquet", liar.name), &liar.file);
        assert!(liar.file.len() < 8000, "{}", liar.name);
    }
    liars.into_iter().filter(|liar| liar.is_refused).map(|liar| format!("{}.parquet", liar.name)).collect()
}

/// Runs a program in little memory.
fn run(program: &Path, arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {LIMIT}; exec \"$0\" \"$@\"")]).arg(program).args(arguments);
    command.current_dir(folder).env_remove("RUST_BACKTRACE").output().expect("a shell can be started")
}

/// Runs a Python program in little memory, on the files and the names of the refused ones.
fn run_python(python: &Path, program: &[&str], scratch: &Scratch, path: &Path) {
    let refused = write(scratch).join(" ");
    let folder = scratch.name("files");
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {LIMIT}; exec \"$0\" \"$@\"")]).arg(python).arg("-B");
    let output = command.args(program).args([&folder, &refused]).env("PYTHONPATH", path).output();
    let output = output.expect("a shell can be started");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{}\n{}{errors}",
        output.status,
        String::from_utf8_lossy(&output.stdout)
    );
}

/// Returns the folder of cargo's programs and libraries.
fn release() -> PathBuf {
    let program = std::env::current_exe().expect("a running program has a path");
    program.parent().and_then(Path::parent).expect("it is in target/release/deps").to_owned()
}

#[test]
fn the_command_takes_little_memory() {
    let pelton = release().join("pelton");
    assert!(pelton.exists(), "{} is missing; `make build` builds it", pelton.display());
    let scratch = Scratch::new();
    let refused = write(&scratch);
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(scratch.path("files")).expect("a folder") {
        let name = entry.expect("an entry").file_name().into_string().expect("a plain name");
        for (query, option) in [
            // All rows where they are few, and the first ones where they are claimed to be
            // billions.
            (format!("SELECT * FROM '{name}' LIMIT 100000"), "--threads=2"),
            (format!("SELECT * FROM '{name}' WHERE x IS NOT NULL LIMIT 100000"), "--no-encoded-filters"),
        ] {
            let arguments = ["sql", &query, option, "--format", "json", "--output", "/dev/null"];
            let output = run(&pelton, &arguments, &scratch.path("files"));
            let errors = String::from_utf8_lossy(&output.stderr);
            let is_line = errors.lines().count() == 1 && errors.starts_with(&format!("error: {name}"));
            let is_well = match output.status.code() {
                Some(0) => errors.is_empty() && !refused.contains(&name),
                Some(1) => is_line && !errors.contains("internal error"),
                _ => false,
            };
            if !is_well {
                wrong.push(format!("{name}, {option}: {}: {errors}", output.status));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn python_takes_little_memory() {
    let Some((python, package)) = crate::python::package() else { return };
    let program = "
import os, sys, pelton
folder, refused = sys.argv[1], sys.argv[2].split()
for name in sorted(os.listdir(folder)):
    for condition in ('', 'WHERE x IS NOT NULL'):
        try:
            rows = len(pelton.sql(f\"SELECT * FROM '{folder}/{name}' {condition} LIMIT 100000\").to_arrow())
            assert name not in refused, (name, rows)
        except pelton.Error as error:
            assert name in str(error) and '\\n' not in str(error) and 'internal' not in str(error), error
";
    run_python(&python, &["-c", program], &Scratch::new(), &package.path("."));
}

#[test]
fn duckdb_takes_little_memory() {
    let Some(python) = interpreter() else { return };
    let script = repository().join("tests/duckdb/claims.py");
    let script = script.to_str().expect("the repository has a plain name");
    let extension = crate::duckdb::extension();
    run_python(&python, &[script, extension], &Scratch::new(), Path::new(""));
}
