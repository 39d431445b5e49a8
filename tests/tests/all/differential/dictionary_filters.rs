//! Conditions decided on dictionary indices against the same conditions on decoded rows, and
//! against parquet-rs's reader.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, Int32Array, RecordBatch, StringArray};
use arrow::compute::filter_record_batch;
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::{WriterPropertiesBuilder, WriterVersion};
use pelton::{Engine, ScanTotals, Undecided};
use pelton_random::Random;
use pelton_tests::columns::{Shape, flat};
use pelton_tests::compare::assert_same;
use pelton_tests::file::{codecs, parquet, small_pages};

use super::{Condition, Reference, in_file_order};
use crate::support::{Scratch, engine, rows, with_totals};

fn decoding_first() -> Engine {
    Engine::builder().threads(2).encoded_filters(false).build().expect("an engine")
}

/// Returns random properties for the writer: dictionaries, some of them abandoned on the way.
fn properties(random: &mut Random) -> WriterPropertiesBuilder {
    let codecs = codecs();
    let (_, codec) = *random.pick(&codecs);
    let version = *random.pick(&[WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0]);
    small_pages(codec, *random.pick(&[7, 64, 500]), *random.pick(&[150, 1_000, 100_000]))
        .set_writer_version(version)
        .set_dictionary_page_size_limit(*random.pick(&[100, 1_000, 1 << 20]))
        .set_offset_index_disabled(random.chance(0.25))
}

/// Returns the columns that SQL compares and that have a literal of their own type.
pub(super) fn comparable(reference: &Reference) -> Vec<String> {
    use arrow::datatypes::DataType::*;
    let schema = reference.rows.schema();
    let fields = schema.fields().iter().filter(|field| {
        !matches!(
            field.data_type(),
            FixedSizeBinary(_) | Duration(_) | Interval(_) | Dictionary(..) | Float16
        )
    });
    fields.map(|field| field.name().clone()).collect()
}

/// Checks random conditions on every type; returns the totals of all of them.
fn check(seeds: std::ops::Range<u64>) -> ScanTotals {
    let (mut sum, off) = (ScanTotals::default(), decoding_first());
    for seed in seeds {
        let mut random = Random::new(seed ^ 0xe9c0);
        let (nulls, distinct) = (*random.pick(&[0.0, 0.1, 0.6, 1.0]), *random.pick(&[1, 12, 12, 300]));
        let batch = flat(Shape { rows: *random.pick(&[100, 1_500, 2_500]), nulls, distinct, seed });
        let file = parquet(std::slice::from_ref(&batch), properties(&mut random).build());
        let reference = Reference::new(file);
        let (names, comparable) = (reference.names(), comparable(&reference));
        for _ in 0..12 {
            let condition = Condition::random(&reference, &comparable, &mut random);
            let mask = condition.mask(&reference);
            let expected = filter_record_batch(&reference.rows, &mask).expect("a mask of the same length");
            let some = [random.pick(&names).clone(), random.pick(&names).clone()];
            let (path, sql) = (&reference.path, condition.sql(&reference));
            let query = format!(
                "SELECT \"{}\" AS a, \"{}\" AS b, i64 AS id FROM '{path}' WHERE {sql}",
                some[0], some[1]
            );
            let context = format!("seed {seed}: {query}");
            let (on, totals) = with_totals(&reference.engine, &query);
            let (plain, none) = with_totals(&off, &query);
            assert_eq!(
                (none.encoded_pages, none.undecided.len(), none.values_direct),
                (0, 0, 0),
                "{context}"
            );
            assert_eq!(rows(&on), expected.num_rows(), "{context}: rows");
            sum.add(&totals);
            reference.check(&[&some[0]], &format!("WHERE {sql}"), &expected, &context);
            let all = arrow::compute::concat_batches(
                &plain.first().map_or(reference.rows.schema(), |b| b.schema()),
                &plain,
            );
            if let Ok(all) = all.as_ref() {
                assert_same(&in_file_order(on, all), &in_file_order(plain, all), &context);
            }
        }
    }
    sum
}

#[test]
fn random_conditions_on_every_type() {
    let totals = check(0..24);
    assert!(totals.encoded_pages > 1_000 && totals.values_cut_out > 1_000, "{totals:?}");
    assert!(totals.values_direct > 50_000, "{totals:?}");
    for reason in [Undecided::Plain, Undecided::Mixed, Undecided::LargeDictionary, Undecided::SeveralColumns]
    {
        assert!(totals.undecided.contains_key(&reason), "{reason}: {totals:?}");
    }
    assert!(!totals.undecided.contains_key(&Undecided::Failed), "{totals:?}");
}

