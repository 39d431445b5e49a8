//! Text of values, independent of the type in which an engine holds them.
//!
//! Engines read a file's values into different types: a string as a view or a dictionary, times in
//! nanoseconds or microseconds. The text is exact and independent of the type: whole numbers and
//! decimals as digits, floats by their shortest digits that read back as the same, points in time
//! as nanoseconds.

use arrow::array::*;
use arrow::compute::cast;
use arrow::datatypes::*;

const NANOS_A_DAY: i128 = 86_400_000_000_000;

fn nanos_a(unit: &TimeUnit) -> i128 {
    match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    }
}

fn integer(array: &dyn Array, row: usize) -> i128 {
    let row = array.slice(row, 1);
    match array.data_type() {
        DataType::UInt64 => i128::from(row.as_primitive::<UInt64Type>().value(0)),
        _ => {
            let row = cast(&row, &DataType::Int64).expect("integers and times cast to integers");
            i128::from(row.as_primitive::<Int64Type>().value(0))
        }
    }
}

/// Digits with the point at `scale`, without zeros at the end that say nothing.
fn decimal(digits: &str, scale: i8) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
    let scale = scale.max(0) as usize;
    let digits = format!("{digits:0>width$}", width = scale + 1);
    let (whole, part) = digits.split_at(digits.len() - scale);
    match part.trim_end_matches('0') {
        "" if whole.bytes().all(|digit| digit == b'0') => "0".to_owned(),
        "" => format!("{sign}{whole}"),
        part => format!("{sign}{whole}.{part}"),
    }
}

fn float(value: f64) -> String {
    if value.is_nan() { "NaN".to_owned() } else { format!("{value:?}") }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn list(values: &dyn Array) -> String {
    let values: Vec<_> = (0..values.len()).map(|row| render(values, row)).collect();
    format!("[{}]", values.join(", "))
}

/// Returns the text of one value.
pub fn render(array: &dyn Array, row: usize) -> String {
    if array.is_null(row) || array.data_type() == &DataType::Null {
        return "NULL".to_owned();
    }
    match array.data_type() {
        DataType::Boolean => array.as_boolean().value(row).to_string(),
        of if of.is_integer() => integer(array, row).to_string(),
        DataType::Float16 => float(f64::from(array.as_primitive::<Float16Type>().value(row))),
        DataType::Float32 => float(f64::from(array.as_primitive::<Float32Type>().value(row))),
        DataType::Float64 => float(array.as_primitive::<Float64Type>().value(row)),
        DataType::Decimal32(_, scale) => {
            decimal(&array.as_primitive::<Decimal32Type>().value(row).to_string(), *scale)
        }
        DataType::Decimal64(_, scale) => {
            decimal(&array.as_primitive::<Decimal64Type>().value(row).to_string(), *scale)
        }
        DataType::Decimal128(_, scale) => {
            decimal(&array.as_primitive::<Decimal128Type>().value(row).to_string(), *scale)
        }
        DataType::Decimal256(_, scale) => {
            decimal(&array.as_primitive::<Decimal256Type>().value(row).to_string(), *scale)
        }
        DataType::Date32 => format!("day {}", array.as_primitive::<Date32Type>().value(row)),
        DataType::Date64 => {
            let nanos = i128::from(array.as_primitive::<Date64Type>().value(row)) * 1_000_000;
            format!("day {}", nanos.div_euclid(NANOS_A_DAY))
        }
        DataType::Time32(unit) | DataType::Time64(unit) => {
            format!("time {}", integer(array, row) * nanos_a(unit))
        }
        DataType::Timestamp(unit, zone) => {
            let kind = if zone.is_some() { "instant" } else { "timestamp" };
            format!("{kind} {}", integer(array, row) * nanos_a(unit))
        }
        DataType::Duration(unit) => format!("duration {}", integer(array, row) * nanos_a(unit)),
        DataType::Interval(unit) => {
            let (months, days, nanos) = match unit {
                IntervalUnit::YearMonth => (array.as_primitive::<IntervalYearMonthType>().value(row), 0, 0),
                IntervalUnit::DayTime => {
                    let value = array.as_primitive::<IntervalDayTimeType>().value(row);
                    (0, value.days, i64::from(value.milliseconds) * 1_000_000)
                }
                IntervalUnit::MonthDayNano => {
                    let value = array.as_primitive::<IntervalMonthDayNanoType>().value(row);
                    (value.months, value.days, value.nanoseconds)
                }
            };
            format!("interval {months} {days} {nanos}")
        }
        DataType::Utf8 => format!("{:?}", array.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => format!("{:?}", array.as_string::<i64>().value(row)),
        DataType::Utf8View => format!("{:?}", array.as_string_view().value(row)),
        DataType::Binary => hex(array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => hex(array.as_binary::<i64>().value(row)),
        DataType::BinaryView => hex(array.as_binary_view().value(row)),
        DataType::FixedSizeBinary(_) => hex(array.as_fixed_size_binary().value(row)),
        DataType::Dictionary(_, values) => {
            render(&cast(&array.slice(row, 1), values).expect("a dictionary casts to its values"), 0)
        }
        DataType::List(_) => list(&array.as_list::<i32>().value(row)),
        DataType::LargeList(_) => list(&array.as_list::<i64>().value(row)),
        DataType::FixedSizeList(..) => list(&array.as_fixed_size_list().value(row)),
        DataType::Struct(fields) => {
            let columns = fields.iter().zip(array.as_struct().columns());
            let columns: Vec<_> = columns.map(|(f, c)| format!("{}: {}", f.name(), render(c, row))).collect();
            format!("{{{}}}", columns.join(", "))
        }
        DataType::Map(..) => {
            let entries = array.as_map().value(row);
            let pair = |entry| {
                format!("{} = {}", render(entries.column(0), entry), render(entries.column(1), entry))
            };
            let pairs: Vec<_> = (0..entries.len()).map(pair).collect();
            format!("<{}>", pairs.join(", "))
        }
        other => panic!("no text is made for {other}"),
    }
}

/// Returns the texts of one column of a result, named.
pub fn column(batches: &[RecordBatch], name: &str) -> Vec<String> {
    let of_batch = |batch: &RecordBatch| {
        let array = batch.column_by_name(name).unwrap_or_else(|| panic!("there is no column {name}")).clone();
        (0..array.len()).map(|row| render(&array, row)).collect::<Vec<_>>()
    };
    batches.iter().flat_map(of_batch).collect()
}
