//! `min` and `max` of numbers and times.

use std::sync::Arc;

use arrow::array::{ArrayRef, ArrowNativeTypeOp, AsArray, PrimitiveBuilder, downcast_primitive};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{ArrowPrimitiveType, DataType};
use datafusion::error::Result;

use super::{Make, Running, Step, walk};
use crate::plan::rules::aggregates::running_windows::groups::{Scope, Starts};

/// Returns `min` or `max` of a type; `None` if its values have another order than their numbers.
pub(super) fn extreme(data_type: &DataType, is_greatest: bool) -> Option<Make> {
    macro_rules! make {
        ($t:ty) => {{
            let data_type = data_type.clone();
            Some(Arc::new(move || {
                Box::new(Extreme::<$t>::new(data_type.clone(), is_greatest)) as Box<dyn Running>
            }))
        }};
    }
    if matches!(data_type, DataType::Interval(_)) {
        return None;
    }
    downcast_primitive! {
        data_type => (make),
        _ => None
    }
}

struct Extreme<T: ArrowPrimitiveType> {
    data_type: DataType,
    is_greatest: bool,
    best: Option<T::Native>,
}

impl<T: ArrowPrimitiveType> Extreme<T> {
    fn new(data_type: DataType, is_greatest: bool) -> Self {
        Self { data_type, is_greatest, best: None }
    }
}

struct Compare<'a, T: ArrowPrimitiveType> {
    values: &'a [T::Native],
    nulls: Option<&'a NullBuffer>,
    is_greatest: bool,
    best: &'a mut Option<T::Native>,
    found: PrimitiveBuilder<T>,
}

impl<T: ArrowPrimitiveType> Step for Compare<'_, T> {
    fn reset(&mut self) {
        *self.best = None;
    }

    fn add(&mut self, row: usize) {
        if self.nulls.is_some_and(|nulls| nulls.is_null(row)) {
            return;
        }
        let value = self.values[row];
        let is_better = self.best.is_none_or(|best| match self.is_greatest {
            true => best.is_lt(value),
            false => value.is_lt(best),
        });
        if is_better {
            *self.best = Some(value);
        }
    }

    fn emit(&mut self) {
        self.found.append_option(*self.best);
    }
}

impl<T: ArrowPrimitiveType> Running for Extreme<T> {
    fn add(&mut self, arguments: &[ArrayRef], starts: &Starts, scope: Scope) -> Result<ArrayRef> {
        let array = arguments[0].as_primitive::<T>();
        let mut step = Compare {
            values: array.values(),
            nulls: arguments[0].nulls().filter(|nulls| nulls.null_count() > 0),
            is_greatest: self.is_greatest,
            best: &mut self.best,
            found: PrimitiveBuilder::<T>::new().with_data_type(self.data_type.clone()),
        };
        walk(&mut step, starts, scope);
        Ok(Arc::new(step.found.finish()))
    }
}