const ROWS: usize = 20_000;

/// `few` has 20 values and nulls, `word` 30; `many` gives its dictionary up on the way.
fn batch() -> RecordBatch {
    let few: ArrayRef = Arc::new(
        (0..ROWS).map(|row| (row % 7 != 3).then_some((row * 31 % 20) as i32)).collect::<Int32Array>(),
    );
    let word = (0..ROWS).map(|row| format!("word {}", row * 17 % 30));
    let word: ArrayRef = Arc::new(StringArray::from_iter_values(word));
    let many: ArrayRef =
        Arc::new(Int32Array::from_iter_values((0..ROWS).map(|row| (row * 13 % 9_973) as i32)));
    RecordBatch::try_from_iter([("few", few), ("word", word), ("many", many)]).expect("columns of one length")
}

/// Returns the number of passing rows, and the totals.
fn count(engine: &Engine, path: &str, condition: &str) -> (usize, ScanTotals) {
    let (batches, totals) =
        with_totals(engine, &format!("SELECT many, word FROM '{path}' WHERE {condition}"));
    (rows(&batches), totals)
}

#[test]
fn every_codec_and_version_decides_on_codes() {
    let (scratch, engine, off) = (Scratch::new(), engine(), decoding_first());
    for (name, codec) in codecs() {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let properties = small_pages(codec, 1_000, 10_000).set_writer_version(version);
            let path = scratch.write("coded.parquet", &parquet(&[batch()], properties.build()));
            for (condition, pages) in [
                ("few = 4", 20),
                ("few <> 4", 20),
                ("few < 11", 20),
                ("few BETWEEN 3 AND 12", 20),
                ("few IN (1, 5, 19)", 20),
                ("few NOT IN (1, 5, 19)", 20),
                ("few IS NULL", 20),
                ("few IS NOT NULL", 20),
                ("few + 1 = 5", 20),
                ("few = 4 OR few IS NULL", 20),
                ("coalesce(few, 4) = 4", 20),
                ("word LIKE '%1%'", 20),
                ("word NOT LIKE 'word 2_'", 20),
                ("upper(word) = 'WORD 7'", 20),
                ("few = 4 AND word LIKE '%1%'", 40),
                ("few > 4 AND few < 9 AND word <> 'word 3'", 40),
            ] {
                let context = format!("{name}, {version:?}: {condition}");
                let (found, totals) = count(&engine, &path, condition);
                assert_eq!(found, count(&off, &path, condition).0, "{context}");
                assert!(found > 0, "{context}");
                assert_eq!(
                    (totals.encoded_pages, totals.undecided.len()),
                    (pages, 0),
                    "{context}: {totals:?}"
                );
            }
        }
    }
}

/// Some columns are decoded for a condition before another one is decided on dictionary indices:
/// their rows have to stay aligned.
#[test]
fn columns_that_were_decoded_before_are_narrowed_too() {
    let (scratch, engine, off) = (Scratch::new(), engine(), decoding_first());
    let price: ArrayRef = Arc::new(Int32Array::from_iter_values((0..ROWS).map(|row| row as i32)));
    let flag: ArrayRef =
        Arc::new((0..ROWS).map(|row| (row % 11 != 5).then_some(row % 3 == 0)).collect::<BooleanArray>());
    let coded = batch();
    let schema = coded.schema();
    let columns = schema.fields().iter().map(|field| field.name().clone()).zip(coded.columns().to_vec());
    let plain = [("price".to_owned(), price), ("flag".to_owned(), flag)];
    let batch = RecordBatch::try_from_iter(columns.chain(plain)).expect("columns of one length");
    let properties =
        small_pages(Compression::SNAPPY, 1_000, 10_000).set_column_dictionary_enabled("price".into(), false);
    let path = scratch.write("beside.parquet", &parquet(&[batch], properties.build()));
    for condition in [
        "price >= 505 AND word = 'word 7'",
        "price > 10000 AND word LIKE '%1%'",
        "price > few AND word LIKE '%2'",
        "flag AND upper(word) <> 'WORD 3'",
        "price % 2 = 0 AND many > price AND word IN ('word 1', 'word 2', 'word 12')",
        "price > 100 AND flag AND few IN (1, 5, 19) AND word LIKE '%1%'",
        "price > 100 AND word LIKE '%1%' AND price > many AND few < 11",
        "few > 3 AND price < 15000 AND word LIKE '%1%' AND price % 3 = few % 3",
    ] {
        let query =
            format!("SELECT price, flag, few, word, many FROM '{path}' WHERE {condition} ORDER BY price");
        let (on, totals) = with_totals(&engine, &query);
        let (expected, _) = with_totals(&off, &query);
        assert!(rows(&expected) > 0 && totals.encoded_pages > 0, "{condition}: {totals:?}");
        assert_same(&on, &expected, condition);
    }
    let few = format!("SELECT DISTINCT word AS name FROM '{path}' WHERE word LIKE '%1%'");
    let join = format!(
        "SELECT count(*), sum(f.price) FROM '{path}' f JOIN ({few}) d ON f.word = d.name WHERE f.price > 500"
    );
    let (on, off) = (with_totals(&engine, &join).0, with_totals(&off, &join).0);
    assert_same(&on, &off, &join);
}

