//! Fused membership tests of dictionary indices against the same conditions on decoded
//! rows.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int32Array, RecordBatch, StringArray};
use arrow::datatypes::{Int64Type, Schema};
use parquet::basic::Compression;
use parquet::file::properties::{WriterPropertiesBuilder, WriterVersion};
use pelton::codec::Format;
use pelton::job::{Counts, Operation};
use pelton::{Engine, ScanTotals, Undecided};
use pelton_random::Random;
use pelton_tests::columns::{Shape, flat};
use pelton_tests::file::{parquet, small_pages};

use super::{Condition, Reference};
use crate::support::{Scratch, engine, with_totals};

const ROWS: usize = 20_000;
const VERSIONS: [WriterVersion; 2] = [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0];

/// Makes an engine on the model of an IAA, with the CPU for unsupported jobs.
fn on_model(settings: &str) -> Engine {
    let devices = format!("iaa-model{settings}").parse().expect("a choice of devices");
    Engine::builder().threads(2).devices(devices).build().expect("an engine")
}

fn decoding_first() -> Engine {
    Engine::builder().threads(2).encoded_filters(false).build().expect("an engine")
}

fn gzip() -> Compression {
    Compression::GZIP(Default::default())
}

/// Twenty pages a column, each small enough for a device that remembers 4 KB.
fn properties(version: WriterVersion) -> WriterPropertiesBuilder {
    small_pages(gzip(), 1_000, 10_000).set_writer_version(version)
}

/// Makes a batch: `word`, `part` and `few` have few values, `few` nulls too; `many` has thousands;
/// `run` is sorted, in long runs.
fn batch() -> RecordBatch {
    let numbers = |value: fn(usize) -> usize| -> ArrayRef {
        Arc::new(Int32Array::from_iter_values((0..ROWS).map(|row| value(row) as i32)))
    };
    let few: ArrayRef = Arc::new(
        (0..ROWS).map(|row| (row % 7 != 3).then_some((row * 31 % 20) as i32)).collect::<Int32Array>(),
    );
    let word = (0..ROWS).map(|row| format!("word {}", row * 17 % 30));
    let word: ArrayRef = Arc::new(StringArray::from_iter_values(word));
    RecordBatch::try_from_iter([
        ("word", word),
        ("part", numbers(|row| row * 5 % 7)),
        ("few", few),
        ("many", numbers(|row| row * 13 % 9_973)),
        ("run", numbers(|row| row / 2_500)),
    ])
    .expect("columns of one length")
}

/// Returns the number of passing rows, and the totals.
fn count(engine: &Engine, path: &str, condition: &str) -> (i64, ScanTotals) {
    let (batches, totals) = with_totals(engine, &format!("SELECT count(*) FROM '{path}' WHERE {condition}"));
    (batches[0].column(0).as_primitive::<Int64Type>().value(0), totals)
}

/// Pages of the fused membership test, those where it failed, and decompressed ones.
fn pages(totals: &ScanTotals) -> (u64, u64, u64) {
    let looked_up = totals.looked_up.values().map(|done| done.pages).sum();
    (looked_up, totals.not_looked_up, totals.decompression.values().map(|done| done.pages).sum())
}

/// Returns a device's counters of membership tests.
fn members(engine: &Engine, device: &str) -> Counts {
    engine.router().counters().row(device, Operation::TestMembership { format: Format::Gzip })
}

#[test]
fn columns_that_only_a_condition_needs_are_looked_up() {
    let (scratch, off) = (Scratch::new(), decoding_first());
    for version in VERSIONS {
        let path = scratch.write("coded.parquet", &parquet(&[batch()], properties(version).build()));
        // pages of indices, and the dictionaries of two row groups for each column
        for (condition, columns) in [
            ("word = 'word 7'", 1),
            ("word <> 'word 7'", 1),
            ("word LIKE '%1%'", 1),
            ("word IN ('word 1', 'word 12', 'word 29')", 1),
            ("word NOT IN ('word 1', 'word 12')", 1),
            ("part BETWEEN 2 AND 4", 1),
            ("part % 3 = 1", 1),
            ("part > 2 AND part <> 5", 1),
            ("word LIKE '%1%' AND part < 3", 2),
            ("part < 3 AND upper(word) <> 'WORD 4' AND part <> 1", 2),
        ] {
            let context = format!("{version:?}: {condition}");
            let (engine, cpu) = (on_model(""), engine());
            let (found, totals) = count(&engine, &path, condition);
            let (expected, _) = count(&off, &path, condition);
            assert!(found == expected && found > 0, "{context}: {found}, not {expected}");
            assert_eq!(pages(&totals), (20 * columns, 0, 2 * columns), "{context}: {totals:?}");
            assert_eq!((totals.encoded_pages, totals.undecided.len()), (20 * columns, 0), "{context}");
            let (model, counters) = (members(&engine, "iaa-model"), engine.router().counters());
            assert_eq!((model.tried, model.done), (20 * columns, 20 * columns), "{context}: {counters}");
            assert_eq!(counters.total("cpu").tried, 0, "{context}: {counters}");
            // without such a device all is as if there were no such operation
            let (on_cpu, totals) = count(&cpu, &path, condition);
            assert_eq!((on_cpu, pages(&totals)), (expected, (0, 0, 22 * columns)), "{context}: {totals:?}");
            assert_eq!(members(&cpu, "cpu").tried, 0, "{context}");
        }
    }
}

