//! Values of parameters as constants of SQL.

use arrow::array::{Array, ArrayRef};
use arrow::datatypes::{DataType, IntervalUnit, TimeUnit};
use arrow::util::display::array_value_to_string;
use datafusion::common::ScalarValue;
use datafusion::sql::sqlparser::ast::Expr;
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;

use crate::error::{Error, Result};

/// Returns the constant for the value of the parameter `name`.
///
/// # Errors
/// SQL has no constant for the type.
pub(super) fn literal(name: &str, value: &ScalarValue) -> Result<Expr> {
    let text = text(name, value)?;
    let parsed =
        Parser::new(&GenericDialect {}).try_with_sql(&text).and_then(|mut parser| parser.parse_expr());
    parsed.map_err(|error| Error::Internal(format!("the value of ${name}: {error}")))
}

fn text(name: &str, value: &ScalarValue) -> Result<String> {
    if value.is_null() {
        return Ok("NULL".to_owned());
    }
    let shown = array_value_to_string(&value.to_array()?, 0).map_err(|e| Error::Internal(e.to_string()))?;
    let cast = |data_type: &str| format!("CAST({} AS {data_type})", quoted(&shown));
    Ok(match value {
        ScalarValue::Boolean(Some(value)) => value.to_string(),
        // a number without a sign is a constant wherever SQL asks for one, as in LIMIT
        ScalarValue::Int64(Some(value)) if *value >= 0 => value.to_string(),
        ScalarValue::Int8(_) => cast("TINYINT"),
        ScalarValue::Int16(_) => cast("SMALLINT"),
        ScalarValue::Int32(_) => cast("INTEGER"),
        ScalarValue::Int64(_) => cast("BIGINT"),
        ScalarValue::UInt8(_) => cast("TINYINT UNSIGNED"),
        ScalarValue::UInt16(_) => cast("SMALLINT UNSIGNED"),
        ScalarValue::UInt32(_) => cast("INTEGER UNSIGNED"),
        ScalarValue::UInt64(_) => cast("BIGINT UNSIGNED"),
        ScalarValue::Float32(Some(value)) => format!("CAST('{value:?}' AS REAL)"),
        ScalarValue::Float64(Some(value)) => format!("CAST('{value:?}' AS DOUBLE)"),
        ScalarValue::Decimal32(Some(value), precision, scale) => {
            decimal(i128::from(*value), *precision, *scale)
        }
        ScalarValue::Decimal64(Some(value), precision, scale) => {
            decimal(i128::from(*value), *precision, *scale)
        }
        ScalarValue::Decimal128(Some(value), precision, scale) => decimal(*value, *precision, *scale),
        ScalarValue::Utf8(Some(text))
        | ScalarValue::LargeUtf8(Some(text))
        | ScalarValue::Utf8View(Some(text)) => quoted(text),
        ScalarValue::Binary(Some(bytes))
        | ScalarValue::LargeBinary(Some(bytes))
        | ScalarValue::BinaryView(Some(bytes))
        | ScalarValue::FixedSizeBinary(_, Some(bytes)) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("X'{digits}'")
        }
        ScalarValue::Dictionary(_, inner) => return text(name, inner),
        ScalarValue::List(list) => elements(name, &list.value(0))?,
        ScalarValue::LargeList(list) => elements(name, &list.value(0))?,
        ScalarValue::FixedSizeList(list) => elements(name, &list.value(0))?,
        other => match other.data_type() {
            DataType::Date32 | DataType::Date64 => cast("DATE"),
            DataType::Time32(_) | DataType::Time64(TimeUnit::Microsecond) => cast("TIME"),
            DataType::Time64(_) => cast("TIME(9)"),
            DataType::Timestamp(TimeUnit::Nanosecond, None) => cast("TIMESTAMP_NS"),
            DataType::Timestamp(_, None) => cast("TIMESTAMP"),
            DataType::Timestamp(_, Some(_)) => cast("TIMESTAMPTZ"),
            DataType::Interval(IntervalUnit::MonthDayNano) => interval(other),
            other => {
                return Err(Error::Query(format!(
                    "the value of ${name} is of type {other}, which can't be passed: pass it as text, and cast \
                     the parameter in the statement"
                )));
            }
        },
    })
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn decimal(value: i128, precision: u8, scale: i8) -> String {
    let places = usize::try_from(scale).unwrap_or_default();
    let zeros = "0".repeat(usize::from(scale.min(0).unsigned_abs()));
    let digits = format!("{:0>1$}{zeros}", value.unsigned_abs(), places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let sign = if value < 0 { "-" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("CAST('{sign}{whole}{point}{fraction}' AS DECIMAL({precision}, {places}))")
}

fn interval(value: &ScalarValue) -> String {
    match value {
        ScalarValue::IntervalMonthDayNano(Some(value)) => {
            let (seconds, nanos) = (value.nanoseconds / 1_000_000_000, value.nanoseconds % 1_000_000_000);
            let sign = if value.nanoseconds < 0 { "-" } else { "" };
            let (seconds, nanos) = (seconds.unsigned_abs(), nanos.unsigned_abs());
            format!(
                "INTERVAL '{} months {} days {sign}{seconds}.{nanos:09} seconds'",
                value.months, value.days
            )
        }
        _ => "NULL".to_owned(),
    }
}

fn elements(name: &str, list: &ArrayRef) -> Result<String> {
    // a list of bytes takes no NULL without a type
    let of_bytes =
        matches!(list.data_type(), DataType::Binary | DataType::LargeBinary | DataType::BinaryView);
    let element = |index| match of_bytes && list.is_null(index) {
        true => Ok("CAST(NULL AS BYTEA)".to_owned()),
        false => text(name, &ScalarValue::try_from_array(list, index)?),
    };
    let elements = (0..list.len()).map(element);
    Ok(format!("[{}]", elements.collect::<Result<Vec<_>>>()?.join(", ")))
}
