//! Invalid tables and queries: no files, files that don't fit together, names that are
//! not there.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::basic::Compression;
use pelton_tests::file::parquet;

use super::{properties, sample, sample_file};
use crate::support::{Scratch, check_message, engine, read, rows, sql};

fn file(columns: &[(&str, ArrayRef)]) -> Vec<u8> {
    let columns = columns.iter().map(|(name, array)| (*name, array.clone()));
    let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
    parquet(&[batch], properties(Compression::SNAPPY).build())
}

fn numbers() -> ArrayRef {
    Arc::new(Int64Array::from(vec![1, 2, 3]))
}

fn words() -> ArrayRef {
    Arc::new(StringArray::from(vec!["x", "y", "z"]))
}

#[test]
fn files_without_rows_are_read() {
    let scratch = Scratch::new();
    let empty = sample().slice(0, 0);
    let path = scratch.write(
        "empty.parquet",
        &parquet(&[empty], properties(Compression::GZIP(Default::default())).build()),
    );
    let engine = engine();
    assert_eq!(rows(&read(&engine, &path).expect("no rows are no error")), 0);
    for query in [
        "SELECT id FROM '$' WHERE id > 5",
        "SELECT id, count(*) FROM '$' GROUP BY id",
        "SELECT * FROM '$' LIMIT 3",
    ] {
        assert_eq!(rows(&sql(&engine, &query.replace('$', &path)).expect(query)), 0, "{query}");
    }
    let count = sql(&engine, &format!("SELECT count(*) AS n, max(id) AS m FROM '{path}'")).expect("a count");
    assert_eq!(pelton_tests::render::column(&count, "n"), ["0"]);
    assert_eq!(pelton_tests::render::column(&count, "m"), ["NULL"]);
    // among files with rows
    scratch.write("table/a.parquet", &std::fs::read(&path).expect("it is there"));
    scratch.write("table/b.parquet", &sample_file(Compression::SNAPPY));
    assert_eq!(rows(&read(&engine, &scratch.name("table")).expect("a table")), super::ROWS);
}

#[test]
fn files_without_columns_are_read_or_refused() {
    let scratch = Scratch::new();
    let batch = RecordBatch::new_empty(Arc::new(arrow::datatypes::Schema::empty()));
    let path = scratch.write("nothing.parquet", &parquet(&[batch], properties(Compression::SNAPPY).build()));
    match sql(&engine(), &format!("SELECT count(*) AS n FROM '{path}'")) {
        Ok(count) => assert_eq!(pelton_tests::render::column(&count, "n"), ["0"]),
        Err(message) => check_message(&message),
    }
}

fn fails(query: &str, words: &[&str]) {
    let message = sql(&engine(), query).expect_err(query);
    check_message(&message);
    for word in words {
        assert!(message.contains(word), "{query}: no {word:?} in {message}");
    }
}

#[test]
fn columns_of_one_name_are_refused() {
    // Arrow's own writer takes two columns of one name
    let fields = ["a", "b", "a"]
        .map(|name| arrow::datatypes::Field::new(name, arrow::datatypes::DataType::Int64, false));
    let schema = Arc::new(arrow::datatypes::Schema::new(fields.to_vec()));
    let batch =
        RecordBatch::try_new(schema, vec![numbers(), numbers(), numbers()]).expect("columns of one length");
    let scratch = Scratch::new();
    let path = scratch.write("twice.parquet", &parquet(&[batch], properties(Compression::SNAPPY).build()));
    fails(&format!("SELECT b FROM '{path}'"), &[&path, "two columns named a"]);
}

#[test]
fn a_directory_with_a_bad_file_is_refused_by_that_files_name() {
    let scratch = Scratch::new();
    for name in ["a", "b", "d"] {
        scratch.write(&format!("table/{name}.parquet"), &sample_file(Compression::SNAPPY));
    }
    let bad = scratch.write("table/c.parquet", &sample_file(Compression::SNAPPY)[..1000]);
    fails(
        &format!("SELECT count(*) FROM '{}'", scratch.name("table")),
        &[&bad, "not a readable Parquet file"],
    );
    fails(&format!("SELECT count(*) FROM '{}'", scratch.name("table/*.parquet")), &[&bad]);
    let message = engine().register("t", &scratch.name("table")).expect_err("one file is bad").to_string();
    assert!(message.starts_with(&format!("{bad}: ")), "{message}");
}

#[test]
fn a_directory_with_a_bad_page_is_refused_by_that_files_name() {
    let scratch = Scratch::new();
    scratch.write("table/a.parquet", &sample_file(Compression::SNAPPY));
    let mut document = super::plain_document(Compression::SNAPPY);
    super::chunk(&mut document, 1, super::ID).pages[1].claim(i32::MAX);
    let bad = scratch.write("table/b.parquet", &document.write());
    let place = super::place(1, "id", 1);
    fails(&format!("SELECT sum(id) FROM '{}'", scratch.name("table")), &[&format!("{bad}: {place}")]);
}