/// The bytes of selected columns are needed, and so are those of a column with two conditions.
#[test]
fn columns_that_are_needed_otherwise_are_decompressed() {
    let (scratch, off) = (Scratch::new(), decoding_first());
    let path = scratch.write("coded.parquet", &parquet(&[batch()], properties(VERSIONS[0]).build()));
    for (query, looked_up) in [
        ("SELECT count(word) FROM t WHERE word LIKE '%1%'", 0),
        ("SELECT sum(many) FROM t WHERE word LIKE '%1%'", 20),
        ("SELECT sum(part) FROM t WHERE word LIKE '%1%' AND part < 3", 20),
        ("SELECT count(*) FROM t WHERE part < 3 AND part + many > 100", 0),
        ("SELECT count(*) FROM t WHERE word < 'word 3' AND part < many", 20),
    ] {
        let query = query.replace(" t ", &format!(" '{path}' "));
        let engine = on_model("");
        let (found, totals) = with_totals(&engine, &query);
        assert_eq!(found, with_totals(&off, &query).0, "{query}");
        assert_eq!((pages(&totals).0, totals.not_looked_up), (looked_up, 0), "{query}: {totals:?}");
    }
}

#[test]
fn nulls_are_looked_up_where_levels_are_not_compressed() {
    let (scratch, off) = (Scratch::new(), decoding_first());
    const DECOMPRESSED: (u64, u64, u64) = (0, 0, 22);
    for (version, looked_up) in VERSIONS.into_iter().zip([DECOMPRESSED, (20, 0, 2)]) {
        let path = scratch.write("nulls.parquet", &parquet(&[batch()], properties(version).build()));
        for condition in [
            "few = 4",
            "few <> 4",
            "few IN (1, 5, 19)",
            "few IS NULL",
            "few IS NOT NULL",
            "few = 4 OR few IS NULL",
            "coalesce(few, 4) = 4",
        ] {
            let (found, totals) = count(&on_model(""), &path, condition);
            assert_eq!(found, count(&off, &path, condition).0, "{version:?}: {condition}");
            // A condition on nulls alone needs no membership test.
            let expected = if condition.ends_with("NULL") && !condition.contains("OR") {
                DECOMPRESSED
            } else {
                looked_up
            };
            assert_eq!(pages(&totals), expected, "{version:?}: {condition}: {totals:?}");
        }
    }
}

#[test]
fn pages_that_gave_the_dictionary_up_are_decompressed() {
    let (scratch, off) = (Scratch::new(), decoding_first());
    for version in VERSIONS {
        let properties = properties(version)
            .set_max_row_group_row_count(Some(ROWS))
            .set_dictionary_page_size_limit(20_000);
        let path = scratch.write("mixed.parquet", &parquet(&[batch()], properties.build()));
        for condition in ["many < 5000", "many % 3 = 1", "many % 3 = 1 AND word <> 'word 4'"] {
            let (found, totals) = count(&on_model(""), &path, condition);
            assert_eq!(found, count(&off, &path, condition).0, "{version:?}: {condition}");
            let words = u64::from(condition.contains("word"));
            let (looked_up, failed, decompressed) = pages(&totals);
            assert!((1..20).contains(&(looked_up - 20 * words)), "{condition}: {totals:?}");
            // those that are left are decompressed, but for some of version 2, which are not
            // compressed
            let (_, on_cpu) = count(&engine(), &path, condition);
            assert_eq!((failed, looked_up + decompressed), (0, pages(&on_cpu).2), "{condition}: {totals:?}");
            assert_eq!(totals.undecided.get(&Undecided::Mixed), Some(&1), "{condition}: {totals:?}");
        }
    }
}

