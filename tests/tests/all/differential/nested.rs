//! Columns with children; their pages need not start with a row.

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::compute::filter_record_batch;
use arrow::datatypes::Int32Type;
use parquet::basic::Compression;
use parquet::file::properties::WriterVersion;
use pelton_tests::columns::{Shape, nested};
use pelton_tests::file::{codecs, parquet, small_pages};

use super::Reference;

fn check(reference: &Reference, context: &str) {
    let names = reference.names();
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    reference.check(&all, "", &reference.rows, context);
    for name in &all[1..] {
        reference.check(&["id", name], "", &reference.rows, context);
    }
    // late materialisation: few rows far apart, and a range
    let id = reference.column("id").as_primitive::<arrow::datatypes::Int64Type>();
    let rows = reference.rows.num_rows() as i64;
    for (condition, wanted) in [
        ("id % 97 = 3", Box::new(|id: i64| id % 97 == 3) as Box<dyn Fn(i64) -> bool>),
        ("id >= 130 AND id < 145", Box::new(|id| (130..145).contains(&id))),
        ("id % 2 = 0", Box::new(|id| id % 2 == 0)),
        (&format!("id = {}", rows - 1), Box::new(move |id| id == rows - 1)),
    ] {
        let mask = id.iter().map(|id| id.map(&wanted)).collect();
        let expected = filter_record_batch(&reference.rows, &mask).expect("a mask of the same length");
        reference.check(&all, &format!("WHERE {condition}"), &expected, context);
    }
}

#[test]
fn columns_with_children() {
    for (nulls, page_rows, group_rows) in [(0.0, 50, 200), (0.2, 7, 100), (0.2, 1_000, 1_000), (0.7, 20, 400)]
    {
        let batch = nested(Shape { rows: 600, nulls, distinct: 9, seed: page_rows as u64 });
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for index in [true, false] {
                let properties = small_pages(Compression::SNAPPY, page_rows, group_rows)
                    .set_writer_version(version)
                    .set_offset_index_disabled(!index);
                let reference = Reference::new(parquet(std::slice::from_ref(&batch), properties.build()));
                check(
                    &reference,
                    &format!("nulls {nulls}, pages of {page_rows}, {version:?}, index {index}"),
                );
            }
        }
    }
}

#[test]
fn columns_with_children_in_every_codec() {
    let batch = nested(Shape { rows: 400, nulls: 0.15, distinct: 9, seed: 12 });
    for (name, codec) in codecs() {
        for dictionary in [true, false] {
            let properties = small_pages(codec, 40, 200).set_dictionary_enabled(dictionary);
            check(
                &Reference::new(parquet(std::slice::from_ref(&batch), properties.build())),
                &format!("{name}, dictionary {dictionary}"),
            );
        }
    }
}

#[test]
fn conditions_on_fields_of_structs() {
    let batch = nested(Shape { rows: 800, nulls: 0.1, distinct: 9, seed: 13 });
    let reference = Reference::new(parquet(
        &[batch],
        small_pages(Compression::ZSTD(Default::default()), 30, 300).build(),
    ));
    let point = reference.column("point").as_struct();
    let x = point.column_by_name("x").expect("the schema has it").as_primitive::<Int32Type>();
    let passes = |row: usize| point.is_valid(row) && x.is_valid(row) && x.value(row) > 100;
    let mask = (0..point.len()).map(|row| Some(passes(row))).collect();
    let expected: RecordBatch =
        filter_record_batch(&reference.rows, &mask).expect("a mask of the same length");
    reference.check(&["id", "point", "structs"], "WHERE point['x'] > 100", &expected, "a struct's field");
}

/// Pages of a repeated column that are cut in the middle of a row, as writers of version 1 without
/// an index may.
#[test]
fn rows_longer_than_pages() {
    use arrow::array::{ArrayRef, Int64Array, ListBuilder, StringBuilder};
    let mut lists = ListBuilder::new(StringBuilder::new());
    for row in 0..40 {
        for item in 0..(row % 4) * 300 {
            lists.values().append_value(format!("row {row} item {item}"));
        }
        lists.append(row % 5 != 4);
    }
    let id: ArrayRef = std::sync::Arc::new(Int64Array::from_iter_values(0..40));
    let lists: ArrayRef = std::sync::Arc::new(lists.finish());
    let batch = RecordBatch::try_from_iter([("id", id), ("words", lists)]).expect("columns of one length");
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        let properties = small_pages(Compression::SNAPPY, 10, 40)
            .set_writer_version(version)
            .set_dictionary_enabled(false)
            .set_data_page_size_limit(1_000);
        check(
            &Reference::new(parquet(std::slice::from_ref(&batch), properties.build())),
            &format!("{version:?}"),
        );
    }
}
