//! `typeof`: the name of a value's type in SQL.

use std::sync::Arc;

use arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::{Result, ScalarValue};
use datafusion::execution::FunctionRegistry;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

/// Registers the function.
///
/// # Errors
/// The registry takes no functions.
pub(super) fn register(registry: &mut dyn FunctionRegistry) -> Result<()> {
    let function = TypeOf { signature: Signature::any(1, Volatility::Immutable) };
    registry.register_udf(Arc::new(ScalarUDF::from(function)))?;
    Ok(())
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct TypeOf {
    signature: Signature,
}

impl ScalarUDFImpl for TypeOf {
    fn name(&self) -> &str {
        "typeof"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let found = args.arg_fields.first().map_or(DataType::Null, |field| field.data_type().clone());
        Ok(ColumnarValue::Scalar(ScalarValue::Utf8(Some(name(&found)))))
    }
}

/// Returns the name of a type, as DuckDB writes it.
fn name(found: &DataType) -> String {
    let plain = match found {
        DataType::Null => "\"NULL\"",
        DataType::Boolean => "BOOLEAN",
        DataType::Int8 => "TINYINT",
        DataType::Int16 => "SMALLINT",
        DataType::Int32 => "INTEGER",
        DataType::Int64 => "BIGINT",
        DataType::UInt8 => "UTINYINT",
        DataType::UInt16 => "USMALLINT",
        DataType::UInt32 => "UINTEGER",
        DataType::UInt64 => "UBIGINT",
        DataType::Float16 | DataType::Float32 => "FLOAT",
        DataType::Float64 => "DOUBLE",
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "VARCHAR",
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            "BLOB"
        }
        DataType::Date32 | DataType::Date64 => "DATE",
        DataType::Time32(_) | DataType::Time64(_) => "TIME",
        DataType::Interval(_) | DataType::Duration(_) => "INTERVAL",
        DataType::Timestamp(_, Some(_)) => "TIMESTAMP WITH TIME ZONE",
        DataType::Timestamp(TimeUnit::Second, None) => "TIMESTAMP_S",
        DataType::Timestamp(TimeUnit::Millisecond, None) => "TIMESTAMP_MS",
        DataType::Timestamp(TimeUnit::Microsecond, None) => "TIMESTAMP",
        DataType::Timestamp(TimeUnit::Nanosecond, None) => "TIMESTAMP_NS",
        DataType::Dictionary(_, value) => return name(value),
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale)
        | DataType::Decimal256(precision, scale) => return format!("DECIMAL({precision},{scale})"),
        DataType::List(field) | DataType::LargeList(field) => {
            return format!("{}[]", name(field.data_type()));
        }
        DataType::FixedSizeList(field, size) => return format!("{}[{size}]", name(field.data_type())),
        DataType::Struct(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|field| format!("{} {}", quoted(field.name()), name(field.data_type())))
                .collect();
            return format!("STRUCT({})", fields.join(", "));
        }
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(fields) => {
                let types: Vec<String> = fields.iter().map(|field| name(field.data_type())).collect();
                return format!("MAP({})", types.join(", "));
            }
            other => return name(other),
        },
        other => return other.to_string(),
    };
    plain.to_owned()
}

/// Returns a field's name, in quotes if it needs them.
fn quoted(field: &str) -> String {
    let is_plain = field.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !field.bytes().next().is_none_or(|byte| byte.is_ascii_digit());
    if is_plain { field.to_owned() } else { format!("\"{}\"", field.replace('"', "\"\"")) }
}