/// The indices of a page with one value may have no bits, a width that the device does not support:
/// the CPU tests them. (In version 2 such pages are not compressed at all.)
#[test]
fn pages_of_one_run() {
    let (scratch, engine) = (Scratch::new(), on_model(""));
    let path = scratch.write("runs.parquet", &parquet(&[batch()], properties(VERSIONS[0]).build()));
    let (found, totals) = count(&engine, &path, "run % 3 = 1");
    assert_eq!(found, count(&decoding_first(), &path, "run % 3 = 1").0);
    assert_eq!(pages(&totals), (20, 0, 2), "{totals:?}");
    let (model, cpu) = (members(&engine, "iaa-model"), members(&engine, "cpu"));
    assert_eq!((model.done + cpu.done, model.fell_back_total()), (20, cpu.done), "{totals:?}");
    assert!(model.done > cpu.done && cpu.done > 0, "{totals:?}");
}

#[test]
fn pages_that_statistics_rule_out_are_not_looked_up() {
    let (scratch, off) = (Scratch::new(), decoding_first());
    let path = scratch.write("pruned.parquet", &parquet(&[batch()], properties(VERSIONS[0]).build()));
    for condition in ["run = 3", "run IN (1, 6)", "run = 5 AND word LIKE '%1%'"] {
        let (found, totals) = count(&on_model(""), &path, condition);
        assert!(found > 0 && found == count(&off, &path, condition).0, "{condition}: {found}");
        let (looked_up, failed, _) = pages(&totals);
        assert!(looked_up < 12 && failed == 0 && totals.pages_skipped > 0, "{condition}: {totals:?}");
    }
}

/// 0 is in the dictionary of `few`, and no row with the word has it.
#[test]
fn a_condition_that_fails_on_the_dictionary_has_its_pages_decompressed() {
    let scratch = Scratch::new();
    let properties = properties(VERSIONS[1]).set_max_row_group_row_count(Some(ROWS));
    let path = scratch.write("zero.parquet", &parquet(&[batch()], properties.build()));
    let condition = "word = 'word 1' AND 100 / few > 10";
    let (found, totals) = count(&on_model(""), &path, condition);
    assert_eq!(found, count(&decoding_first(), &path, condition).0);
    assert_eq!(totals.undecided, [(Undecided::Failed, 1)].into(), "{totals:?}");
    assert_eq!(pages(&totals), (20, 0, 22), "{totals:?}");
}

/// The dictionary says it all, or it is too large for the rows, or the condition is on several
/// columns.
#[test]
fn what_a_dictionary_decides_or_can_not() {
    let (scratch, off) = (Scratch::new(), decoding_first());
    let properties = properties(VERSIONS[0]).set_max_row_group_row_count(Some(ROWS));
    let path = scratch.write("known.parquet", &parquet(&[batch()], properties.build()));
    for (condition, expected) in [
        ("word LIKE 'word%'", (0, 0, 1)),
        ("word LIKE '%x%'", (0, 0, 1)),
        ("many / (part + 1) >= 0", (0, 0, 42)),
    ] {
        let (found, totals) = count(&on_model(""), &path, condition);
        assert_eq!(found, count(&off, &path, condition).0, "{condition}");
        assert_eq!(pages(&totals), expected, "{condition}: {totals:?}");
    }
    let (_, totals) = count(&on_model(""), &path, "run = 2 AND many % 2 = 0");
    assert_eq!(totals.undecided, [(Undecided::LargeDictionary, 1)].into(), "{totals:?}");
    assert_eq!(totals.not_looked_up, 0, "{totals:?}");
}

#[test]
fn pages_that_the_device_does_not_take_are_decompressed() {
    let (scratch, off) = (Scratch::new(), decoding_first());
    // a large page of indices with matches farther back than the device's window; and no gzip
    let large = small_pages(gzip(), ROWS, ROWS);
    let other = small_pages(Compression::SNAPPY, 1_000, ROWS);
    for (properties, decompressed) in [(large, 2), (other, 21)] {
        let path = scratch.write("large.parquet", &parquet(&[batch()], properties.build()));
        let engine = on_model("");
        let (found, totals) = count(&engine, &path, "word LIKE '%1%'");
        assert_eq!(found, count(&off, &path, "word LIKE '%1%'").0);
        assert_eq!(pages(&totals), (0, 0, decompressed), "{totals:?}");
        assert_eq!(members(&engine, "iaa-model").tried + members(&engine, "cpu").tried, 0);
    }
}

/// With the CPU and the model, either may get any page, fused with the membership test or not.
#[test]
fn where_the_router_chooses_answers_are_the_same() {
    let (scratch, off) = (Scratch::new(), decoding_first());
    let (engine, cpu) = (on_model(",cpu"), engine());
    for version in VERSIONS {
        let path = scratch.write("either.parquet", &parquet(&[batch()], properties(version).build()));
        for condition in ["word LIKE '%1%'", "part IN (1, 5) AND word <> 'word 3'", "few = 4 OR few IS NULL"]
        {
            let (found, totals) = count(&engine, &path, condition);
            assert_eq!(found, count(&off, &path, condition).0, "{version:?}: {condition}");
            let (looked_up, failed, decompressed) = pages(&totals);
            let (_, on_cpu) = count(&cpu, &path, condition);
            assert_eq!((failed, looked_up + decompressed), (0, pages(&on_cpu).2), "{condition}: {totals:?}");
        }
    }
}

