//! `avg` of decimals, rounded to the nearest, halves away from zero. DataFusion truncates the
//! result.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, Decimal128Array, Decimal128Builder, Decimal256Array, new_null_array,
};
use arrow::compute::{cast, concat};
use arrow::datatypes::{DataType, Decimal128Type, Decimal256Type, FieldRef, UInt64Type, i256};
use datafusion::common::{DataFusionError, Result};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Documentation, GroupsAccumulator, ReversedUDAF, Signature,
};

use super::finish::{Finish, Finished, FinishedGroups};
use super::sliding::SlidingSum;
use crate::error::{Error, wrap};
use crate::plan::type_in_sql;

/// Returns the replacement of DataFusion's function.
pub(in crate::functions) fn average(inner: Arc<AggregateUDF>) -> AggregateUDF {
    AggregateUDF::from(Average { inner })
}

/// DataFusion's function adds up the values; this one divides totals of decimals.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Average {
    inner: Arc<AggregateUDF>,
}

impl AggregateUDFImpl for Average {
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
        let quotient = Quotient::new(args.return_field.data_type(), args.name);
        let inner = self.inner.accumulator(args)?;
        Ok(match quotient {
            Some(quotient) => Box::new(Finished { inner, finish: quotient, drains: false }),
            None => inner,
        })
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs<'_>) -> bool {
        self.inner.groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn GroupsAccumulator>> {
        let quotient = Quotient::new(args.return_field.data_type(), args.name);
        let inner = self.inner.create_groups_accumulator(args)?;
        Ok(match quotient {
            Some(quotient) => Box::new(FinishedGroups { inner, finish: quotient }),
            None => inner,
        })
    }

    fn create_sliding_accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        let is_double = args.expr_fields.first().is_some_and(|field| *field.data_type() == DataType::Float64);
        match is_double && !args.is_distinct {
            true => Ok(Box::new(SlidingSum::mean())),
            false => self.accumulator(args),
        }
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        ReversedUDAF::Identical
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.inner.documentation()
    }
}

/// The division of a total by its count.
#[derive(Debug)]
pub(crate) struct Quotient {
    /// The type of the averages.
    result: DataType,
    /// The aggregate as it was called.
    call: String,
}

impl Quotient {
    /// Returns `None` for other types than decimals.
    pub fn new(result: &DataType, call: &str) -> Option<Self> {
        result.is_decimal().then(|| Self { result: result.clone(), call: call.to_owned() })
    }

    /// Returns the averages for totals and their counts; NULL where there are no values.
    ///
    /// # Errors
    /// An average has more digits than its type.
    pub fn of(&self, totals: &ArrayRef, counts: impl IntoIterator<Item = Option<u64>>) -> Result<ArrayRef> {
        let (Some((_, from)), Some((digits, to))) = (decimal(totals.data_type()), decimal(&self.result))
        else {
            return Err(without_state());
        };
        let up = 10i128.pow((i32::from(to) - i32::from(from)).max(0).unsigned_abs());
        let counts: Vec<Option<u64>> = counts.into_iter().collect();
        let is_128_bits = matches!(self.result, DataType::Decimal128(..));
        if let Some(totals) = totals.as_primitive_opt::<Decimal128Type>().filter(|_| is_128_bits)
            && let Some(averages) = self.narrow(totals, up, &counts, 10i128.pow(digits.into()))
        {
            return Ok(Arc::new(averages));
        }
        let totals = cast(totals, &DataType::Decimal256(76, from))?;
        let totals = totals.as_primitive::<Decimal256Type>().iter().zip(counts);
        let averages: Decimal256Array = totals
            .map(|(total, count)| match (total, count) {
                (Some(total), Some(count @ 1..)) => match divide(total, up, count) {
                    Some(average) if holds(digits, average) => Ok(Some(average)),
                    _ => Err(self.overflow()),
                },
                _ => Ok(None),
            })
            .collect::<Result<_>>()?;
        Ok(cast(&averages.with_data_type(DataType::Decimal256(76, to)), &self.result)?)
    }

