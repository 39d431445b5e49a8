//! Total of distinct values.

use std::collections::HashMap;

use arrow::array::{ArrayRef, AsArray, PrimitiveArray};
use arrow::datatypes::{ArrowPrimitiveType, DataType};
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::Accumulator;
use pelton_dense::Summand;

use super::STATE;
use super::total::Limit;
use super::values::{Visitor, visit};

/// Distinct values with their counts, since a value that leaves a frame may occur in it again.
#[derive(Debug)]
pub(super) struct DistinctTotal {
    limit: Limit,
    values: HashMap<i128, u64>,
}

impl DistinctTotal {
    pub fn new(limit: Limit) -> Self {
        Self { limit, values: HashMap::new() }
    }
}

/// Counts an array's values.
struct Count<'a>(&'a mut HashMap<i128, u64>);

impl Visitor for Count<'_> {
    type Output = ();

    fn visit<T>(self, array: &PrimitiveArray<T>)
    where
        T: ArrowPrimitiveType + Send,
        T::Native: Summand,
    {
        for value in array.iter().flatten() {
            *self.0.entry(value.into()).or_default() += 1;
        }
    }
}

/// Subtracts an array's values from the counts.
struct Subtract<'a>(&'a mut HashMap<i128, u64>);

impl Visitor for Subtract<'_> {
    type Output = ();

    fn visit<T>(self, array: &PrimitiveArray<T>)
    where
        T: ArrowPrimitiveType + Send,
        T::Native: Summand,
    {
        for value in array.iter().flatten() {
            let value = value.into();
            let left = self.0.get_mut(&value).map_or(0, |count| {
                *count = count.saturating_sub(1);
                *count
            });
            if left == 0 {
                self.0.remove(&value);
            }
        }
    }
}

impl Accumulator for DistinctTotal {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        visit(&values[0], Count(&mut self.values))
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        visit(&values[0], Subtract(&mut self.values))
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        for values in states[0].as_list::<i32>().iter().flatten() {
            visit(&values, Count(&mut self.values))?;
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let DataType::Decimal128(precision, scale) = STATE else {
            return Err(DataFusionError::Internal("the state of a sum".to_owned()));
        };
        let value = |&value: &i128| ScalarValue::Decimal128(Some(value), precision, scale);
        let values: Vec<ScalarValue> = self.values.keys().map(value).collect();
        Ok(vec![ScalarValue::List(ScalarValue::new_list_nullable(&values, &STATE))])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let mut values = self.values.keys();
        let total = values.try_fold(0i128, |total, &value| total.checked_add(value));
        match total {
            Some(total) => self.limit.scalar((!self.values.is_empty()).then_some(total)),
            None => Err(self.limit.overflow(None)),
        }
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.values.capacity() * size_of::<(i128, u64)>()
    }
}