#[test]
fn faults_of_the_model_change_no_answer() {
    let (scratch, off) = (Scratch::new(), decoding_first());
    for version in VERSIONS {
        let path = scratch.write("faults.parquet", &parquet(&[batch()], properties(version).build()));
        for every in [7, 3, 2, 1] {
            let engine = on_model(&format!(":devices=2:fault-every={every}"));
            for condition in [
                "word LIKE '%1%'",
                "part IN (1, 5) AND word <> 'word 3'",
                "few = 4 OR few IS NULL",
                "run % 3 = 1",
            ] {
                let (found, totals) = count(&engine, &path, condition);
                let context = format!("{version:?}, 1 in {every}: {condition}: {totals:?}");
                assert_eq!(found, count(&off, &path, condition).0, "{context}");
                // the CPU tests the pages that the device fails, so that nothing has to be done
                // again
                assert_eq!(totals.not_looked_up, 0, "{context}");
            }
            let (model, cpu) = (members(&engine, "iaa-model"), members(&engine, "cpu"));
            assert!(model.fell_back_total() > 0 && cpu.done > 0, "1 in {every}");
            assert!(every < 7 || model.done > 0, "1 in {every}");
            assert_eq!((engine.router().bytes_in_flight(), engine.router().jobs_waiting()), (0, 0));
        }
    }
}

#[test]
fn a_query_that_ends_early_leaves_nothing_in_flight() {
    let scratch = Scratch::new();
    let path = scratch.write("early.parquet", &parquet(&[batch()], properties(VERSIONS[0]).build()));
    let engine = on_model("");
    for _ in 0..20 {
        let sql = format!("SELECT many FROM '{path}' WHERE word LIKE '%1%' AND part < 3");
        let mut query = engine.query(&sql).expect("a query");
        assert!(query.next().is_some_and(|batch| batch.is_ok()));
        drop(query);
    }
    let start = std::time::Instant::now();
    while engine.router().bytes_in_flight() > 0 || engine.router().jobs_waiting() > 0 {
        assert!(start.elapsed().as_secs() < 60, "{}", engine.router().counters());
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// The same rows, and columns without nulls can't have any.
fn required(batch: &RecordBatch) -> RecordBatch {
    let schema = batch.schema();
    let fields = schema
        .fields()
        .iter()
        .zip(batch.columns())
        .map(|(field, values)| field.as_ref().clone().with_nullable(values.null_count() > 0));
    let schema = Schema::new(fields.collect::<Vec<_>>());
    RecordBatch::try_new(Arc::new(schema), batch.columns().to_vec()).expect("the same columns")
}

#[test]
fn random_conditions_on_every_type() {
    let (mut sum, model, faulty) = (ScanTotals::default(), on_model(""), on_model(":fault-every=7"));
    for seed in 0..24 {
        let mut random = Random::new(seed ^ 0x1aa);
        let (nulls, distinct) = (*random.pick(&[0.0, 0.0, 0.1, 0.6]), *random.pick(&[1, 12, 12, 300]));
        let shape = Shape { rows: *random.pick(&[100, 1_500, 2_500]), nulls, distinct, seed };
        let batch = required(&flat(shape));
        let properties =
            small_pages(gzip(), *random.pick(&[64, 500, 2_000]), *random.pick(&[1_000, 100_000]))
                .set_writer_version(*random.pick(&VERSIONS))
                .set_dictionary_page_size_limit(*random.pick(&[100, 1_000, 1 << 20]))
                .set_offset_index_disabled(random.chance(0.25));
        let reference = Reference::new(parquet(std::slice::from_ref(&batch), properties.build()));
        let comparable = super::dictionary_filters::comparable(&reference);
        for _ in 0..12 {
            let condition = Condition::random(&reference, &comparable, &mut random);
            let expected = condition.mask(&reference).true_count() as i64;
            let sql = condition.sql(&reference);
            let (found, totals) = count(&model, &reference.path, &sql);
            assert_eq!(found, expected, "seed {seed}: {sql}");
            assert_eq!(count(&faulty, &reference.path, &sql).0, expected, "seed {seed}: {sql}");
            sum.add(&totals);
        }
    }
    let (looked_up, failed, _) = pages(&sum);
    assert!(looked_up > 100 && failed == 0, "{sum:?}");
}
