//! Counters of a scan, compared with the footer.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::basic::Compression;
use parquet::file::properties::WriterVersion;
use pelton::Engine;
use pelton::codec::{BatchInflater, BatchIsaLevel, Format, stored};
use pelton::job::Operation;
use pelton_tests::document::{Document, column, page_header};
use pelton_tests::file::{codecs, parquet, small_pages};

use crate::support::{Scratch, engine, rows, with_totals};

const ROWS: usize = 30_000;
const PAGE: usize = 500;
const GROUP: usize = 10_000;

/// `id` is sorted, `word` is not.
fn batch() -> RecordBatch {
    let id: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS as i64));
    let word = (0..ROWS).map(|row| format!("word {} of many", row * 7919 % ROWS));
    let word: ArrayRef = Arc::new(StringArray::from_iter_values(word));
    RecordBatch::try_from_iter([("id", id), ("word", word)]).expect("columns of one length")
}

fn file(codec: Compression, version: WriterVersion) -> Vec<u8> {
    parquet(&[batch()], small_pages(codec, PAGE, GROUP).set_writer_version(version).build())
}

/// Pages of the columns with their bytes, compressed and decompressed, from their headers.
#[derive(Debug, Default, PartialEq)]
struct Pages {
    pages: u64,
    bytes_in: u64,
    bytes_out: u64,
    /// Bytes of the chunks in the file, headers included.
    chunks: u64,
}

///
/// Counts the pages of the columns in `format`; uncompressed ones are left out, since nothing is
/// decompressed.
fn pages(file: &[u8], columns: &[usize], format: Option<Format>) -> Pages {
    let mut sum = Pages::default();
    for group in &mut Document::parse(file).row_groups {
        for &index in columns {
            let chunk = &mut group[index];
            sum.chunks += chunk.meta().int(column::COMPRESSED_SIZE) as u64;
            for page in &mut chunk.pages {
                // levels of version 2 are outside of the compressed bytes; a page may be
                // uncompressed
                let levels = match page.header.get(page_header::DATA_V2) {
                    Some(_) => {
                        let header = page.header.inner(page_header::DATA_V2);
                        if header.get(7) == Some(&pelton_tests::thrift::Value::Bool(false)) {
                            continue;
                        }
                        header.int(5) + header.int(6)
                    }
                    None => 0,
                };
                if levels == 0 && format.is_some_and(|format| stored(format, &page.body).is_some()) {
                    continue;
                }
                sum.pages += 1;
                sum.bytes_in += (page.body.len() as i64 - levels) as u64;
                sum.bytes_out += (page.header.int(page_header::UNCOMPRESSED_SIZE) - levels) as u64;
            }
        }
    }
    sum
}

/// Returns the names under which the counters have the codecs.
fn counted_as(codec: &str) -> Option<&'static str> {
    Some(match codec {
        "snappy" => "snappy",
        "gzip" => "gzip",
        "brotli" => "brotli",
        "zstd" => "zstd",
        "lz4" => "lz4-hadoop",
        "lz4_raw" => "lz4",
        _ => return None,
    })
}

#[test]
fn a_scan_counts_the_pages_and_bytes_that_the_footer_has() {
    let scratch = Scratch::new();
    for (name, codec) in codecs() {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let file = file(codec, version);
            let path = scratch.write("counted.parquet", &file);
            let format = counted_as(name);
            let expected = pages(&file, &[0, 1], format.and_then(|format| format.parse().ok()));
            let engine = engine();
            let (batches, totals) = with_totals(&engine, &format!("SELECT * FROM '{path}'"));
            assert_eq!(rows(&batches), ROWS);
            assert_eq!(totals.bytes_read, expected.chunks, "{name}, {version:?}");
            assert_eq!(totals.rows_decoded, ROWS as u64);
            assert_eq!(totals.rows_selected, ROWS as u64);
            assert_eq!((totals.row_groups_read, totals.row_groups_pruned), (3, 0));
            assert_eq!(totals.pages_skipped, 0, "{name}, {version:?}");
            let Some(format) = format else {
                assert!(totals.decompression.is_empty(), "{name}: {totals:?}");
                continue;
            };
            let entry = totals.decompression.get(&(format, Arc::from("cpu"))).copied().unwrap_or_default();
            // codes of a word each are as good as random, which in version 2 the writer says of
            // their pages
            let all = pages(&file, &[0, 1], None).pages;
            let are_stored = version == WriterVersion::PARQUET_1_0 && (name == "snappy" || name == "lz4_raw");
            assert!(expected.pages < all || !are_stored, "{name}: {expected:?} of {all}");
            assert_eq!(totals.decompression.len(), 1, "{name}: one format on one device: {totals:?}");
            assert_eq!(
                (entry.pages, entry.bytes_in, entry.bytes_out),
                (expected.pages, expected.bytes_in, expected.bytes_out),
                "{name}, {version:?}"
            );
        }
    }
}

