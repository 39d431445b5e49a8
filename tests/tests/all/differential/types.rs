//! Types, encodings, page sizes, nulls and row groups in many combinations.

use arrow::array::RecordBatch;
use arrow::datatypes::DataType;
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::{EnabledStatistics, WriterPropertiesBuilder, WriterVersion};
use pelton_random::Random;
use pelton_tests::columns::{Shape, flat};
use pelton_tests::file::{codecs, parquet, small_pages};

use super::{Condition, Reference};

/// Encodings other than the writer's own choice, where a type has some.
fn encodings(of: &DataType) -> &'static [Encoding] {
    use DataType::*;
    match of {
        Boolean => &[Encoding::PLAIN, Encoding::RLE],
        Float16 | FixedSizeBinary(_) | Decimal256(..) => &[Encoding::PLAIN, Encoding::BYTE_STREAM_SPLIT],
        Float32 | Float64 => &[Encoding::PLAIN, Encoding::BYTE_STREAM_SPLIT],
        Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary => {
            &[Encoding::PLAIN, Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY]
        }
        Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64 | Date32 | Time32(_) | Time64(_) => {
            &[Encoding::PLAIN, Encoding::DELTA_BINARY_PACKED, Encoding::BYTE_STREAM_SPLIT]
        }
        Timestamp(..) | Duration(_) => &[Encoding::PLAIN, Encoding::DELTA_BINARY_PACKED],
        _ => &[Encoding::PLAIN],
    }
}

/// Returns random properties for the writer.
fn properties(seed: u64, batch: &RecordBatch) -> WriterPropertiesBuilder {
    let mut random = Random::new(seed);
    let codecs = codecs();
    let page_rows = *random.pick(&[7, 64, 500, 5_000]);
    let group_rows = *random.pick(&[150, 1_000, 100_000]);
    let (_, codec) = *random.pick(&codecs);
    let version = *random.pick(&[WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0]);
    let mut properties = small_pages(codec, page_rows, group_rows)
        .set_writer_version(version)
        .set_dictionary_enabled(random.chance(0.5))
        // small enough that some columns give it up on the way
        .set_dictionary_page_size_limit(*random.pick(&[100, 1_000, 1 << 20]))
        .set_offset_index_disabled(random.chance(0.25))
        .set_statistics_enabled(*random.pick(&[
            EnabledStatistics::None,
            EnabledStatistics::Chunk,
            EnabledStatistics::Page,
        ]));
    for field in batch.schema().fields() {
        if random.chance(0.6) {
            let encoding = *random.pick(encodings(field.data_type()));
            properties = properties.set_column_encoding(field.name().as_str().into(), encoding);
        }
    }
    properties
}

/// Returns the columns that SQL compares and that are not binary; these two have no literal of
/// their own type.
fn comparable(reference: &Reference) -> Vec<String> {
    let schema = reference.rows.schema();
    let comparable = |of: &DataType| {
        !matches!(
            of,
            DataType::FixedSizeBinary(_)
                | DataType::Duration(_)
                | DataType::Interval(_)
                | DataType::Dictionary(..)
                | DataType::Float16
        )
    };
    let fields = schema.fields().iter().filter(|field| comparable(field.data_type()));
    fields.map(|field| field.name().clone()).collect()
}

fn check(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let mut random = Random::new(seed ^ 0xabcd);
        let rows = *random.pick(&[1, 100, 1_500, 2_500]);
        let nulls = *random.pick(&[0.0, 0.1, 0.6, 1.0]);
        let distinct = *random.pick(&[1, 12, 1_000_000]);
        let batch = flat(Shape { rows, nulls, distinct, seed });
        let reference =
            Reference::new(parquet(std::slice::from_ref(&batch), properties(seed, &batch).build()));
        let context = format!("seed {seed}");
        let names = reference.names();
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        reference.check(&all, "", &reference.rows, &context);
        let comparable = comparable(&reference);
        for _ in 0..12 {
            let condition = Condition::random(&reference, &comparable, &mut random);
            let some: Vec<&str> = (0..3)
                .map(|_| *random.pick(&all))
                .collect::<std::collections::BTreeSet<_>>()
                .into_iter()
                .collect();
            reference.check_filter(&some, &condition, &context);
        }
        let limit = random.below(rows) + 1;
        reference.check(&all[..3], &format!("LIMIT {limit}"), &reference.rows.slice(0, limit), &context);
    }
}

macro_rules! seeds {
    ($($name:ident: $from:literal;)*) => { $(#[test] fn $name() { check($from..$from + 16); })* };
}

seeds! {
    files_of_seeds_0_to_15: 0;
    files_of_seeds_16_to_31: 16;
    files_of_seeds_32_to_47: 32;
    files_of_seeds_48_to_63: 48;
}

#[test]
fn columns_of_every_codec_and_version() {
    let batch = flat(Shape { rows: 700, nulls: 0.2, distinct: 40, seed: 5 });
    for (name, codec) in codecs() {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for dictionary in [true, false] {
                let properties = small_pages(codec, 90, 300)
                    .set_writer_version(version)
                    .set_dictionary_enabled(dictionary);
                let reference = Reference::new(parquet(std::slice::from_ref(&batch), properties.build()));
                let names = reference.names();
                let all: Vec<&str> = names.iter().map(String::as_str).collect();
                reference.check(
                    &all,
                    "",
                    &reference.rows,
                    &format!("{name}, {version:?}, dictionary {dictionary}"),
                );
            }
        }
    }
}

/// In version 2 a page is stored uncompressed, and marked so, if its values would not get smaller.
#[test]
fn version_two_pages_that_are_not_compressed() {
    let batch = flat(Shape { rows: 500, nulls: 0.3, distinct: 1_000_000, seed: 6 });
    for (name, codec) in codecs() {
        if codec == Compression::UNCOMPRESSED {
            continue;
        }
        let properties = small_pages(codec, 50, 500)
            .set_writer_version(WriterVersion::PARQUET_2_0)
            // only pages that get to a tenth are kept compressed
            .set_data_page_v2_compression_ratio_threshold(0.1);
        let reference = Reference::new(parquet(std::slice::from_ref(&batch), properties.build()));
        let names = reference.names();
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        reference.check(&all, "", &reference.rows, name);
    }
}
