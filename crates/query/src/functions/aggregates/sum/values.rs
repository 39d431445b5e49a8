//! Values of an array of integers or decimals, widened to 128 bits.

use arrow::array::{Array, ArrayRef, AsArray, PrimitiveArray};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Decimal32Type, Decimal64Type, Decimal128Type, Int64Type, UInt64Type,
};
use datafusion::common::{DataFusionError, Result};
use pelton_dense::Summand;

/// A generic operation on an array of numbers.
pub(crate) trait Visitor {
    /// The result of a visit.
    type Output;

    /// Takes the array.
    fn visit<T>(self, array: &PrimitiveArray<T>) -> Self::Output
    where
        T: ArrowPrimitiveType + Send,
        T::Native: Summand;
}

/// Calls a visitor with an array of integers or decimals.
///
/// # Errors
/// It is an array of another type.
pub(crate) fn visit<V: Visitor>(array: &ArrayRef, visitor: V) -> Result<V::Output> {
    Ok(match array.data_type() {
        DataType::Int64 => visitor.visit(array.as_primitive::<Int64Type>()),
        DataType::UInt64 => visitor.visit(array.as_primitive::<UInt64Type>()),
        DataType::Decimal32(..) => visitor.visit(array.as_primitive::<Decimal32Type>()),
        DataType::Decimal64(..) => visitor.visit(array.as_primitive::<Decimal64Type>()),
        DataType::Decimal128(..) => visitor.visit(array.as_primitive::<Decimal128Type>()),
        other => return Err(DataFusionError::Internal(format!("sum of {other}"))),
    })
}

/// Sums and counts the numbers of an array; `None` if the sum overflows.
pub(super) struct AddUp;

impl Visitor for AddUp {
    type Output = Option<(i128, usize)>;

    fn visit<T>(self, array: &PrimitiveArray<T>) -> Self::Output
    where
        T: ArrowPrimitiveType + Send,
        T::Native: Summand,
    {
        let (mut total, mut is_beyond) = (0i128, false);
        let mut add = |value: T::Native| {
            let (sum, overflowed) = total.overflowing_add(value.into());
            is_beyond |= overflowed;
            total = sum;
        };
        match array.nulls().filter(|nulls| nulls.null_count() > 0) {
            // no count of narrower numbers overflows the sum
            None if size_of::<T::Native>() < size_of::<i128>() => {
                total = array.values().iter().map(|&value| -> i128 { value.into() }).sum();
            }
            None => array.values().iter().for_each(|&value| add(value)),
            Some(nulls) => nulls.valid_indices().for_each(|row| add(array.value(row))),
        }
        (!is_beyond).then_some((total, array.len() - array.null_count()))
    }
}
