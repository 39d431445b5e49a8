//! Integer arithmetic that checks for overflow once a batch.
//!
//! Arrow's checked operations take a branch for each value. Here a vectorised loop computes wrapped
//! values and collects the bits that show an overflow.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, PrimitiveArray};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{
    DataType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use datafusion::logical_expr::{ColumnarValue, Operator};

/// Returns `left op right`, where `op` is +, - or *; `None` if a value may overflow, or the
/// operands are not an array and an array or a constant of one type.
pub(super) fn arithmetic(left: &ColumnarValue, op: Operator, right: &ColumnarValue) -> Option<ArrayRef> {
    match left.data_type() {
        DataType::Int8 => typed::<Int8Type>(left, op, right),
        DataType::Int16 => typed::<Int16Type>(left, op, right),
        DataType::Int32 => typed::<Int32Type>(left, op, right),
        DataType::Int64 => typed::<Int64Type>(left, op, right),
        DataType::UInt8 => typed::<UInt8Type>(left, op, right),
        DataType::UInt16 => typed::<UInt16Type>(left, op, right),
        DataType::UInt32 => typed::<UInt32Type>(left, op, right),
        DataType::UInt64 => typed::<UInt64Type>(left, op, right),
        _ => None,
    }
}

/// Returns `-value`; `None` if a value may overflow, or it is a constant.
pub(super) fn negate(value: &ColumnarValue) -> Option<ArrayRef> {
    fn typed<T: ArrowPrimitiveType<Native: Integer>>(value: &ColumnarValue) -> Option<ArrayRef> {
        let value = Operand::<T>::new(value)?;
        let zero = Operand::<T> { values: Values::One(T::Native::default()), nulls: None };
        combine::<T>(&zero, &value, Integer::subtract, Integer::is_negative)
    }
    match value.data_type() {
        DataType::Int8 => typed::<Int8Type>(value),
        DataType::Int16 => typed::<Int16Type>(value),
        DataType::Int32 => typed::<Int32Type>(value),
        DataType::Int64 => typed::<Int64Type>(value),
        _ => None,
    }
}

/// An integer type with operations that return the wrapped value and the traces of an overflow.
trait Integer: Copy + Default + PartialEq + std::ops::BitOr<Output = Self> {
    /// Returns the sum or difference, and a value with its uppermost bit set on overflow.
    fn add(self, other: Self) -> (Self, Self);
    /// The uppermost bit of the second is set if it overflowed.
    fn subtract(self, other: Self) -> (Self, Self);
    /// Returns the product, and a value other than 0 on overflow.
    fn multiply(self, other: Self) -> (Self, Self);
    /// Returns whether the uppermost bit is set.
    fn is_negative(self) -> bool;
}

macro_rules! signed {
    ($type:ty, $wide:ty) => {
        impl Integer for $type {
            fn add(self, other: Self) -> (Self, Self) {
                let sum = self.wrapping_add(other);
                (sum, (self ^ sum) & (other ^ sum))
            }

            fn subtract(self, other: Self) -> (Self, Self) {
                let difference = self.wrapping_sub(other);
                (difference, (self ^ other) & (self ^ difference))
            }

            fn multiply(self, other: Self) -> (Self, Self) {
                let product = <$wide>::from(self) * <$wide>::from(other);
                let low = product as $type;
                (low, (product >> <$type>::BITS) as $type ^ (low >> (<$type>::BITS - 1)))
            }

            fn is_negative(self) -> bool {
                self < 0
            }
        }
    };
}

macro_rules! unsigned {
    ($type:ty, $wide:ty) => {
        impl Integer for $type {
            fn add(self, other: Self) -> (Self, Self) {
                let sum = self.wrapping_add(other);
                (sum, (self & other) | ((self | other) & !sum))
            }

            fn subtract(self, other: Self) -> (Self, Self) {
                let difference = self.wrapping_sub(other);
                (difference, (!self & other) | ((!self | other) & difference))
            }

            fn multiply(self, other: Self) -> (Self, Self) {
                let product = <$wide>::from(self) * <$wide>::from(other);
                (product as $type, (product >> <$type>::BITS) as $type)
            }

            fn is_negative(self) -> bool {
                self >> (<$type>::BITS - 1) != 0
            }
        }
    };
}

signed!(i8, i16);
signed!(i16, i32);
signed!(i32, i64);
signed!(i64, i128);
unsigned!(u8, u16);
unsigned!(u16, u32);
unsigned!(u32, u64);
unsigned!(u64, u128);

/// One side of an operation.
struct Operand<'a, T: ArrowPrimitiveType> {
    values: Values<'a, T::Native>,
    nulls: Option<&'a NullBuffer>,
}

enum Values<'a, N> {
    Each(&'a [N]),
    One(N),
}

impl<'a, T: ArrowPrimitiveType> Operand<'a, T> {
    fn new(value: &'a ColumnarValue) -> Option<Self> {
        match value {
            ColumnarValue::Array(array) => {
                let array = array.as_primitive_opt::<T>()?;
                Some(Self { values: Values::Each(array.values()), nulls: array.nulls() })
            }
            ColumnarValue::Scalar(value) if value.is_null() => None,
            ColumnarValue::Scalar(value) => {
                let one = value.to_array().ok()?;
                let one = one.as_primitive_opt::<T>()?.value(0);
                Some(Self { values: Values::One(one), nulls: None })
            }
        }
    }
}

fn typed<T: ArrowPrimitiveType<Native: Integer>>(
    left: &ColumnarValue,
    op: Operator,
    right: &ColumnarValue,
) -> Option<ArrayRef> {
    let (a, b) = (Operand::<T>::new(left)?, Operand::<T>::new(right)?);
    match op {
        Operator::Plus => combine(&a, &b, Integer::add, Integer::is_negative),
        Operator::Minus => combine(&a, &b, Integer::subtract, Integer::is_negative),
        Operator::Multiply => combine(&a, &b, Integer::multiply, |traces| traces != T::Native::default()),
        _ => None,
    }
}

/// Combines two operands. `None`: a value overflows, maybe one under a null; both are constants; or
/// one array is longer.
fn combine<T: ArrowPrimitiveType<Native: Integer>>(
    a: &Operand<'_, T>,
    b: &Operand<'_, T>,
    f: impl Fn(T::Native, T::Native) -> (T::Native, T::Native),
    overflowed: impl Fn(T::Native) -> bool,
) -> Option<ArrayRef> {
    let mut traces = T::Native::default();
    let mut each = |a, b| {
        let (value, trace) = f(a, b);
        traces = traces | trace;
        value
    };
    let values: Vec<T::Native> = match (&a.values, &b.values) {
        (Values::Each(a), Values::Each(b)) if a.len() == b.len() => {
            a.iter().zip(*b).map(|(&a, &b)| each(a, b)).collect()
        }
        (Values::Each(a), &Values::One(b)) => a.iter().map(|&a| each(a, b)).collect(),
        (&Values::One(a), Values::Each(b)) => b.iter().map(|&b| each(a, b)).collect(),
        _ => return None,
    };
    if overflowed(traces) {
        return None;
    }
    let nulls = NullBuffer::union(a.nulls, b.nulls);
    Some(Arc::new(PrimitiveArray::<T>::try_new(values.into(), nulls).ok()?))
}
