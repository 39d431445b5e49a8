//! Arithmetic on decimals that fit into 64 bits.
//!
//! Arrow stores decimals in 128 bits and checks every operation for overflow, with a long product
//! and a branch for each value. Values of half that width need no check: their product is one
//! instruction, and their sum stays in range, also when one side is first scaled by a factor of the
//! same width.

use arrow::array::{Array, ArrayRef, Decimal128Array, PrimitiveArray};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{DataType, Decimal128Type};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{ColumnarValue, Operator};

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
    let (a, b) = (Operand::new(left)?, Operand::new(right)?);
    let values = match op {
        Operator::Multiply if a.scale + b.scale == scale => combine(&a, &b, |a, b| wide(a) * wide(b))?,
        Operator::Plus | Operator::Minus => {
            let (x, y) = (factor(a.scale, scale)?, factor(b.scale, scale)?);
            match (op, x, y) {
                (Operator::Plus, 1, 1) => combine(&a, &b, |a, b| wide(a) + wide(b))?,
                (Operator::Minus, 1, 1) => combine(&a, &b, |a, b| wide(a) - wide(b))?,
                (Operator::Plus, ..) => combine(&a, &b, |a, b| wide(a) * wide(x) + wide(b) * wide(y))?,
                _ => combine(&a, &b, |a, b| wide(a) * wide(x) - wide(b) * wide(y))?,
            }
        }
        _ => return None,
    };
    let nulls = NullBuffer::union(a.nulls, b.nulls);
    let array = PrimitiveArray::<Decimal128Type>::try_new(values.into(), nulls).ok()?;
    Some(std::sync::Arc::new(array.with_data_type(result.clone())))
}

/// One side of an operation: values that fit into 64 bits.
struct Operand<'a> {
    values: Values<'a>,
    nulls: Option<&'a NullBuffer>,
    scale: i8,
}

enum Values<'a> {
    Each(&'a [i128]),
    One(i128),
}

impl<'a> Operand<'a> {
    fn new(value: &'a ColumnarValue) -> Option<Self> {
        match value {
            ColumnarValue::Array(array) => {
                let &DataType::Decimal128(_, scale) = array.data_type() else { return None };
                let array = array.as_any().downcast_ref::<Decimal128Array>()?;
                let values = array.values().as_ref();
                fit(values).then_some(Self { values: Values::Each(values), nulls: array.nulls(), scale })
            }
            &ColumnarValue::Scalar(ScalarValue::Decimal128(Some(value), _, scale)) => {
                fit(&[value]).then_some(Self { values: Values::One(value), nulls: None, scale })
            }
            ColumnarValue::Scalar(_) => None,
        }
    }
}

/// Returns whether all values fit into 64 bits: their upper half repeats the sign of the lower. The
/// loop has no branch, so that it is vectorised; values under nulls count, too.
fn fit(values: &[i128]) -> bool {
    values.iter().fold(0, |beyond, &value| beyond | ((value >> 64) as i64 ^ (value as i64 >> 63))) == 0
}

/// Returns the lower half alone, so that the compiler sees a product of two 64-bit numbers.
fn wide(value: i128) -> i128 {
    i128::from(value as i64)
}

fn factor(from: i8, to: i8) -> Option<i128> {
    let shift = u32::try_from(i16::from(to) - i16::from(from)).ok()?;
    (shift <= MAX_SHIFT).then(|| 10i128.pow(shift))
}

/// Combines two operands. `None`: both are constants, or one array is longer.
fn combine(a: &Operand<'_>, b: &Operand<'_>, f: impl Fn(i128, i128) -> i128) -> Option<Vec<i128>> {
    Some(match (&a.values, &b.values) {
        (Values::Each(a), Values::Each(b)) if a.len() == b.len() => {
            a.iter().zip(*b).map(|(&a, &b)| f(a, b)).collect()
        }
        (Values::Each(a), &Values::One(b)) => a.iter().map(|&a| f(a, b)).collect(),
        (&Values::One(a), Values::Each(b)) => b.iter().map(|&b| f(a, b)).collect(),
        _ => return None,
    })
}
