//! Footers that no sound file has: crafted against parsers, encrypted, or with another codec than
//! the pages have. A footer that aims at a crash is read in a process of its own.

use parquet::basic::Compression;
use pelton_random::Random;
use pelton_tests::child;
use pelton_tests::document::{column, file_metadata, footer};
use pelton_tests::file::codecs;
use pelton_tests::thrift::{Struct, Value};

use super::{WORD, chunk, plain_document, refused, sample_file};
use crate::support::{Scratch, check_message, engine, read};

/// Maximum memory of a process that refuses a file of a few KB: a tenth of the claims.
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

/// Makes a `SchemaElement` with repetition_type, name and num_children.
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
    // created_by: the largest length, and no text; its type is Thrift's binary
    let file = with_footer(|footer| footer.set(6, Value::Raw(8, vec![0xff, 0xff, 0xff, 0xff, 0x07])));
    refused_in_child(&file, &[]);
}

#[test]
fn required_fields_that_are_missing_are_named_or_refused() {
    for field in [file_metadata::SCHEMA, file_metadata::NUM_ROWS, file_metadata::ROW_GROUPS] {
        let file = with_footer(|footer| drop(footer.remove(field)));
        refused(&file, &["not a readable Parquet file"]);
    }
}

#[test]
fn noise_in_the_place_of_a_footer_is_refused() {
    let file = sample_file(Compression::SNAPPY);
    let (_, start) = footer(&file);
    let mut random = Random::new(7);
    for length in [0, 1, 2, 50, 500, 5000] {
        let noise: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
        let damaged = [&file[..start], &noise, &(noise.len() as u32).to_le_bytes(), b"PAR1"].concat();
        refused(&damaged, &[]);
    }
}

const ENCRYPTED: &str = "the file is encrypted, which Pelton does not read";

#[test]
fn an_encrypted_footer_is_refused() {
    let mut file = sample_file(Compression::SNAPPY);
    let length = file.len();
    file[..4].copy_from_slice(b"PARE");
    file[length - 4..].copy_from_slice(b"PARE");
    refused(&file, &[ENCRYPTED]);
}

#[test]
fn a_plain_footer_that_says_so_is_refused() {
    let mut document = plain_document(Compression::SNAPPY);
    // EncryptionAlgorithm is a union of AesGcmV1 and AesGcmCtrV1, and all of their fields are
    // optional
    let algorithm = Struct(vec![(1, Value::Struct(Struct::default()))]);
    document.footer.set(file_metadata::ENCRYPTION_ALGORITHM, Value::Struct(algorithm));
    refused(&document.write(), &[ENCRYPTED]);
}

/// `CompressionCodec` of parquet.thrift.
const CODECS: [(&str, i32); 7] =
    [("uncompressed", 0), ("snappy", 1), ("gzip", 2), ("brotli", 4), ("lz4", 5), ("zstd", 6), ("lz4_raw", 7)];

fn with_codec(written: Compression, claimed: i32) -> Vec<u8> {
    let mut document = plain_document(written);
    chunk(&mut document, 1, WORD).meta().set(column::CODEC, Value::I32(claimed));
    document.write()
}

#[test]
fn pages_of_another_codec_are_refused() {
    for (written, codec) in codecs() {
        for (claimed, number) in CODECS {
            // parquet's old LZ4 may be a raw block as well
            if written == claimed || (written, claimed) == ("lz4_raw", "lz4") {
                continue;
            }
            refused(&with_codec(codec, number), &["row group 1, column word, page 0: "]);
        }
    }
}

#[test]
fn a_raw_block_under_the_old_lz4_name_is_read() {
    let scratch = Scratch::new();
    let path = scratch.write("raw.parquet", &with_codec(Compression::LZ4_RAW, 5));
    let rows = read(&engine(), &path).expect("both are in use");
    pelton_tests::compare::assert_same(&rows, &[super::sample()], "a raw block as LZ4");
}

#[test]
fn a_codec_that_nobody_reads_is_refused() {
    let message = refused(&with_codec(Compression::SNAPPY, 3), &["codec LZO is not supported"]);
    assert!(message.starts_with("row group 1, column word: "), "{message}");
}

#[test]
fn a_codec_that_parquet_does_not_define_is_refused() {
    for number in [8, 99, -1, i32::MAX] {
        let message = refused(&with_codec(Compression::SNAPPY, number), &[]);
        assert_eq!(message, format!("row group 1, column word: codec {number} is not supported"));
    }
}
