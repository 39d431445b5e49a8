//! Small files that claim, or really hold, far more than fits in memory. Each runs in a process of
//! its own, and the process's memory is measured.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::basic::Compression;
use parquet::file::properties::EnabledStatistics;
use pelton::Engine;
use pelton_codec::{Encoder, Format};
use pelton_tests::child;
use pelton_tests::document::{Document, column, file_metadata, page_header, row_group};
use pelton_tests::file::{parquet, small_pages};
use pelton_tests::thrift::Value;

use super::chunk;
use crate::support::{Scratch, check_message, sql};

/// The limit that the engine gets.
const LIMIT: usize = 64 << 20;
/// Maximum resident memory of a process that keeps to the limit: the limit, the same again for
/// uncounted memory (the router's buffers, batches in flight), and that of any process with
/// DataFusion.
const RESIDENT: u64 = 2 * LIMIT as u64 + (150 << 20);

/// In a child: queries a file within the limit, and prints the outcome.
fn answer(queries: &[&str]) {
    let Some(path) = child::argument() else { return };
    let engine = Engine::builder().threads(2).memory_limit(LIMIT).build().expect("an engine");
    for query in queries {
        match sql(&engine, &query.replace('$', &path)) {
            Ok(rows) => println!("\nrows: {}", crate::support::rows(&rows)),
            Err(message) => {
                check_message(&message);
                println!("\nmessage: {message}");
            }
        }
    }
    child::report();
}

#[test]
fn in_child_reads_within_the_limit() {
    answer(&[
        "SELECT count(DISTINCT word) FROM '$'",
        "SELECT count(*) FROM '$' WHERE word LIKE '%x'",
        "SELECT max(word) FROM '$'",
    ]);
}

#[test]
fn in_child_reads_numbers_within_the_limit() {
    answer(&["SELECT count(n) FROM '$'", "SELECT sum(n) FROM '$' WHERE n IS NULL OR n > 7"]);
}

fn read_in_child(file: &[u8]) -> child::Ended {
    in_child("in_child_reads_within_the_limit", file)
}

fn in_child(test: &str, file: &[u8]) -> child::Ended {
    let scratch = Scratch::new();
    let path = scratch.write("bomb.parquet", file);
    let ended = child::run(&format!("bad_input::bomb::{test}"), &path);
    assert!(ended.well, "{}", ended.output);
    assert!(ended.peak_memory < RESIDENT, "{} MB resident: {}", ended.peak_memory >> 20, ended.output);
    ended
}

/// Returns one column, one row group, 30 pages of 10 strings.
fn document(codec: Compression) -> Document {
    let words: ArrayRef = Arc::new(StringArray::from_iter_values((0..300).map(|row| format!("word {row}"))));
    let batch = RecordBatch::try_from_iter([("word", words)]).expect("one column");
    let properties = small_pages(codec, 10, 300).set_dictionary_enabled(false);
    Document::parse(&parquet(&[batch], properties.build()))
}

const PAGES: usize = 30;

fn formats() -> [(Compression, Format); 4] {
    [
        (Compression::GZIP(Default::default()), Format::Gzip),
        (Compression::ZSTD(Default::default()), Format::Zstd),
        (Compression::BROTLI(Default::default()), Format::Brotli),
        (Compression::SNAPPY, Format::Snappy),
    ]
}

/// `size` zeros, compressed. Strings without bytes, if anything decodes them.
fn zeros(format: Format, size: usize) -> Vec<u8> {
    let plain = vec![0; size];
    let mut packed = vec![0; pelton_codec::compress_bound(format, size)];
    let level = pelton_codec::Level::default_of(format);
    let progress = Encoder::new().compress(format, level, &plain, &mut packed).expect("there is room");
    packed.truncate(progress.produced);
    packed
}

#[test]
fn a_page_that_expands_beyond_its_claim_is_refused() {
    for (codec, format) in formats() {
        // many zeros that claim the page's size
        let mut document = document(codec);
        let page = &mut chunk(&mut document, 0, 0).pages[7];
        page.set_body(zeros(format, 256 << 20));
        let ended = read_in_child(&document.write());
        assert!(ended.output.contains("row group 0, column word, page 7: "), "{format}: {}", ended.output);
    }
}

