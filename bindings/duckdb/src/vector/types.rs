//! DuckDB's types for a file's columns, as DuckDB's own reader chooses them.

use arrow::datatypes::{DataType, FieldRef, TimeUnit};
use parquet::basic::{ConvertedType, LogicalType};
use parquet::schema::types::ColumnDescPtr;
use pelton_pages::ParquetFile;

use crate::sys::{Column, Type};

/// DuckDB's `DecimalType::MaxWidth()`; wider ones become DOUBLE, there and here.
const WIDEST_DECIMAL: u8 = 38;

/// Returns the columns of a file.
pub fn columns(file: &ParquetFile) -> Result<Vec<Column>, String> {
    // The file's own schema, since decoders get another one for intervals.
    let mut leaves = file.metadata().file_metadata().schema_descr().columns().iter();
    let fields = file.schema().fields().iter();
    fields.map(|field| Ok(Column { name: field.name().clone(), of: column(field, &mut leaves)? })).collect()
}

/// Maps a field and its leaves. Arrow's fields have the leaves in the same order as Parquet's
/// schema.
fn column<'a>(
    field: &FieldRef,
    leaves: &mut impl Iterator<Item = &'a ColumnDescPtr>,
) -> Result<Type, String> {
    Ok(match field.data_type() {
        DataType::List(item) => Type::List(Box::new(column(item, leaves)?)),
        DataType::Struct(fields) => {
            let fields = fields.iter().map(|field| Ok((field.name().clone(), column(field, leaves)?)));
            Type::Struct(fields.collect::<Result<_, String>>()?)
        }
        DataType::Map(entries, _) => match column(entries, leaves)? {
            Type::Struct(pair) => match <[(String, Type); 2]>::try_from(pair) {
                Ok([(_, key), (_, value)]) => Type::Map(Box::new(key), Box::new(value)),
                Err(_) => return Err(format!("the map {} has no keys and values", field.name())),
            },
            _ => return Err(format!("the map {} has no keys and values", field.name())),
        },
        data_type => {
            let leaf = leaves.next().ok_or("internal error: a field without a leaf")?;
            scalar(data_type, leaf).ok_or_else(|| {
                format!("column {} is {data_type}, which Pelton does not read", field.name())
            })?
        }
    })
}

fn scalar(data_type: &DataType, leaf: &ColumnDescPtr) -> Option<Type> {
    let data_type = match data_type {
        DataType::Dictionary(_, of) => of,
        other => other,
    };
    let logical = leaf.logical_type_ref();
    let is_utc = match logical {
        Some(LogicalType::Timestamp(timestamp)) => timestamp.is_adjusted_to_u_t_c,
        Some(LogicalType::Time(time)) => time.is_adjusted_to_u_t_c,
        _ => false,
    };
    Some(match data_type {
        DataType::Boolean => Type::Boolean,
        DataType::Int8 => Type::TinyInt,
        DataType::Int16 => Type::SmallInt,
        DataType::Int32 => Type::Integer,
        DataType::Int64 => Type::BigInt,
        DataType::UInt8 => Type::UTinyInt,
        DataType::UInt16 => Type::USmallInt,
        DataType::UInt32 => Type::UInteger,
        DataType::UInt64 => Type::UBigInt,
        DataType::Float16 | DataType::Float32 => Type::Float,
        DataType::Float64 => Type::Double,
        DataType::Decimal32(width, scale)
        | DataType::Decimal64(width, scale)
        | DataType::Decimal128(width, scale)
            if *width <= WIDEST_DECIMAL =>
        {
            Type::Decimal(*width, u8::try_from(*scale).ok()?)
        }
        DataType::Decimal256(..) => Type::Double,
        DataType::Date32 => Type::Date,
        DataType::Time32(_) | DataType::Time64(_) if is_utc => Type::TimeTz,
        DataType::Time64(TimeUnit::Nanosecond) => Type::TimeNs,
        DataType::Time32(_) | DataType::Time64(_) => Type::Time,
        DataType::Timestamp(TimeUnit::Nanosecond, _) if is_utc && Type::TimestampTzNs.exists() => {
            Type::TimestampTzNs
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) if is_utc => Type::TimestampTz,
        DataType::Timestamp(TimeUnit::Nanosecond, _) => Type::TimestampNs,
        DataType::Timestamp(..) if is_utc => Type::TimestampTz,
        DataType::Timestamp(..) => Type::Timestamp,
        DataType::FixedSizeBinary(16) if matches!(logical, Some(LogicalType::Uuid)) => Type::Uuid,
        // Intervals come as bytes, without their name.
        DataType::FixedSizeBinary(12) if leaf.converted_type() == ConvertedType::INTERVAL => Type::Interval,
        DataType::FixedSizeBinary(_) | DataType::Binary | DataType::BinaryView => Type::Blob,
        DataType::Utf8 | DataType::Utf8View => match (logical, leaf.converted_type()) {
            (Some(LogicalType::Json), _) | (_, ConvertedType::JSON) => Type::Json,
            _ => Type::Varchar,
        },
        DataType::Null => Type::Null,
        _ => return None,
    })
}
