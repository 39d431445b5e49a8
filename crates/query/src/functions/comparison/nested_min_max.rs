//! `min`, `max`, `greatest` and `least` of lists, structs and maps in the order of sorts: NULL
//! inside of a value is greater than all values.
//!
//! DataFusion's functions keep the first value of a type without an order, or fail.

use std::any::Any;
use std::cmp::Ordering;
use std::collections::VecDeque;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, UInt64Array, make_comparator, new_null_array};
use arrow::compute::{SortOptions, cast, interleave, take};
use arrow::datatypes::{DataType, FieldRef};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, ColumnarValue, ReversedUDAF, ScalarFunctionArgs, ScalarUDF,
    ScalarUDFImpl, Signature, Volatility,
};

use crate::error::{Error, wrap};

const ORDER: SortOptions = SortOptions { descending: false, nulls_first: false };

/// Returns `min` or `max` of nested values, in place of DataFusion's function of that name; `None`
/// for another function, and for one of these.
pub(crate) fn nested_min_max(function: &Arc<AggregateUDF>) -> Option<Arc<AggregateUDF>> {
    let is_greatest = match function.name() {
        "max" => true,
        "min" => false,
        _ => return None,
    };
    let implementation: &dyn Any = function.inner().as_ref();
    let extreme = NestedMinMax { inner: function.clone(), is_greatest };
    (!implementation.is::<NestedMinMax>()).then(|| Arc::new(AggregateUDF::from(extreme)))
}

/// Returns `greatest` or `least` of nested values, like [`nested_min_max`].
pub(crate) fn nested_greatest(function: &Arc<ScalarUDF>) -> Option<Arc<ScalarUDF>> {
    let (name, is_greatest) = match function.name() {
        "greatest" => ("greatest", true),
        "least" => ("least", false),
        _ => return None,
    };
    let implementation: &dyn Any = function.inner().as_ref();
    let signature = Signature::variadic_any(Volatility::Immutable);
    let extreme = NestedGreatest { name, signature, is_greatest };
    (!implementation.is::<NestedGreatest>()).then(|| Arc::new(ScalarUDF::from(extreme)))
}

/// Returns whether a value beats another one, by their comparison.
fn is_better(order: Ordering, is_greatest: bool) -> bool {
    match is_greatest {
        true => order.is_gt(),
        false => order.is_lt(),
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct NestedMinMax {
    inner: Arc<AggregateUDF>,
    is_greatest: bool,
}

impl NestedMinMax {
    fn kept(&self, args: &AccumulatorArgs<'_>, moves: bool) -> Box<dyn Accumulator> {
        let data_type = args.return_field.data_type().clone();
        let (is_greatest, kept) = (self.is_greatest, VecDeque::new());
        Box::new(Kept { data_type, is_greatest, moves, kept, entered: 0, left: 0 })
    }
}

impl AggregateUDFImpl for NestedMinMax {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.inner.return_type(types)
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(self.kept(&args, false))
    }

    fn create_sliding_accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(self.kept(&args, true))
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        self.inner.state_fields(args)
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.inner.coerce_types(types)
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        ReversedUDAF::Identical
    }
}

/// The best value of a group. For a sliding frame, also the later values that become best when it
/// leaves.
#[derive(Debug)]
struct Kept {
    data_type: DataType,
    is_greatest: bool,
    moves: bool,
    /// The number of a row and its value, from the best one on.
    kept: VecDeque<(usize, ArrayRef)>,
    entered: usize,
    left: usize,
}

impl Kept {
    /// Adds a row of values, and drops earlier values that it beats.
    fn offer(&mut self, row: usize, values: &ArrayRef, at: usize) -> Result<()> {
        while let Some((_, last)) = self.kept.back() {
            let order = make_comparator(values, last, ORDER)?(at, 0);
            if !is_better(order, self.is_greatest) {
                break;
            }
            self.kept.pop_back();
        }
        if self.moves || self.kept.is_empty() {
            // a slice would keep the whole batch in memory
            let value = take(values, &UInt64Array::from(vec![at as u64]), None)?;
            self.kept.push_back((row, value));
        }
        Ok(())
    }
}

impl Accumulator for Kept {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let [values] = values else {
            return Err(wrap(Error::Internal("an extreme of several arguments".to_owned())));
        };
        let rows = (0..values.len()).filter(|row| values.is_valid(*row));
        if self.moves {
            for at in rows {
                self.offer(self.entered + at, values, at)?;
            }
        } else {
            let compare = make_comparator(values, values, ORDER)?;
            let best = rows.reduce(|best, row| match is_better(compare(row, best), self.is_greatest) {
                true => row,
                false => best,
            });
            if let Some(best) = best {
                self.offer(0, values, best)?;
            }
        }
        self.entered += values.len();
        Ok(())
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.left += values.first().map_or(0, |values| values.len());
        while self.kept.front().is_some_and(|(row, _)| *row < self.left) {
            self.kept.pop_front();
        }
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        self.moves
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.update_batch(states)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.evaluate()?])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        match self.kept.front() {
            Some((_, value)) => ScalarValue::try_from_array(value, 0),
            None => ScalarValue::try_from_array(&new_null_array(&self.data_type, 1), 0),
        }
    }

    fn size(&self) -> usize {
        let values: usize = self.kept.iter().map(|(_, value)| value.get_array_memory_size()).sum();
        size_of_val(self) + values
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct NestedGreatest {
    name: &'static str,
    signature: Signature,
    is_greatest: bool,
}

impl ScalarUDFImpl for NestedGreatest {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(types.first().cloned().unwrap_or(DataType::Null))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let (rows, data_type) = (args.number_rows, args.return_type().clone());
        let mut best = new_null_array(&data_type, rows);
        for other in args.args {
            let other = cast(&other.into_array(rows)?, &data_type)?;
            let compare = make_comparator(&other, &best, ORDER)?;
            let is_other = |row: usize| {
                other.is_valid(row) && (best.is_null(row) || is_better(compare(row, row), self.is_greatest))
            };
            let picked: Vec<_> = (0..rows).map(|row| (usize::from(is_other(row)), row)).collect();
            best = interleave(&[&best, &other], &picked)?;
        }
        Ok(ColumnarValue::Array(best))
    }
}