#[test]
fn pages_that_expand_as_claimed_keep_to_the_limit() {
    for (codec, format) in formats() {
        // large pages, and a footer that admits their size: a thousand times the file's
        const SIZE: usize = 40 << 20;
        let mut document = document(codec);
        let body = zeros(format, SIZE);
        let chunk = chunk(&mut document, 0, 0);
        for page in &mut chunk.pages {
            page.set_body(body.clone());
            page.claim(SIZE as i32);
        }
        chunk.meta().set(column::UNCOMPRESSED_SIZE, Value::I64((SIZE * PAGES + 10_000) as i64));
        let ended = read_in_child(&document.write());
        assert!(ended.output.contains("message: "), "{format}: {}", ended.output);
    }
}

#[test]
fn pages_that_are_more_than_their_chunk_keep_to_the_limit() {
    for (codec, format) in formats() {
        // the footer claims little more for the chunk than each of its pages does
        const SIZE: usize = 40 << 20;
        let mut document = document(codec);
        let body = zeros(format, SIZE);
        let chunk = chunk(&mut document, 0, 0);
        for page in &mut chunk.pages {
            page.set_body(body.clone());
            page.claim(SIZE as i32);
        }
        chunk.meta().set(column::UNCOMPRESSED_SIZE, Value::I64((SIZE + (1 << 20)) as i64));
        let ended = read_in_child(&document.write());
        assert!(ended.output.contains("message: "), "{format}: {}", ended.output);
    }
}

#[test]
fn pages_that_are_more_than_their_chunk_are_refused_by_name() {
    let mut document = document(Compression::GZIP(Default::default()));
    let chunk = chunk(&mut document, 0, 0);
    let whole = chunk.meta().int(column::UNCOMPRESSED_SIZE);
    chunk.pages[0].claim(whole as i32 - 10);
    let message =
        super::refused(&document.write(), &["row group 0, column word, page 1: bad page header: it claims "]);
    assert!(message.ends_with(&format!("its whole chunk has {whole}, 10 left")), "{message}");
}

#[test]
fn a_page_larger_than_the_limit_is_refused_by_name() {
    let mut document = document(Compression::GZIP(Default::default()));
    let chunk = chunk(&mut document, 0, 0);
    chunk.pages[0].claim(i32::MAX);
    chunk.meta().set(column::UNCOMPRESSED_SIZE, Value::I64(1 << 33));
    let ended = read_in_child(&document.write());
    assert!(ended.output.contains("message: "), "{}", ended.output);
}

#[test]
fn without_a_limit_a_page_of_two_gigabytes_is_refused() {
    let mut document = document(Compression::BROTLI(Default::default()));
    let chunk = chunk(&mut document, 0, 0);
    // about the size of two gigabytes of compressed zeros
    chunk.pages[0].set_body(vec![0x55; 1000]);
    chunk.pages[0].header.set(page_header::UNCOMPRESSED_SIZE, Value::I32(i32::MAX));
    chunk.meta().set(column::UNCOMPRESSED_SIZE, Value::I64(1 << 33));
    super::refused(&document.write(), &["row group 0, column word, page 0: ", "over the limit of"]);
}

#[test]
fn a_page_that_claims_more_than_its_bytes_can_hold_is_refused() {
    for (codec, _) in formats() {
        let mut document = document(codec);
        let chunk = chunk(&mut document, 0, 0);
        chunk.pages[3].claim(i32::MAX);
        chunk.meta().set(column::UNCOMPRESSED_SIZE, Value::I64(1 << 33));
        let place = "row group 0, column word, page 3: bad page header: it claims 2147483647 bytes, its ";
        super::refused(&document.write(), &[place, "compressed ones hold"]);
    }
}