/// Pages of strings, numbers and nulls, with and without dictionary; one row in twenty is selected.
#[test]
fn pages_are_cut_down_to_few_scattered_rows() {
    let (scratch, engine, off) = (Scratch::new(), engine(), decoding_first());
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for dictionary in [true, false] {
            let properties = small_pages(Compression::SNAPPY, 1_000, ROWS)
                .set_writer_version(version)
                .set_encoding(Encoding::PLAIN)
                .set_column_dictionary_enabled("word".into(), dictionary)
                .set_column_dictionary_enabled("many".into(), dictionary);
            let path = scratch.write("cut.parquet", &parquet(&[batch()], properties.build()));
            let query = format!("SELECT few, word, many, many AS id FROM '{path}' WHERE few = 4 OR few = 13");
            let (found, totals) = with_totals(&engine, &query);
            let (expected, none) = with_totals(&off, &query);
            let context = format!("{version:?}, dictionary {dictionary}: {totals:?}");
            assert_eq!(totals.values_cut_out, 3 * rows(&found) as u64, "{context}");
            assert_eq!(none.values_cut_out, 0, "{context}");
            // Plain strings are left to parquet-rs, and the dictionary of `many`, which has more
            // values than rows are left.
            assert!(totals.values_direct >= 2 * rows(&found) as u64, "{context}");
            let all = arrow::compute::concat_batches(&expected[0].schema(), &expected).expect("one schema");
            assert_same(&in_file_order(found, &all), &in_file_order(expected, &all), &context);
        }
    }
}

#[test]
fn pages_that_gave_the_dictionary_up_are_decoded_alone() {
    let (scratch, engine, off) = (Scratch::new(), engine(), decoding_first());
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        let properties = small_pages(Compression::SNAPPY, 1_000, ROWS)
            .set_writer_version(version)
            .set_dictionary_page_size_limit(20_000);
        let path = scratch.write("mixed.parquet", &parquet(&[batch()], properties.build()));
        for condition in ["many < 5000", "many % 3 = 1", "many = 77", "many % 3 = 1 AND few <> 4"] {
            let (found, totals) = count(&engine, &path, condition);
            assert_eq!(found, count(&off, &path, condition).0, "{version:?}: {condition}");
            assert_eq!(totals.undecided.get(&Undecided::Mixed), Some(&1), "{condition}: {totals:?}");
            assert!((1..40).contains(&totals.encoded_pages), "{condition}: {totals:?}");
        }
    }
}

#[test]
fn a_condition_that_fails_on_a_value_of_no_row_left_falls_back() {
    let scratch = Scratch::new();
    let properties = small_pages(Compression::SNAPPY, 1_000, ROWS);
    let path = scratch.write("zero.parquet", &parquet(&[batch()], properties.build()));
    // 0 is in the dictionary of `few`, and no row with the word has it
    let condition = "word = 'word 1' AND 100 / few > 10";
    let (found, totals) = count(&engine(), &path, condition);
    assert_eq!(found, count(&decoding_first(), &path, condition).0);
    assert_eq!(totals.undecided, [(Undecided::Failed, 1)].into(), "{totals:?}");
    assert_eq!(totals.encoded_pages, 20, "{totals:?}");
}

#[test]
fn reasons_are_counted() {
    let scratch = Scratch::new();
    let properties =
        small_pages(Compression::SNAPPY, 1_000, ROWS).set_column_dictionary_enabled("many".into(), false);
    let path = scratch.write("reasons.parquet", &parquet(&[batch()], properties.build()));
    for (condition, reason) in [
        ("many < 500", Undecided::Plain),
        ("few < many", Undecided::SeveralColumns),
        ("many = 7 AND word LIKE '%1%'", Undecided::LargeDictionary),
    ] {
        let (found, totals) = count(&engine(), &path, condition);
        assert_eq!(found, count(&decoding_first(), &path, condition).0, "{condition}");
        assert!(totals.undecided.contains_key(&reason), "{condition}: {totals:?}");
    }
}
