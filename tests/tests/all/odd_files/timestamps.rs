//! INT96 timestamps, inside and outside of the range of 64-bit nanoseconds.

use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{Int96, Int96Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::{gives, refused};

/// 1970-01-01 and 2024-02-29; 9999-12-31, 0001-01-01 and 1600-01-01.
const NEAR: [u32; 2] = [2_440_588, 2_460_370];
const FAR: [u32; 3] = [5_373_484, 1_721_426, 2_305_448];

/// Timestamps at noon of Julian days, and nulls.
fn file(days: &[Option<u32>], has_dictionary: bool) -> Vec<u8> {
    let schema = parse_message_type("message m { optional int96 t; }").expect("a schema");
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(has_dictionary)
        .set_compression(Compression::SNAPPY)
        .build();
    let mut file = Vec::new();
    let writer = SerializedFileWriter::new(&mut file, Arc::new(schema), Arc::new(properties));
    let mut writer = writer.expect("a vector can be written to");
    let mut group = writer.next_row_group().expect("a row group");
    let mut column = group.next_column().expect("no failure").expect("a column");
    let noon = 43_200_000_000_000u64;
    let values: Vec<Int96> = days
        .iter()
        .flatten()
        .map(|&day| {
            let mut value = Int96::new();
            value.set_data(noon as u32, (noon >> 32) as u32, day);
            value
        })
        .collect();
    let levels: Vec<i16> = days.iter().map(|day| i16::from(day.is_some())).collect();
    column.typed::<Int96Type>().write_batch(&values, Some(&levels), None).expect("values can be written");
    column.close().expect("a column ends");
    group.close().expect("a row group ends");
    writer.close().expect("a file ends");
    file
}

#[test]
fn those_that_fit_are_read() {
    for has_dictionary in [true, false] {
        let file = file(&[Some(NEAR[0]), None, Some(NEAR[1])], has_dictionary);
        let query = "SELECT CAST(t AS VARCHAR) AS t FROM '$' ORDER BY 1";
        gives(&file, query, "t", &["1970-01-01 12:00:00", "2024-02-29 12:00:00", "NULL"]);
    }
}

/// Never another date.
#[test]
fn others_are_refused() {
    for has_dictionary in [true, false] {
        for (day, year) in FAR.into_iter().zip([9999, 1, 1600]) {
            let file = file(&[Some(NEAR[0]), None, Some(day)], has_dictionary);
            let year = format!("a timestamp of the year {year}, ");
            let words = ["row group 0, column t, page 0: ", "INT96 value 1", &year];
            for query in ["SELECT t FROM '$'", "SELECT count(*) FROM '$' WHERE t > TIMESTAMP '2000-01-01'"] {
                refused(&file, query, &words);
            }
        }
    }
}