#[test]
fn a_dictionary_bomb_keeps_to_the_limit() {
    // 1 MB strings, 100 of them in the dictionary; each value of the page is one of them, and all
    // come out as views
    let words: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..300).map(|row| format!("word {}", row % 7))));
    let batch = RecordBatch::try_from_iter([("word", words)]).expect("one column");
    let codec = Compression::GZIP(Default::default());
    let mut document = Document::parse(&parquet(&[batch], small_pages(codec, 10, 300).build()));
    const WORD: u32 = 30 << 20;
    // seven strings of 30 MB, plainly: four bytes of length, then the bytes
    let mut plain = Vec::new();
    for _ in 0..7 {
        plain.extend(WORD.to_le_bytes());
        plain.resize(plain.len() + WORD as usize, b'x');
    }
    let mut packed = vec![0; pelton_codec::compress_bound(Format::Gzip, plain.len())];
    let level = pelton_codec::Level::default_of(Format::Gzip);
    let progress = Encoder::new().compress(Format::Gzip, level, &plain, &mut packed).expect("there is room");
    let chunk = chunk(&mut document, 0, 0);
    chunk.pages[0].set_body(packed[..progress.produced].to_vec());
    chunk.pages[0].claim(plain.len() as i32);
    chunk.meta().set(column::UNCOMPRESSED_SIZE, Value::I64(plain.len() as i64 + 10_000));
    let ended = read_in_child(&document.write());
    assert!(ended.output.contains("message: "), "{}", ended.output);
}

#[test]
fn pages_unevenly_spread_keep_to_the_limit() {
    // Numbers for many scan ranges. The pages of one range are large, the others small: together
    // they match the footer, which claims little for the average page.
    const SIZE: usize = 60 << 20;
    let words: ArrayRef = Arc::new(StringArray::from_iter_values((0..2_000_000).map(|_| "")));
    let batch = RecordBatch::try_from_iter([("word", words)]).expect("one column");
    let codec = Compression::GZIP(Default::default());
    let properties = small_pages(codec, 10_000, 2_000_000).set_dictionary_enabled(false);
    let mut document = Document::parse(&parquet(&[batch], properties.build()));
    let body = zeros(Format::Gzip, SIZE);
    let chunk = chunk(&mut document, 0, 0);
    for page in &mut chunk.pages[65..72] {
        page.set_body(body.clone());
        page.claim(SIZE as i32);
    }
    chunk.meta().set(column::UNCOMPRESSED_SIZE, Value::I64((SIZE * 7 + (20 << 20)) as i64));
    read_in_child(&document.write());
}

#[test]
fn nulls_by_the_hundred_million_keep_to_the_limit() {
    // one tiny page of nulls, which decode to two gigabytes of numbers
    const NULLS: u64 = 1 << 28;
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![None; 8]));
    let batch = RecordBatch::try_from_iter([("n", numbers)]).expect("one column");
    let properties = small_pages(Compression::UNCOMPRESSED, 10, 300)
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true);
    let mut document = Document::parse(&parquet(&[batch], properties.build()));
    document.footer.set(file_metadata::NUM_ROWS, Value::I64(NULLS as i64));
    document.row_group(0).set(row_group::NUM_ROWS, Value::I64(NULLS as i64));
    let chunk = chunk(&mut document, 0, 0);
    chunk.meta().set(column::NUM_VALUES, Value::I64(NULLS as i64));
    // the levels: their length, then one run of zeros. The run's header is its length and a zero
    // bit, as a varint.
    let mut run = Vec::new();
    let mut header = NULLS << 1;
    while header > 0x7f {
        run.push(header as u8 | 0x80);
        header >>= 7;
    }
    run.extend([header as u8, 0]);
    let body = [&(run.len() as u32).to_le_bytes()[..], &run].concat();
    let page = &mut chunk.pages[0];
    page.claim(body.len() as i32);
    page.set_body(body);
    // num_values is field 1 of DataPageHeader
    page.header.inner(page_header::DATA_V1).set(1, Value::I32(NULLS as i32));
    let ended = in_child("in_child_reads_numbers_within_the_limit", &document.write());
    // batch by batch there is room; all of them, for the filter, are too many
    assert!(ended.output.contains("rows: 1") && ended.output.contains("message: "), "{}", ended.output);
}