    /// Returns the averages if the totals times `up` fit into 128 bits, and the averages are below
    /// `bound`.
    fn narrow(
        &self,
        totals: &Decimal128Array,
        up: i128,
        counts: &[Option<u64>],
        bound: i128,
    ) -> Option<Decimal128Array> {
        let nulls = totals.nulls();
        let mut averages = Decimal128Builder::with_capacity(counts.len());
        for (row, (total, count)) in totals.values().iter().zip(counts).enumerate() {
            let count = count.filter(|count| *count > 0 && nulls.is_none_or(|nulls| nulls.is_valid(row)));
            let Some(count) = count else {
                averages.append_null();
                continue;
            };
            let average = divide_128(total.checked_mul(up)?, count);
            if average <= -bound || average >= bound {
                return None;
            }
            averages.append_value(average);
        }
        Some(averages.finish().with_data_type(self.result.clone()))
    }

    fn of_values(&self, values: &ArrayRef) -> Result<ArrayRef> {
        let Some((_, scale)) = decimal(values.data_type()) else { return Err(without_state()) };
        let data_type = DataType::Decimal256(76, scale);
        let values = cast(values, &data_type)?;
        let count = (values.len() - values.null_count()) as u64;
        let mut values = values.as_primitive::<Decimal256Type>().iter().flatten();
        let total = values.try_fold(i256::ZERO, i256::checked_add).ok_or_else(|| self.overflow())?;
        let total = Decimal256Array::from(vec![total]).with_data_type(data_type);
        self.of(&(Arc::new(total) as ArrayRef), [Some(count)])
    }

    fn overflow(&self) -> DataFusionError {
        let (call, name) = (&self.call, type_in_sql(&self.result));
        let text = format!("{call} has more digits than {name}: write avg(CAST(... AS DOUBLE))");
        wrap(Error::Execution(text))
    }
}

impl Finish for Quotient {
    /// A state has a count and a total, or the distinct values.
    fn finish(&self, state: &[ArrayRef]) -> Result<ArrayRef> {
        match state {
            [counts, totals] => self.of(totals, counts.as_primitive::<UInt64Type>()),
            [lists] => {
                let averages = lists.as_list::<i32>().iter().map(|values| match values {
                    Some(values) => self.of_values(&values),
                    None => Ok(new_null_array(&self.result, 1)),
                });
                let averages = averages.collect::<Result<Vec<_>>>()?;
                let averages: Vec<&dyn Array> = averages.iter().map(AsRef::as_ref).collect();
                Ok(concat(&averages)?)
            }
            _ => Err(without_state()),
        }
    }
}

/// Returns the digits and the scale of a decimal.
fn decimal(data_type: &DataType) -> Option<(u8, i8)> {
    match data_type {
        DataType::Decimal32(digits, scale)
        | DataType::Decimal64(digits, scale)
        | DataType::Decimal128(digits, scale)
        | DataType::Decimal256(digits, scale) => Some((*digits, *scale)),
        _ => None,
    }
}

/// Returns the quotient of `total * up` and a count above zero; `None`: it overflows.
fn divide(total: i256, up: i128, count: u64) -> Option<i256> {
    let narrow = total.to_i128().and_then(|total| total.checked_mul(up));
    if let Some(total) = narrow {
        return Some(i256::from_i128(divide_128(total, count)));
    }
    let (total, count) = (total.checked_mul(i256::from_i128(up))?, i256::from_i128(count.into()));
    let rest = total.checked_rem(count)?.checked_abs()?;
    let away = if rest >= count.checked_sub(rest)? { total.signum() } else { i256::ZERO };
    total.checked_div(count)?.checked_add(away)
}

/// Returns the quotient of a total and a count above zero.
fn divide_128(total: i128, count: u64) -> i128 {
    // a division of 64 bits takes a third of the time
    if let (Ok(total), Ok(count)) = (i64::try_from(total), i64::try_from(count)) {
        let (quotient, rest) = (total / count, total % count);
        let away = if rest.abs() >= count - rest.abs() { total.signum() } else { 0 };
        return i128::from(quotient + away);
    }
    let count = i128::from(count);
    let (quotient, rest) = (total / count, total % count);
    let away = if rest.abs() >= count - rest.abs() { total.signum() } else { 0 };
    quotient + away
}

/// Returns whether a decimal of these digits holds a value.
fn holds(digits: u8, value: i256) -> bool {
    let ten = i256::from_i128(10);
    ten.checked_pow(digits.into()).is_none_or(|bound| bound.wrapping_neg() < value && value < bound)
}

fn without_state() -> DataFusionError {
    wrap(Error::Internal("avg of decimals without a state".to_owned()))
}

#[cfg(test)]
mod tests;
