//! Names of types in SQL.

use arrow::datatypes::{DataType, TimeUnit};

/// Returns the name that a cast to a type has in SQL; Arrow's name for a type without one.
pub fn type_in_sql(data_type: &DataType) -> String {
    let name = match data_type {
        DataType::Null => "NULL",
        DataType::Boolean => "BOOLEAN",
        DataType::Int8 => "TINYINT",
        DataType::Int16 => "SMALLINT",
        DataType::Int32 => "INTEGER",
        DataType::Int64 => "BIGINT",
        DataType::UInt8 => "TINYINT UNSIGNED",
        DataType::UInt16 => "SMALLINT UNSIGNED",
        DataType::UInt32 => "INTEGER UNSIGNED",
        DataType::UInt64 => "BIGINT UNSIGNED",
        DataType::Float32 => "REAL",
        DataType::Float64 => "DOUBLE",
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "VARCHAR",
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            "BYTEA"
        }
        DataType::Date32 | DataType::Date64 => "DATE",
        DataType::Time32(_) | DataType::Time64(_) => "TIME",
        DataType::Timestamp(TimeUnit::Second, None) => "TIMESTAMP_S",
        DataType::Timestamp(TimeUnit::Millisecond, None) => "TIMESTAMP_MS",
        DataType::Timestamp(TimeUnit::Microsecond, None) => "TIMESTAMP",
        DataType::Timestamp(TimeUnit::Nanosecond, None) => "TIMESTAMP_NS",
        DataType::Timestamp(_, Some(_)) => "TIMESTAMPTZ",
        DataType::Interval(_) | DataType::Duration(_) => "INTERVAL",
        DataType::Dictionary(_, values) => return type_in_sql(values),
        DataType::RunEndEncoded(_, values) => return type_in_sql(values.data_type()),
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale)
        | DataType::Decimal256(precision, scale) => return format!("DECIMAL({precision},{scale})"),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item) => {
            return format!("{}[]", type_in_sql(item.data_type()));
        }
        DataType::FixedSizeList(item, length) => {
            return format!("{}[{length}]", type_in_sql(item.data_type()));
        }
        DataType::Struct(fields) => {
            let fields =
                fields.iter().map(|field| format!("{} {}", field.name(), type_in_sql(field.data_type())));
            return format!("STRUCT({})", fields.collect::<Vec<_>>().join(", "));
        }
        DataType::Map(entries, _) => {
            return match entries.data_type() {
                DataType::Struct(fields) => {
                    let parts = fields.iter().map(|field| type_in_sql(field.data_type()));
                    format!("MAP({})", parts.collect::<Vec<_>>().join(", "))
                }
                other => format!("MAP({other})"),
            };
        }
        other => return other.to_string(),
    };
    name.to_owned()
}
