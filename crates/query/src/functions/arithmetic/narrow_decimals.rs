//! Arithmetic on decimals that fit into 64 bits.
//!
//! Arrow stores decimals in 128 bits and checks every operation for overflow, with a long product
//! and a branch for each value. Values of half that width need no check.

use arrow::array::{Array, ArrayRef, Decimal128Array, PrimitiveArray};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{DataType, Decimal128Type};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{ColumnarValue, Operator};
use pelton_dense::decimals::{Operand, fit, products, sums};

/// The largest power of ten that fits into 64 bits.
const MAX_SHIFT: u32 = 18;

/// Returns `left op right` as `result`, where `op` is +, - or *; `None` if any value may need more
/// than 64 bits, or the operands are not an array and an array or a constant.
pub(super) fn arithmetic(
    left: &ColumnarValue,
    op: Operator,
    right: &ColumnarValue,
    result: &DataType,
) -> Option<ArrayRef> {
    let &DataType::Decimal128(_, scale) = result else { return None };
    let (a, b) = (Side::new(left)?, Side::new(right)?);
    let values = match op {
        Operator::Multiply if a.scale + b.scale == scale => products(a.values, b.values)?,
        Operator::Plus => sums(a.values, factor(a.scale, scale)?, b.values, factor(b.scale, scale)?)?,
        Operator::Minus => sums(a.values, factor(a.scale, scale)?, b.values, -factor(b.scale, scale)?)?,
        _ => return None,
    };
    let nulls = NullBuffer::union(a.nulls, b.nulls);
    let array = PrimitiveArray::<Decimal128Type>::try_new(values.into(), nulls).ok()?;
    Some(std::sync::Arc::new(array.with_data_type(result.clone())))
}

/// One side of an operation: values that fit into 64 bits.
struct Side<'a> {
    values: Operand<'a>,
    nulls: Option<&'a NullBuffer>,
    scale: i8,
}

impl<'a> Side<'a> {
    /// `None` for values that don't fit; values under nulls count, too.
    fn new(value: &'a ColumnarValue) -> Option<Self> {
        match value {
            ColumnarValue::Array(array) => {
                let &DataType::Decimal128(_, scale) = array.data_type() else { return None };
                let array = array.as_any().downcast_ref::<Decimal128Array>()?;
                let values = array.values().as_ref();
                fit(values).then_some(Self { values: Operand::Each(values), nulls: array.nulls(), scale })
            }
            &ColumnarValue::Scalar(ScalarValue::Decimal128(Some(value), _, scale)) => {
                fit(&[value]).then_some(Self { values: Operand::One(value), nulls: None, scale })
            }
            ColumnarValue::Scalar(_) => None,
        }
    }
}

fn factor(from: i8, to: i8) -> Option<i64> {
    let shift = u32::try_from(i16::from(to) - i16::from(from)).ok()?;
    (shift <= MAX_SHIFT).then(|| 10i64.pow(shift))
}
