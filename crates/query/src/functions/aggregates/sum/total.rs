//! Total over rows or over a sliding frame.

use std::sync::Arc;

use arrow::array::{ArrayRef, PrimitiveArray};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Decimal32Type, Decimal64Type, Decimal128Type, Int64Type, UInt64Type,
};
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::Accumulator;

use super::STATE;
use super::values::{AddUp, visit};
use crate::error::{Error, wrap};
use crate::plan::type_in_sql;

/// The type of a total, and the error for one out of range.
#[derive(Debug, Clone)]
pub(crate) struct Limit {
    data_type: DataType,
    /// The aggregate as it was called.
    call: String,
}

impl Limit {
    pub fn new(data_type: DataType, call: String) -> Self {
        Self { data_type, call }
    }

    /// Returns whether the type can hold a total.
    pub fn holds(&self, total: i128) -> bool {
        match self.data_type {
            DataType::Int64 => i64::try_from(total).is_ok(),
            DataType::UInt64 => u64::try_from(total).is_ok(),
            DataType::Decimal32(precision, _)
            | DataType::Decimal64(precision, _)
            | DataType::Decimal128(precision, _) => {
                let bound = 10i128.pow(precision.into());
                -bound < total && total < bound
            }
            _ => false,
        }
    }

    /// Returns the total as a value of the type.
    ///
    /// # Errors
    /// The type has no such value.
    pub fn scalar(&self, total: Option<i128>) -> Result<ScalarValue> {
        let Some(total) = total else { return ScalarValue::try_from(&self.data_type) };
        if !self.holds(total) {
            return Err(self.overflow(Some(total)));
        }
        Ok(match self.data_type {
            DataType::Int64 => ScalarValue::Int64(total.try_into().ok()),
            DataType::UInt64 => ScalarValue::UInt64(total.try_into().ok()),
            DataType::Decimal32(p, s) => ScalarValue::Decimal32(total.try_into().ok(), p, s),
            DataType::Decimal64(p, s) => ScalarValue::Decimal64(total.try_into().ok(), p, s),
            DataType::Decimal128(p, s) => ScalarValue::Decimal128(Some(total), p, s),
            ref other => return Err(DataFusionError::Internal(format!("sum as {other}"))),
        })
    }

    /// Returns totals as an array of the type; those with a bit of `nulls` unset are NULL.
    ///
    /// # Errors
    /// The type has no such value.
    pub fn array(&self, totals: Vec<i128>, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let is_valid = |row: usize| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
        let beyond = totals.iter().enumerate().find(|(row, total)| !self.holds(**total) && is_valid(*row));
        if let Some((_, &total)) = beyond {
            return Err(self.overflow(Some(total)));
        }
        match self.data_type {
            DataType::Int64 => self.typed::<Int64Type>(totals, nulls),
            DataType::UInt64 => self.typed::<UInt64Type>(totals, nulls),
            DataType::Decimal32(..) => self.typed::<Decimal32Type>(totals, nulls),
            DataType::Decimal64(..) => self.typed::<Decimal64Type>(totals, nulls),
            DataType::Decimal128(..) => self.typed::<Decimal128Type>(totals, nulls),
            ref other => Err(DataFusionError::Internal(format!("sum as {other}"))),
        }
    }

    fn typed<T>(&self, totals: Vec<i128>, nulls: Option<NullBuffer>) -> Result<ArrayRef>
    where
        T: ArrowPrimitiveType,
        T::Native: TryFrom<i128>,
    {
        let cut = |total: i128| T::Native::try_from(total).unwrap_or_default();
        let values: Vec<T::Native> = totals.into_iter().map(cut).collect();
        let array = PrimitiveArray::<T>::try_new(values.into(), nulls)?;
        Ok(Arc::new(array.with_data_type(self.data_type.clone())))
    }

    /// Returns the error of a total out of the type's range; `None`: out of 128 bits.
    pub fn overflow(&self, total: Option<i128>) -> DataFusionError {
        let (call, name) = (&self.call, type_in_sql(&self.data_type));
        let is_whole = self.data_type.is_integer();
        wrap(Error::Execution(match total.filter(|_| is_whole) {
            Some(total) => {
                format!("{call} is {total}, which overflows {name}: write sum(CAST(... AS DECIMAL(38, 0)))")
            }
            None => format!("{call} has more digits than {name}: write sum(CAST(... AS DOUBLE))"),
        }))
    }
}

/// A total that can also subtract rows that leave a frame.
#[derive(Debug)]
pub(super) struct Total {
    limit: Limit,
    total: i128,
    /// Count of values. The total of none is NULL.
    count: usize,
}

impl Total {
    pub fn new(limit: Limit) -> Self {
        Self { limit, total: 0, count: 0 }
    }
}

impl Accumulator for Total {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let added = visit(&values[0], AddUp)?;
        let added = added.and_then(|(sum, count)| Some((self.total.checked_add(sum)?, count)));
        let Some((total, count)) = added else { return Err(self.limit.overflow(None)) };
        self.total = total;
        self.count += count;
        Ok(())
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let left = visit(&values[0], AddUp)?;
        let left = left.and_then(|(sum, count)| Some((self.total.checked_sub(sum)?, count)));
        let Some((total, count)) = left else { return Err(self.limit.overflow(None)) };
        self.total = total;
        self.count -= count;
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.update_batch(states)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let total = (self.count > 0).then_some(self.total);
        let DataType::Decimal128(precision, scale) = STATE else {
            return Err(DataFusionError::Internal("the state of a sum".to_owned()));
        };
        Ok(vec![ScalarValue::Decimal128(total, precision, scale)])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.limit.scalar((self.count > 0).then_some(self.total))
    }

    fn size(&self) -> usize {
        size_of_val(self)
    }
}
