//! Footers that no writer writes, made to break who parses them. Each is read in a process of its
//! own, since what it aims at is a crash.

use parquet::basic::Compression;
use pelton_tests::child;
use pelton_tests::document::{file_metadata, footer};
use pelton_tests::random::Random;
use pelton_tests::thrift::{Struct, Value};

use super::sample_file;
use crate::support::{Scratch, check_message, engine, read};

/// Memory that a process that refuses a file of a few KB may take; a tenth of what the lies would
/// have it take.
const MEMORY: u64 = 300 << 20;

/// In a child: reads a file, which has to be refused.
#[test]
fn in_child_reads() {
    let Some(path) = child::argument() else { return };
    let message = read(&engine(), &path).expect_err("the file is bad");
    check_message(&message);
    assert!(message.starts_with(&format!("{path}: ")), "{message}");
    println!("\nmessage: {message}");
    child::report();
}

fn refused_in_child(file: &[u8], words: &[&str]) {
    let scratch = Scratch::new();
    let path = scratch.write("bad.parquet", file);
    let ended = child::run("bad_input::footer::in_child_reads", &path);
    assert!(ended.well, "{}", ended.output);
    assert!(ended.peak_memory < MEMORY, "{} MB", ended.peak_memory >> 20);
    for word in words {
        assert!(ended.output.contains(word), "no {word:?} in {}", ended.output);
    }
}

fn with_footer(change: impl FnOnce(&mut Struct)) -> Vec<u8> {
    let file = sample_file(Compression::SNAPPY);
    let (mut footer, start) = footer(&file);
    change(&mut footer);
    let footer = footer.write();
    [&file[..start], &footer, &(footer.len() as u32).to_le_bytes(), b"PAR1"].concat()
}

/// `SchemaElement`: 3 repetition_type, 4 name, 5 num_children.
fn group(name: &str, children: i32) -> Value {
    let name = Value::Binary(name.as_bytes().to_vec());
    Value::Struct(Struct(vec![(3, Value::I32(1)), (4, name), (5, Value::I32(children))]))
}

fn leaf(name: &str) -> Value {
    let name = Value::Binary(name.as_bytes().to_vec());
    Value::Struct(Struct(vec![(1, Value::I32(1)), (3, Value::I32(1)), (4, name)]))
}

#[test]
fn a_schema_nested_a_million_deep_is_refused() {
    let file = with_footer(|footer| {
        let schema = footer.list(file_metadata::SCHEMA);
        schema.clear();
        schema.extend((0..1_000_000).map(|_| group("g", 1)));
        schema.push(leaf("x"));
    });
    refused_in_child(&file, &["nests"]);
}

#[test]
fn a_schema_nested_as_deep_as_files_are_is_read() {
    let file = with_footer(|footer| {
        let schema = footer.list(file_metadata::SCHEMA);
        schema.clear();
        schema.extend((0..90).map(|_| group("g", 1)));
        schema.push(leaf("x"));
        footer.list(file_metadata::ROW_GROUPS).clear();
        footer.set(file_metadata::NUM_ROWS, Value::I64(0));
        // FileMetaData.column_orders has an entry a column; key_value_metadata has the schema as
        // Arrow wrote it
        footer.remove(7);
        footer.remove(5);
    });
    let scratch = Scratch::new();
    let rows = read(&engine(), &scratch.write("deep.parquet", &file)).expect("no rows of one column");
    assert_eq!(crate::support::rows(&rows), 0);
}

#[test]
fn a_group_that_claims_two_billion_children_is_refused() {
    let file = with_footer(|footer| footer.list(file_metadata::SCHEMA)[0] = group("schema", i32::MAX));
    refused_in_child(&file, &["2147483647"]);
    let file = with_footer(|footer| footer.list(file_metadata::SCHEMA)[0] = group("schema", -1));
    refused_in_child(&file, &[]);
}

#[test]
fn lists_that_claim_two_billion_entries_are_refused() {
    for field in [file_metadata::SCHEMA, file_metadata::ROW_GROUPS, 5, 7] {
        let file = with_footer(|footer| footer.set(field, Value::list_that_claims(i32::MAX as u64)));
        refused_in_child(&file, &[]);
    }
    // the chunks of a row group
    let file = with_footer(|footer| {
        let group = footer.list(file_metadata::ROW_GROUPS)[0].fields();
        group.set(1, Value::list_that_claims(i32::MAX as u64));
    });
    refused_in_child(&file, &[]);
}

#[test]
fn text_that_claims_two_gigabytes_is_refused() {
    // created_by: a length of 2^31 - 1, and no text; 8 is Thrift's type of binary
    let file = with_footer(|footer| footer.set(6, Value::Raw(8, vec![0xff, 0xff, 0xff, 0xff, 0x07])));
    refused_in_child(&file, &[]);
}

#[test]
fn required_fields_that_are_missing_are_named_or_refused() {
    for field in [file_metadata::SCHEMA, file_metadata::NUM_ROWS, file_metadata::ROW_GROUPS] {
        let file = with_footer(|footer| drop(footer.remove(field)));
        super::refused(&file, &["not a readable Parquet file"]);
    }
}

#[test]
fn noise_in_the_place_of_a_footer_is_refused() {
    let file = sample_file(Compression::SNAPPY);
    let (_, start) = footer(&file);
    let mut random = Random::new(7);
    for length in [0, 1, 2, 50, 500, 5000] {
        let noise: Vec<u8> = (0..length).map(|_| random.draw() as u8).collect();
        let damaged = [&file[..start], &noise, &(noise.len() as u32).to_le_bytes(), b"PAR1"].concat();
        super::refused(&damaged, &[]);
    }
}
