//! Constants.

use datafusion::common::ScalarValue;

use crate::ir::Literal;

/// A constant without its type; `None` is null.
///
/// # Errors
/// There are no such constants on the GPU.
pub(crate) fn literal(value: &ScalarValue) -> Result<Option<Literal>, String> {
    use ScalarValue as S;
    macro_rules! integer {
        ($value:expr) => {
            $value.map(|x| Literal::Integer(x.into()))
        };
    }
    Ok(match value {
        S::Null => None,
        S::Boolean(x) => x.map(Literal::Bool),
        S::Int8(x) => integer!(x),
        S::Int16(x) => integer!(x),
        S::Int32(x) | S::Date32(x) | S::Time32Second(x) | S::Time32Millisecond(x) => integer!(x),
        S::Int64(x)
        | S::Date64(x)
        | S::Time64Microsecond(x)
        | S::Time64Nanosecond(x)
        | S::TimestampSecond(x, _)
        | S::TimestampMillisecond(x, _)
        | S::TimestampMicrosecond(x, _)
        | S::TimestampNanosecond(x, _) => integer!(x),
        S::UInt8(x) => integer!(x),
        S::UInt16(x) => integer!(x),
        S::UInt32(x) => integer!(x),
        S::UInt64(x) => integer!(x),
        S::Decimal128(x, _, _) => x.map(Literal::Integer),
        S::Float32(x) => x.map(|x| Literal::Float(x.into())),
        S::Float64(x) => x.map(Literal::Float),
        S::Utf8(x) | S::LargeUtf8(x) | S::Utf8View(x) => {
            x.as_ref().map(|x| Literal::Text(x.clone().into_bytes()))
        }
        S::Binary(x) | S::LargeBinary(x) | S::BinaryView(x) => x.as_ref().map(|x| Literal::Text(x.clone())),
        S::Dictionary(_, value) => literal(value)?,
        other => return Err(format!("constants of type {} are not supported", other.data_type())),
    })
}
