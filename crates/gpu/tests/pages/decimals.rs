//! Decimals in all physical types, some of which Arrow's writer never uses.

use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType, FixedLenByteArray, FixedLenByteArrayType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use pelton_gpu::window::Error;
use pelton_random::Random;

use super::copy_out::{Bench, Kind};
use super::files::{all, check, open, read};

const ROWS: usize = 900;

/// Returns a number in the fewest bytes that it needs, the highest first, as writers store it in
/// byte arrays.
fn shortest(value: i128) -> Vec<u8> {
    let bytes = value.to_be_bytes();
    let sign = if value < 0 { 0xff } else { 0 };
    let redundant = |pair: &[u8]| pair[0] == sign && (pair[1] ^ sign) & 0x80 == 0;
    let skip = bytes.windows(2).take_while(|pair| redundant(pair)).count();
    bytes[skip..].to_vec()
}

fn number(random: &mut Random, bytes: u32) -> i128 {
    let value = (u128::from(random.next()) << 64 | u128::from(random.next())) as i128;
    value >> (128 - 8 * bytes + random.below(8 * bytes as usize) as u32)
}

fn file(has_dictionary: bool) -> Vec<u8> {
    let schema = "message m {
        required binary a (DECIMAL(10, 2));
        optional binary b (DECIMAL(38, 6));
        required fixed_len_byte_array(5) c (DECIMAL(11, 3));
        optional fixed_len_byte_array(9) d (DECIMAL(20, 3));
        required fixed_len_byte_array(16) e (DECIMAL(38, 0));
        required fixed_len_byte_array(1) f (DECIMAL(2, 0));
    }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(has_dictionary)
        .set_data_page_row_count_limit(200)
        .set_write_batch_size(200)
        .build();
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties)).unwrap();
    let mut random = Random::new(3);
    let levels: Vec<i16> = (0..ROWS).map(|row| i16::from(row % 7 != 3)).collect();
    let present = levels.iter().filter(|level| **level == 1).count();
    let mut group = writer.next_row_group().unwrap();
    for (is_optional, length, most) in [
        (false, None, 4),
        (true, None, 16),
        (false, Some(5), 5),
        (true, Some(9), 9),
        (false, Some(16), 16),
        (false, Some(1), 1),
    ] {
        let count = if is_optional { present } else { ROWS };
        let numbers = (0..count).map(|_| number(&mut random, most));
        let levels = is_optional.then_some(&levels[..]);
        let mut column = group.next_column().unwrap().unwrap();
        match length {
            None => {
                let values: Vec<_> = numbers.map(|value| ByteArray::from(shortest(value))).collect();
                column.typed::<ByteArrayType>().write_batch(&values, levels, None).unwrap();
            }
            Some(length) => {
                let bytes = |value: i128| value.to_be_bytes()[16 - length..].to_vec();
                let values: Vec<_> =
                    numbers.map(|value| FixedLenByteArray::from(ByteArray::from(bytes(value)))).collect();
                column.typed::<FixedLenByteArrayType>().write_batch(&values, levels, None).unwrap();
            }
        }
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    bytes
}

#[test]
fn decimals_of_any_length() {
    for has_dictionary in [true, false] {
        check(&file(has_dictionary), &format!("dictionary {has_dictionary}"), all);
    }
}

/// A value of more than 128 bits is an error with a place.
#[test]
fn a_decimal_that_is_too_long() {
    let schema = Arc::new(parse_message_type("message m { required binary a (DECIMAL(38, 2)); }").unwrap());
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let values = [ByteArray::from(vec![1; 16]), ByteArray::from(vec![1; 17])];
    column.typed::<ByteArrayType>().write_batch(&values, None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();

    let bench = Bench::shared();
    let window = bench.stage(&read(&open(bytes).unwrap(), 0, &all(2), &[0]).unwrap()).unwrap();
    window.check(&bench.compute).unwrap();
    bench.column(&window, 0, Kind::I128, 2, 0);
    let Err(Error::Pages(error)) = window.check(&bench.compute) else { panic!("it was read") };
    assert_eq!(error.place.column.as_deref(), Some("a"));
    assert!(error.to_string().contains("a decimal of 17 bytes"), "{error}");
}