#[test]
fn the_router_counts_the_same_and_nothing_falls_back() {
    let scratch = Scratch::new();
    let file = file(Compression::GZIP(Default::default()), WriterVersion::PARQUET_1_0);
    let path = scratch.write("counted.parquet", &file);
    let expected = pages(&file, &[0, 1], None);
    let engine = engine();
    with_totals(&engine, &format!("SELECT * FROM '{path}'"));
    let counters = engine.router().counters();
    let row = counters.row("cpu", Operation::Decompress { format: Format::Gzip });
    assert_eq!((row.tried, row.done), (expected.pages, expected.pages), "{counters}");
    assert_eq!((row.bytes_in, row.bytes_out), (expected.bytes_in, expected.bytes_out), "{counters}");
    let total = counters.total("cpu");
    assert_eq!((total.failed, total.cancelled), (0, 0), "{counters}");
    assert_eq!((total.refused_total(), total.fell_back_total()), (0, 0), "{counters}");
    assert_eq!(total.tried, expected.pages, "nothing else was asked for: {counters}");
}

#[test]
fn a_projection_reads_its_column_only() {
    let scratch = Scratch::new();
    let file = file(Compression::GZIP(Default::default()), WriterVersion::PARQUET_1_0);
    let path = scratch.write("counted.parquet", &file);
    for (index, name) in ["id", "word"].into_iter().enumerate() {
        let (_, totals) = with_totals(&engine(), &format!("SELECT {name} FROM '{path}'"));
        let expected = pages(&file, &[index], None);
        assert_eq!(totals.bytes_read, expected.chunks, "{name}");
        assert_eq!(totals.bytes_decompressed(), expected.bytes_out, "{name}");
    }
}

#[test]
fn pruning_reads_less() {
    let scratch = Scratch::new();
    let properties =
        small_pages(Compression::GZIP(Default::default()), PAGE, GROUP).set_dictionary_enabled(false);
    let path = scratch.write("counted.parquet", &parquet(&[batch()], properties.build()));
    let engine = engine();
    let (_, whole) = with_totals(&engine, &format!("SELECT * FROM '{path}'"));

    // by the bounds of row groups: one of three
    let (batches, one) =
        with_totals(&engine, &format!("SELECT * FROM '{path}' WHERE id >= 10000 AND id < 20000"));
    assert_eq!(rows(&batches), GROUP);
    assert_eq!((one.row_groups_read, one.row_groups_pruned), (1, 2));
    assert!(one.bytes_read < whole.bytes_read / 2, "{} of {}", one.bytes_read, whole.bytes_read);

    // by the page index: two of twenty pages of each column
    let (batches, few) =
        with_totals(&engine, &format!("SELECT * FROM '{path}' WHERE id >= 12000 AND id < 13000"));
    assert_eq!(rows(&batches), 1_000);
    assert_eq!((few.row_groups_read, few.row_groups_pruned), (1, 2));
    assert_eq!((few.pages_read, few.pages_skipped), (2 * 2, 2 * 18), "{few:?}");
    assert_eq!(few.rows_decoded, 1_000, "{few:?}");
    assert!(few.bytes_read < one.bytes_read / 8, "{} of {}", few.bytes_read, one.bytes_read);
    assert!(few.bytes_decompressed() < one.bytes_decompressed() / 8, "{few:?}");

    // nothing is left: nothing is read
    let (batches, none) = with_totals(&engine, &format!("SELECT * FROM '{path}' WHERE id > 1000000"));
    assert_eq!(rows(&batches), 0);
    assert_eq!((none.row_groups_read, none.row_groups_pruned), (0, 3));
    assert_eq!((none.bytes_read, none.pages_read), (0, 0), "{none:?}");
}

#[test]
fn late_materialisation_reads_only_pages_with_survivors() {
    let scratch = Scratch::new();
    let file = file(Compression::SNAPPY, WriterVersion::PARQUET_1_0);
    let path = scratch.write("counted.parquet", &file);
    // one row in each row group, which no statistics can tell
    let query = format!("SELECT word FROM '{path}' WHERE id % 10000 = 4321");
    let (batches, totals) = with_totals(&engine(), &query);
    assert_eq!(rows(&batches), 3);
    assert_eq!((totals.rows_decoded, totals.rows_selected), (ROWS as u64, 3));
    // all of `id`, and of `word` a page and a dictionary in each row group
    let id = pages(&file, &[0], None);
    assert!(totals.pages_read <= id.pages + 6, "{totals:?}");
    assert!(totals.pages_skipped >= 3 * 19, "{totals:?}");
    let word = pages(&file, &[1], None);
    assert!(totals.bytes_read < id.chunks + word.chunks, "{totals:?}");
}

