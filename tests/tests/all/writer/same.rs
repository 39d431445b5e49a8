//! Every codec, type and number of threads: the rows read are the rows written.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, NullArray, RecordBatch, RecordBatchOptions, StringArray};
use arrow::datatypes::{DataType, Field, Schema, UnionFields, UnionMode};
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::reader::{FileReader, SerializedFileReader};
use pelton::codec::{Format, Level, Window};
use pelton::{Packing, WriteOptions};
use pelton_tests::columns::{Shape, flat, nested};
use pelton_tests::compare::assert_same;

use super::{PACKINGS, options, rows, write};
use crate::support::{Scratch, engine, read};

#[test]
fn both_readers_give_back_what_was_written() {
    let (engine, scratch) = (engine(), Scratch::new());
    for nulls in [0.0, 0.3, 1.0] {
        let shape = Shape { rows: 900, nulls, distinct: 40, seed: 11 };
        for (name, batch) in [("flat", flat(shape)), ("nested", nested(shape))] {
            for (packing, threads) in PACKINGS.into_iter().zip([1, 2, 3].into_iter().cycle()) {
                let context = format!("{name}, {nulls}, {packing:?}, {threads} threads");
                let pieces = [batch.slice(0, 100), batch.slice(100, 750), batch.slice(850, 50)];
                let file = write(&engine, &batch.schema(), &pieces, options(packing, 400, threads));
                let groups = SerializedFileReader::new(Bytes::from(file.clone())).expect("a good file");
                let groups: Vec<_> = groups.metadata().row_groups().iter().map(|g| g.num_rows()).collect();
                assert_eq!(groups, [400, 400, 100], "{context}");
                let expected = std::slice::from_ref(&batch);
                assert_same(&rows(&file), expected, &context);
                let path = scratch.write("table.parquet", &file);
                let found = read(&engine, &path).unwrap_or_else(|e| panic!("{context}: {e}"));
                assert_same(&found, expected, &format!("{context}, read by Pelton"));
            }
        }
    }
}

#[test]
fn types_without_a_parquet_type_are_written_as_the_next_one() {
    use arrow::datatypes::TimeUnit::{Millisecond, Second};
    let engine = engine();
    let structs = |inner| DataType::Struct(vec![Field::new("x", inner, true)].into());
    let zone = Some("Europe/Berlin".into());
    for (given, expected) in [
        (DataType::Timestamp(Second, None), DataType::Timestamp(Millisecond, None)),
        (DataType::Timestamp(Second, zone.clone()), DataType::Timestamp(Millisecond, zone)),
        (DataType::Time32(Second), DataType::Time32(Millisecond)),
        (DataType::Date64, DataType::Date32),
    ] {
        let nested = |inner: &DataType| {
            let lists = DataType::new_list(inner.clone(), true);
            [inner.clone(), lists.clone(), structs(inner.clone()), DataType::new_list(structs(lists), true)]
        };
        for (given, expected) in nested(&given).into_iter().zip(nested(&expected)) {
            let schema = Arc::new(Schema::new(vec![Field::new("a", given, true)]));
            let file = write(&engine, &schema, &[], options(Packing::Snappy, 100, 1));
            let reader = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(file)).expect("a good file");
            assert_eq!(reader.schema().field(0).data_type(), &expected);
            let leaf = reader.parquet_schema().column(0);
            assert!(leaf.logical_type_ref().is_some(), "{leaf:?}");
        }
    }
}

#[test]
fn every_level_gives_the_same_values() {
    let engine = engine();
    let batch = flat(Shape { rows: 500, nulls: 0.1, distinct: 500, seed: 12 });
    let level = |format: Format, level| Level::new(format, level).expect("one of its levels");
    let gzip = (0..=12).map(|n| Packing::Gzip { window: Window::FULL, level: level(Format::Gzip, n) });
    let zstd = (1..=12).map(|n| Packing::Zstd { level: level(Format::Zstd, n) });
    let brotli = (0..=9).map(|n| Packing::Brotli { level: level(Format::Brotli, n) });
    for packing in gzip.chain(zstd).chain(brotli) {
        let file = write(&engine, &batch.schema(), std::slice::from_ref(&batch), options(packing, 1000, 2));
        assert_same(&rows(&file), std::slice::from_ref(&batch), &format!("{packing:?}"));
    }
}

#[test]
fn a_table_without_rows_is_a_file() {
    let engine = engine();
    let batch = flat(Shape { rows: 10, nulls: 0.0, distinct: 10, seed: 13 });
    for batches in [vec![], vec![batch.slice(0, 0)]] {
        let file = write(&engine, &batch.schema(), &batches, options(Packing::Snappy, 100, 2));
        let scratch = Scratch::new();
        let path = scratch.write("empty.parquet", &file);
        assert_eq!(rows(&file).iter().map(RecordBatch::num_rows).sum::<usize>(), 0);
        assert_eq!(crate::support::rows(&read(&engine, &path).expect("a good file")), 0);
    }
}