#[test]
fn a_column_that_one_file_lacks_is_named() {
    let scratch = Scratch::new();
    let first = scratch.write("table/a.parquet", &file(&[("n", numbers()), ("w", words())]));
    let second = scratch.write("table/b.parquet", &file(&[("n", numbers())]));
    let table = scratch.name("table");
    fails(&format!("SELECT n FROM '{table}'"), &[&second, "column w is missing", &first]);
}

#[test]
fn a_column_of_two_types_is_named() {
    let scratch = Scratch::new();
    let first = scratch.write("table/a.parquet", &file(&[("n", numbers())]));
    let second = scratch.write("table/b.parquet", &file(&[("n", words())]));
    fails(
        &format!("SELECT n FROM '{}'", scratch.name("table")),
        &[&second, "column n is VARCHAR here, and BIGINT in", &first],
    );
}

#[test]
fn partition_columns_that_differ_are_named() {
    let scratch = Scratch::new();
    scratch.write("table/year=2024/a.parquet", &file(&[("n", numbers())]));
    let second = scratch.write("table/month=5/a.parquet", &file(&[("n", numbers())]));
    fails(
        &format!("SELECT n FROM '{}'", scratch.name("table")),
        &["partition columns", "year", "month", &second],
    );
}

#[test]
fn places_without_files_are_named() {
    let scratch = Scratch::new();
    let missing = scratch.name("missing.parquet");
    fails(&format!("SELECT * FROM '{missing}'"), &[&missing, "no such file or directory"]);
    scratch.write("empty/readme.txt", b"no Parquet here");
    let empty = scratch.name("empty");
    fails(&format!("SELECT * FROM '{empty}'"), &[&empty, "the directory holds no file"]);
    let none = scratch.name("empty/*.parquet");
    fails(&format!("SELECT * FROM '{none}'"), &[&none, "no file matches"]);
    let pattern = scratch.name("empty/[.parquet");
    fails(&format!("SELECT * FROM '{pattern}'"), &[&pattern, "bad pattern"]);
    fails("SELECT * FROM 's3://bucket/file.parquet'", &["s3://bucket/file.parquet"]);
}

#[test]
fn a_directory_in_the_place_of_a_file_is_no_crash() {
    let scratch = Scratch::new();
    std::fs::create_dir_all(scratch.path("odd.parquet")).expect("a folder can be made");
    fails(&format!("SELECT * FROM '{}'", scratch.name("odd.parquet")), &["odd.parquet"]);
}

#[test]
fn queries_that_make_no_sense_are_refused() {
    let scratch = Scratch::new();
    let path = scratch.write("t.parquet", &sample_file(Compression::SNAPPY));
    fails("", &["the query is empty"]);
    fails(" ;\n", &["the query is empty"]);
    fails("SELEC 1", &["the query does not parse", "SELEC"]);
    fails("SELECT (1", &["the query does not parse"]);
    fails("SELECT 'one", &["the query does not parse"]);
    fails("SELECT 1; SELECT 2", &["statement"]);
    fails("SELECT * FROM nowhere", &["nowhere"]);
    fails(&format!("SELECT wrong FROM '{path}'"), &["wrong"]);
    fails(&format!("SELECT id + word FROM '{path}'"), &["there is no BIGINT + VARCHAR: cast one of them"]);
    fails(&format!("SELECT no_such_function(id) FROM '{path}'"), &["no_such_function"]);
    fails(&format!("SELECT cast(word AS BIGINT) FROM '{path}'"), &["the word"]);
    fails(&format!("SELECT id / 0 FROM '{path}'"), &["zero"]);
    fails(&format!("COPY (SELECT 1 / 0) TO '{}'", scratch.name("out.parquet")), &["zero"]);
    fails("CREATE TABLE x AS SELECT 1 / 0", &["zero"]);
    fails("SET datafusion.execution.batch_size = 1", &["no setting"]);
    assert!(!scratch.path("out.parquet").exists());
}

#[test]
fn a_query_nested_too_deeply_is_refused_or_answered() {
    let query = format!("SELECT {}1{} AS n", "(".repeat(5_000), ")".repeat(5_000));
    match sql(&engine(), &query) {
        Ok(rows) => assert_eq!(pelton_tests::render::column(&rows, "n"), ["1"]),
        Err(message) => check_message(&message),
    }
    let sum = format!("SELECT {} AS n", vec!["1"; 500].join(" + "));
    let rows = sql(&engine(), &sum).expect("a long sum is a query like others");
    assert_eq!(pelton_tests::render::column(&rows, "n"), ["500"]);
}
