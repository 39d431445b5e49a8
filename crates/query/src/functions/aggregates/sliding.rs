//! Aggregates over the sliding frame of a window function.
//!
//! DataFusion subtracts the rows that leave a frame from the aggregate. Many aggregates have no
//! inverse, and those of doubles round.

mod exact;
mod moments;
mod states;
mod sums;

use std::any::Any;
use std::sync::Arc;

use arrow::datatypes::{DataType, FieldRef, Schema};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::expr::{AggregateFunctionParams, WindowFunctionParams};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Documentation, GroupsAccumulator, ReversedUDAF,
    SetMonotonicity, Signature,
};
use datafusion::physical_expr::PhysicalSortExpr;
use datafusion::physical_plan::PhysicalExpr;

use moments::{Layout, SlidingMoments};
use states::SlidingStates;
pub(crate) use sums::SlidingSum;

/// Returns an aggregate for sliding frames, called with FILTER or without; `None` if it is one
/// already.
pub(crate) fn sliding(inner: &Arc<AggregateUDF>, is_filtered: bool) -> Option<Arc<AggregateUDF>> {
    let implementation: &dyn Any = inner.inner().as_ref();
    let sliding = Sliding { inner: inner.clone(), is_filtered };
    (!implementation.is::<Sliding>()).then(|| Arc::new(AggregateUDF::from(sliding)))
}

/// Returns whether an aggregate is one for sliding frames that is called without FILTER. The
/// physical call of a window function hides its FILTER.
pub(crate) fn unfiltered(function: &AggregateUDF) -> bool {
    let implementation: &dyn Any = function.inner().as_ref();
    implementation.downcast_ref::<Sliding>().is_some_and(|sliding| !sliding.is_filtered)
}

/// An aggregate that differs from its inner one in sliding frames.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Sliding {
    inner: Arc<AggregateUDF>,
    is_filtered: bool,
}

impl AggregateUDFImpl for Sliding {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn aliases(&self) -> &[String] {
        self.inner.aliases()
    }

    fn schema_name(&self, params: &AggregateFunctionParams) -> Result<String> {
        self.inner.schema_name(params)
    }

    fn window_function_schema_name(&self, params: &WindowFunctionParams) -> Result<String> {
        self.inner.window_function_schema_name(params)
    }

    fn window_function_display_name(&self, params: &WindowFunctionParams) -> Result<String> {
        self.inner.window_function_display_name(params)
    }

    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.inner.return_type(types)
    }

    fn return_field(&self, fields: &[FieldRef]) -> Result<FieldRef> {
        self.inner.return_field(fields)
    }

    fn is_nullable(&self) -> bool {
        self.inner.is_nullable()
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        self.inner.accumulator(args)
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        self.inner.state_fields(args)
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs<'_>) -> bool {
        self.inner.groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn GroupsAccumulator>> {
        self.inner.create_groups_accumulator(args)
    }

    fn create_sliding_accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        let call = Call::new(&self.inner, &args);
        if let Some(layout) = Layout::of(self.name()).filter(|_| !args.is_distinct) {
            return Ok(Box::new(SlidingMoments::new(layout, call)));
        }
        let own = self.inner.create_sliding_accumulator(args)?;
        // DataFusion's accumulator keeps no count, so that a frame of NULL alone would have a value
        let is_whole = own.supports_retract_batch() && self.name() != "bit_xor";
        if is_whole { Ok(own) } else { Ok(Box::new(SlidingStates::new(call)?)) }
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        self.inner.order_sensitivity()
    }

    fn with_beneficial_ordering(
        self: Arc<Self>,
        is_ordered: bool,
    ) -> Result<Option<Arc<dyn AggregateUDFImpl>>> {
        self.inner.inner().clone().with_beneficial_ordering(is_ordered)
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        match self.inner.reverse_udf() {
            ReversedUDAF::Reversed(other) => {
                ReversedUDAF::Reversed(sliding(&other, self.is_filtered).unwrap_or(other))
            }
            other => other,
        }
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.inner.coerce_types(types)
    }

    fn is_descending(&self) -> Option<bool> {
        self.inner.is_descending()
    }

    fn default_value(&self, data_type: &DataType) -> Result<ScalarValue> {
        self.inner.default_value(data_type)
    }

    fn supports_null_handling_clause(&self) -> bool {
        self.inner.supports_null_handling_clause()
    }

    fn supports_within_group_clause(&self) -> bool {
        self.inner.supports_within_group_clause()
    }

    fn set_monotonicity(&self, data_type: &DataType) -> SetMonotonicity {
        self.inner.inner().set_monotonicity(data_type)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.inner.documentation()
    }
}

/// A call of an aggregate, from which a running query makes accumulators.
#[derive(Debug)]
struct Call {
    function: Arc<AggregateUDF>,
    schema: Schema,
    result: FieldRef,
    exprs: Vec<Arc<dyn PhysicalExpr>>,
    fields: Vec<FieldRef>,
    order: Vec<PhysicalSortExpr>,
    name: String,
    ignores_nulls: bool,
    is_distinct: bool,
    is_reversed: bool,
}

impl Call {
    fn new(function: &Arc<AggregateUDF>, args: &AccumulatorArgs<'_>) -> Self {
        Self {
            function: function.clone(),
            schema: args.schema.clone(),
            result: args.return_field.clone(),
            exprs: args.exprs.to_vec(),
            fields: args.expr_fields.to_vec(),
            order: args.order_bys.to_vec(),
            name: args.name.to_owned(),
            ignores_nulls: args.ignore_nulls,
            is_distinct: args.is_distinct,
            is_reversed: args.is_reversed,
        }
    }

    fn accumulator(&self) -> Result<Box<dyn Accumulator>> {
        self.function.accumulator(AccumulatorArgs {
            return_field: self.result.clone(),
            schema: &self.schema,
            ignore_nulls: self.ignores_nulls,
            order_bys: &self.order,
            is_reversed: self.is_reversed,
            name: &self.name,
            is_distinct: self.is_distinct,
            exprs: &self.exprs,
            expr_fields: &self.fields,
        })
    }
}