#[test]
fn a_join_filter_that_left_rows_in_still_rules_out_row_groups() {
    const GROUPS: usize = 40;
    let scratch = Scratch::new();
    let write = |name, rows: usize| {
        let id: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows as i64));
        let batch = RecordBatch::try_from_iter([("id", id)]).expect("a column");
        scratch.write(name, &parquet(&[batch], small_pages(Compression::SNAPPY, GROUP, GROUP).build()))
    };
    let sorted = write("sorted.parquet", GROUPS * GROUP);
    // all rows of the first half pass, so that the filter is soon not evaluated any more
    let half = write("half.parquet", GROUPS / 2 * GROUP);
    let query =
        format!("SELECT count(*) AS n FROM '{sorted}' AS large JOIN '{half}' AS keys ON large.id = keys.id");
    let engine = Engine::builder().threads(1).build().expect("an engine");
    let (batches, totals) = with_totals(&engine, &query);
    assert_eq!(pelton_tests::render::column(&batches, "n"), [(GROUPS / 2 * GROUP).to_string()]);
    // those of the keys are read whole
    let (read, pruned) = (GROUPS as u64, GROUPS as u64 / 2);
    assert_eq!((totals.row_groups_read, totals.row_groups_pruned), (read, pruned));
}

#[test]
fn a_limit_stops_reading() {
    let scratch = Scratch::new();
    let file = file(Compression::SNAPPY, WriterVersion::PARQUET_1_0);
    let path = scratch.write("counted.parquet", &file);
    let engine = Engine::builder().threads(1).build().expect("an engine");
    let (batches, totals) = with_totals(&engine, &format!("SELECT * FROM '{path}' LIMIT 10"));
    assert_eq!(rows(&batches), 10);
    // the first row group, and one that was read ahead
    assert!(totals.row_groups_read <= 2, "{totals:?}");
}

#[test]
fn progress_goes_from_nothing_to_all() {
    let scratch = Scratch::new();
    let file = file(Compression::SNAPPY, WriterVersion::PARQUET_1_0);
    let path = scratch.write("counted.parquet", &file);
    let engine = engine();
    let query = engine.query(&format!("SELECT * FROM '{path}'")).expect("a good file");
    let handle = query.progress_handle();
    assert_eq!(handle.progress().rows_out, 0);
    assert_eq!(handle.progress().bytes_total, pages(&file, &[0, 1], None).chunks);
    let mut last = handle.progress();
    for batch in query {
        batch.expect("a good file");
        let now = handle.progress();
        assert!(now.rows_out > last.rows_out && now.bytes_read >= last.bytes_read, "{last:?}, then {now:?}");
        last = now;
    }
    assert_eq!((last.rows_out, last.bytes_read), (ROWS as u64, last.bytes_total));
}

#[test]
fn a_cancelled_query_says_so() {
    let scratch = Scratch::new();
    let path = scratch.write("counted.parquet", &file(Compression::SNAPPY, WriterVersion::PARQUET_1_0));
    let engine = engine();
    let mut query = engine.query(&format!("SELECT * FROM '{path}'")).expect("a good file");
    query.next().expect("there are rows").expect("a good file");
    let handle = query.cancel_handle();
    std::thread::spawn(move || handle.cancel()).join().expect("cancelling does not fail");
    let error = query.next().expect("what was asked for gets an answer").expect_err("it was cancelled");
    assert_eq!(error.to_string(), "cancelled");
    assert!(query.next().is_none());
    // the engine goes on
    assert_eq!(rows(&crate::support::read(&engine, &path).expect("a good file")), ROWS);
}

/// A silent return to one page at a time would cost a tenth of a scan's time, and nothing else
/// would show it.
#[test]
fn pages_of_gzip_are_decompressed_side_by_side() {
    let scratch = Scratch::new();
    let gzip = Compression::GZIP(Default::default());
    // Hexadecimal digits make pages of 20 KB that compress to half, which gain from it.
    let word =
        |row: u64| format!("{:016x}", row.wrapping_mul(0x9E37_79B9_7F4A_7C15).swap_bytes() ^ row << 17);
    let word: ArrayRef = Arc::new(StringArray::from_iter_values((0..ROWS as u64).map(word)));
    let batch = RecordBatch::try_from_iter([("word", word)]).expect("a column");
    let file = parquet(&[batch], small_pages(gzip, 1_000, ROWS).set_dictionary_enabled(false).build());
    let path = scratch.write("side_by_side.parquet", &file);
    let (batches, totals) = with_totals(&engine(), &format!("SELECT * FROM '{path}'"));
    assert_eq!(rows(&batches), ROWS);
    let (pages, side_by_side) = totals
        .decompression
        .values()
        .fold((0, 0), |sum, done| (sum.0 + done.pages, sum.1 + done.interleaved));
    match BatchInflater::new().isa_level() {
        BatchIsaLevel::OneByOne => {
            println!("one by one: this processor has no AVX2, or no BMI2");
            assert_eq!(side_by_side, 0);
        }
        _ => assert!(side_by_side > 0, "none of {pages} pages"),
    }
}