#[test]
fn names_and_keys_that_are_odd_stay_as_they_are() {
    let engine = engine();
    let metadata = [("owner".to_owned(), "somebody".to_owned())].into();
    let fields = ["a.b", "", "Ä \u{1f600}", "list", "a"].map(|name| Field::new(name, DataType::Int64, true));
    let schema = Arc::new(Schema::new_with_metadata(fields.to_vec(), metadata));
    let columns = (0..5).map(|i| Arc::new(Int64Array::from_iter_values(i..i + 9)) as ArrayRef).collect();
    let batch = RecordBatch::try_new(schema.clone(), columns).expect("columns of one length");
    let file = write(&engine, &schema, std::slice::from_ref(&batch), options(PACKINGS[2], 4, 2));
    let reader = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(file.clone())).expect("a good file");
    assert_eq!(reader.schema(), &schema);
    assert_same(&rows(&file), &[batch], "odd names");
}

/// Row groups end where their values have their share of the writer's memory.
#[test]
fn a_writer_with_little_memory_makes_small_row_groups() {
    let engine = engine();
    let numbers = |first| Arc::new(Int64Array::from_iter_values(first..first + 1000)) as ArrayRef;
    let batches: Vec<RecordBatch> = (0..100)
        .map(|batch| RecordBatch::try_from_iter([("n", numbers(batch * 1000))]).expect("one column"))
        .collect();
    for threads in [1, 3] {
        for (held_bytes, expected) in [(512 << 20, vec![100_000]), (160_000, vec![10_000; 10])] {
            let options = WriteOptions { held_bytes, ..options(Packing::Snappy, 1 << 20, threads) };
            let file = write(&engine, &batches[0].schema(), &batches, options);
            let groups = SerializedFileReader::new(Bytes::from(file.clone())).expect("a good file");
            let groups: Vec<_> = groups.metadata().row_groups().iter().map(|g| g.num_rows()).collect();
            assert_eq!(groups, expected, "{held_bytes} bytes, {threads} threads");
            assert_same(&rows(&file), &batches, "row groups");
        }
    }
}

#[test]
fn strings_that_are_larger_than_pages_and_columns_of_nothing() {
    let engine = engine();
    let long = "a string of many bytes, ".repeat(100_000);
    let texts: ArrayRef =
        Arc::new(StringArray::from(vec![Some(long.as_str()), None, Some(""), Some(&long[1..])]));
    let nothing: ArrayRef = Arc::new(NullArray::new(4));
    let batch = RecordBatch::try_from_iter_with_nullable([("text", texts, true), ("nothing", nothing, true)])
        .expect("columns of one length");
    for packing in PACKINGS {
        let file = write(&engine, &batch.schema(), std::slice::from_ref(&batch), options(packing, 3, 2));
        assert_same(&rows(&file), std::slice::from_ref(&batch), &format!("{packing:?}"));
    }
}

#[test]
fn what_can_not_be_written_is_said_before_there_is_a_row() {
    let engine = engine();
    let refused = |schema: Schema, rows: usize, threads: usize| {
        let options = options(Packing::Snappy, rows, threads);
        let writer = engine.table_writer(Vec::new(), "table", &Arc::new(schema), options);
        writer.err().expect("it can't be").to_string()
    };
    let one = |data_type| Schema::new(vec![Field::new("a", data_type, true)]);
    let months = DataType::Interval(arrow::datatypes::IntervalUnit::MonthDayNano);
    let fields = UnionFields::from_fields(vec![Field::new("x", DataType::Int32, true)]);
    let union = DataType::Union(fields, UnionMode::Dense);
    let extension = HashMap::from([("ARROW:extension:name".to_owned(), "arrow.uuid".to_owned())]);
    let short = Field::new("a", DataType::FixedSizeBinary(8), true).with_metadata(extension);
    for message in [
        refused(one(months), 10, 1),
        refused(one(DataType::new_list(union.clone(), true)), 10, 1),
        refused(one(union), 10, 1),
        refused(Schema::new(vec![short]), 10, 1),
        refused(Schema::empty(), 10, 1),
        refused(one(DataType::Int64), 0, 1),
        refused(one(DataType::Int64), 10, 0),
    ] {
        crate::support::check_message(&message);
        assert!(message.starts_with("table: ") && message.contains("cannot write: "), "{message}");
    }
}

#[test]
fn a_batch_of_other_columns_is_refused() {
    let engine = engine();
    let batch = flat(Shape { rows: 10, nulls: 0.0, distinct: 10, seed: 14 });
    let mut writer = engine
        .table_writer(Vec::new(), "table", &batch.schema(), options(Packing::Snappy, 100, 1))
        .expect("types that Parquet has");
    let fewer = batch.project(&[0, 1]).expect("columns that there are");
    let message = writer.write(&fewer).expect_err("columns are missing").to_string();
    assert!(message.starts_with("table: cannot write: "), "{message}");
    let none = RecordBatchOptions::new().with_row_count(Some(3));
    let none =
        RecordBatch::try_new_with_options(Arc::new(Schema::empty()), vec![], &none).expect("no columns");
    writer.write(&none).expect_err("columns are missing");
    writer.write(&batch).expect("what was refused left nothing behind");
    let (file, _) = writer.finish().expect("a good file");
    assert_same(&rows(&file), &[batch], "after what was refused");
}
