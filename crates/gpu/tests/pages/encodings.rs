//! Every type in every encoding that writers have for it.

use parquet::arrow::ArrowSchemaConverter;
use parquet::basic::{Compression, Encoding, Type};
use parquet::file::properties::{WriterProperties, WriterVersion};
use pelton_gpu::window::supports;
use pelton_tests::columns::{Shape, flat};
use pelton_tests::file::parquet;

use super::files::{all, check, open};

const ROWS: usize = 1500;

/// Returns shapes of data: few nulls, none, and nothing else; few different values and many.
fn shapes() -> Vec<Shape> {
    let shape = |nulls, distinct, seed| Shape { rows: ROWS, nulls, distinct, seed };
    vec![
        shape(0.0, 7, 1),
        shape(0.0, 100_000, 2),
        shape(0.3, 40, 3),
        shape(0.05, 100_000, 4),
        shape(1.0, 10, 5),
    ]
}

fn properties(
    version: WriterVersion,
    page_rows: usize,
) -> parquet::file::properties::WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_compression(Compression::UNCOMPRESSED)
        .set_writer_version(version)
        .set_data_page_row_count_limit(page_rows)
        .set_write_batch_size(page_rows)
        .set_max_row_group_row_count(Some(ROWS))
}

#[test]
fn plain_and_dictionary() {
    let mut coded = 0;
    for shape in shapes() {
        let batch = flat(shape);
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for (has_dictionary, page_rows) in [(true, 700), (true, 64), (false, 250)] {
                let properties =
                    properties(version, page_rows).set_dictionary_enabled(has_dictionary).build();
                let what = format!("{shape:?}, {version:?}, dictionary {has_dictionary}");
                coded += check(&parquet(std::slice::from_ref(&batch), properties), &what, all);
            }
        }
    }
    assert!(coded > 0);
}

/// Dictionaries that writers give up in the middle of a chunk.
#[test]
fn dictionary_and_then_plain() {
    for shape in shapes() {
        let properties = properties(WriterVersion::PARQUET_1_0, 200).set_dictionary_page_size_limit(1000);
        check(&parquet(&[flat(shape)], properties.build()), &format!("{shape:?}"), all);
    }
}

#[test]
fn other_encodings() {
    let of_type = |physical, number: usize| -> Option<Encoding> {
        let choices: &[Encoding] = match physical {
            Type::BOOLEAN => &[Encoding::RLE],
            Type::INT32 | Type::INT64 => &[Encoding::DELTA_BINARY_PACKED, Encoding::BYTE_STREAM_SPLIT],
            Type::FLOAT | Type::DOUBLE => &[Encoding::BYTE_STREAM_SPLIT],
            Type::BYTE_ARRAY => &[Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY],
            Type::FIXED_LEN_BYTE_ARRAY => &[Encoding::BYTE_STREAM_SPLIT, Encoding::DELTA_BYTE_ARRAY],
            Type::INT96 => return None,
        };
        Some(choices[number % choices.len()])
    };
    for shape in shapes() {
        let batch = flat(shape);
        let schema = ArrowSchemaConverter::new().convert(&batch.schema()).unwrap();
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for number in 0..2 {
                let mut properties = properties(version, 600).set_dictionary_enabled(false);
                for column in schema.columns() {
                    if let Some(encoding) = of_type(column.physical_type(), number) {
                        properties = properties.set_column_encoding(column.path().clone(), encoding);
                    }
                }
                let what = format!("{shape:?}, {version:?}, {number}");
                check(&parquet(std::slice::from_ref(&batch), properties.build()), &what, all);
            }
        }
    }
}

/// Pages that are decompressed on the GPU, and codecs without a kernel.
#[test]
fn codecs() {
    let batch = flat(Shape { rows: 800, nulls: 0.2, distinct: 100, seed: 9 });
    for (name, codec) in pelton_tests::file::codecs() {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let properties = properties(version, 300).set_compression(codec).build();
            let bytes = parquet(std::slice::from_ref(&batch), properties);
            let refused = supports(&open(bytes.clone()).unwrap(), 0).err();
            match name {
                "brotli" | "lz4" => {
                    assert!(refused.is_some_and(|why| why.contains("compressed with")), "{name}")
                }
                _ => {
                    assert_eq!(refused, None, "{name}");
                    check(&bytes, name, all);
                }
            }
        }
    }
}

/// Only columns that kernels do not read are refused, with a reason.
#[test]
fn types_that_are_refused() {
    let batch = flat(Shape { rows: 10, nulls: 0.0, distinct: 5, seed: 1 });
    let file =
        open(parquet(std::slice::from_ref(&batch), properties(WriterVersion::PARQUET_1_0, 10).build()))
            .unwrap();
    let refused: Vec<_> = (0..batch.num_columns())
        .filter_map(|leaf| Some((batch.schema().field(leaf).name().clone(), supports(&file, leaf).err()?)))
        .collect();
    let names: Vec<_> = refused.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["f16", "interval_ym", "interval_dt", "dec256"], "{refused:?}");
    for (name, why) in refused {
        assert!(why.contains(&name), "{why}");
    }
}
