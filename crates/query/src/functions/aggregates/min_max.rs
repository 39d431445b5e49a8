//! `min` and `max` of floats, by groups.

use std::any::Any;
use std::sync::Arc;

use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Field, FieldRef, Float16Type, Float32Type, Float64Type,
};
use datafusion::common::{Result, internal_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, GroupsAccumulator, ReversedUDAF, Signature,
};
use datafusion_functions_aggregate_common::aggregate::groups_accumulator::prim_op::PrimitiveGroupsAccumulator;

/// Returns `min` or `max` for floats, in place of DataFusion's function of that name; `None` for
/// another function, and for one of these.
///
/// DataFusion's functions keep the later value if one is NaN, and return a finite number for a
/// group of infinities.
pub(crate) fn min_max_of_floats(function: &Arc<AggregateUDF>) -> Option<Arc<AggregateUDF>> {
    let is_greatest = match function.name() {
        "max" => true,
        "min" => false,
        _ => return None,
    };
    let implementation: &dyn Any = function.inner().as_ref();
    let extreme = MinMax { inner: function.clone(), is_greatest };
    (!implementation.is::<MinMax>()).then(|| Arc::new(AggregateUDF::from(extreme)))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct MinMax {
    inner: Arc<AggregateUDF>,
    is_greatest: bool,
}

impl AggregateUDFImpl for MinMax {
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
        self.inner.accumulator(args)
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        self.inner.state_fields(args)
    }

    fn groups_accumulator_supported(&self, _: AccumulatorArgs<'_>) -> bool {
        true
    }

    fn create_groups_accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn GroupsAccumulator>> {
        let field: &Field = &args.return_field;
        match field.data_type() {
            DataType::Float16 => Ok(self.groups::<Float16Type>(field.data_type())),
            DataType::Float32 => Ok(self.groups::<Float32Type>(field.data_type())),
            DataType::Float64 => Ok(self.groups::<Float64Type>(field.data_type())),
            other => internal_err!("{} of floats has an argument of {other}", self.name()),
        }
    }

    fn create_sliding_accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        self.inner.create_sliding_accumulator(args)
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

impl MinMax {
    fn groups<T>(&self, data_type: &DataType) -> Box<dyn GroupsAccumulator>
    where
        T: Extremes + Send + Sync,
    {
        // NaNs have one bit pattern here, and no sign
        match self.is_greatest {
            true => {
                let keep = |kept: &mut T::Native, new: T::Native| {
                    if T::is_less(*kept, new) {
                        *kept = new;
                    }
                };
                Box::new(
                    PrimitiveGroupsAccumulator::<T, _>::new(data_type, keep).with_starting_value(T::LEAST),
                )
            }
            false => {
                let keep = |kept: &mut T::Native, new: T::Native| {
                    if T::is_less(new, *kept) {
                        *kept = new;
                    }
                };
                Box::new(
                    PrimitiveGroupsAccumulator::<T, _>::new(data_type, keep).with_starting_value(T::GREATEST),
                )
            }
        }
    }
}

/// A type of floats with an order.
trait Extremes: ArrowPrimitiveType {
    const LEAST: Self::Native;
    const GREATEST: Self::Native;

    fn is_less(left: Self::Native, right: Self::Native) -> bool;
}

impl Extremes for Float16Type {
    const LEAST: Self::Native = Self::Native::NEG_INFINITY;
    const GREATEST: Self::Native = Self::Native::NAN;

    fn is_less(left: Self::Native, right: Self::Native) -> bool {
        left.total_cmp(&right).is_lt()
    }
}

impl Extremes for Float32Type {
    const LEAST: f32 = f32::NEG_INFINITY;
    const GREATEST: f32 = f32::NAN;

    fn is_less(left: f32, right: f32) -> bool {
        left.total_cmp(&right).is_lt()
    }
}

impl Extremes for Float64Type {
    const LEAST: f64 = f64::NEG_INFINITY;
    const GREATEST: f64 = f64::NAN;

    fn is_less(left: f64, right: f64) -> bool {
        left.total_cmp(&right).is_lt()
    }
}
