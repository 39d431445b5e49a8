//! `percentile_cont` with an exact fraction. DataFusion rounds the weights of the two values
//! between which it interpolates to six digits.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Float64Array};
use arrow::datatypes::{DataType, FieldRef, Float64Type};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::function::{AccumulatorArgs, AggregateFunctionSimplification, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Documentation, GroupsAccumulator, Signature,
};
use datafusion::physical_expr::expressions::Literal;

use super::finish::{Finish, Finished, FinishedGroups};
use crate::error::{Error, wrap};

/// Returns the replacement of DataFusion's function.
pub(in crate::functions) fn percentile_cont(inner: Arc<AggregateUDF>) -> AggregateUDF {
    AggregateUDF::from(Percentile { inner })
}

/// DataFusion's function collects the values; this one interpolates doubles.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Percentile {
    inner: Arc<AggregateUDF>,
}

/// Returns how many of the values lie below the percentile, from 0 to 1; `None` for other types,
/// and for a number that DataFusion refuses.
fn fraction(args: &AccumulatorArgs<'_>) -> Option<Fraction> {
    if *args.expr_fields.first()?.data_type() != DataType::Float64 {
        return None;
    }
    let ScalarValue::Float64(Some(fraction)) = args.exprs.get(1)?.downcast_ref::<Literal>()?.value() else {
        return None;
    };
    let is_descending = args.order_bys.first().is_some_and(|key| key.options.descending);
    let below = if is_descending { 1.0 - fraction } else { *fraction };
    (0.0..=1.0).contains(fraction).then_some(Fraction(below))
}

impl AggregateUDFImpl for Percentile {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn aliases(&self) -> &[String] {
        self.inner.aliases()
    }

    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.inner.return_type(types)
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        self.inner.state_fields(args)
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        let (fraction, is_distinct) = (fraction(&args), args.is_distinct);
        let inner = self.inner.accumulator(args)?;
        Ok(match fraction {
            // the state of distinct values is a copy
            Some(finish) => Box::new(Finished { inner, finish, drains: !is_distinct }),
            None => inner,
        })
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs<'_>) -> bool {
        self.inner.groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn GroupsAccumulator>> {
        let fraction = fraction(&args);
        let inner = self.inner.create_groups_accumulator(args)?;
        Ok(match fraction {
            Some(finish) => Box::new(FinishedGroups { inner, finish }),
            None => inner,
        })
    }

    fn simplify(&self) -> Option<AggregateFunctionSimplification> {
        self.inner.simplify()
    }

    fn supports_within_group_clause(&self) -> bool {
        self.inner.supports_within_group_clause()
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.inner.documentation()
    }
}

/// The share of values that lie below the percentile.
#[derive(Debug)]
struct Fraction(f64);

impl Finish for Fraction {
    /// A state has a list of the values. The percentile of none is NULL.
    fn finish(&self, state: &[ArrayRef]) -> Result<ArrayRef> {
        let [lists] = state else {
            return Err(wrap(Error::Internal(format!("percentile_cont of {} states", state.len()))));
        };
        let of_list = |list: Option<ArrayRef>| {
            let list = list?;
            let mut values: Vec<f64> = list.as_primitive::<Float64Type>().iter().flatten().collect();
            percentile(&mut values, self.0)
        };
        Ok(Arc::new(lists.as_list::<i32>().iter().map(of_list).collect::<Float64Array>()))
    }
}

/// Returns the value at a place between the least and the greatest. NaN is the greatest.
fn percentile(values: &mut [f64], fraction: f64) -> Option<f64> {
    let last = values.len().checked_sub(1)?;
    let place = fraction * last as f64;
    let lower = (place.floor() as usize).min(last);
    let (_, &mut below, above) = values.select_nth_unstable_by(lower, f64::total_cmp);
    let weight = place - lower as f64;
    let next = above.iter().copied().min_by(f64::total_cmp);
    Some(match next {
        Some(next) if weight > 0.0 && next != below => below + (next - below) * weight,
        _ => below,
    })
}

#[cfg(test)]
mod tests;
