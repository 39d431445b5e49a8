//! Aggregates over DISTINCT values for which DataFusion counts duplicates, or fails next to other
//! aggregates.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::{DataType, FieldRef};
use datafusion::common::{Result, ScalarValue};
use datafusion::execution::FunctionRegistry;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Documentation, GroupsAccumulator, ReversedUDAF, Signature,
};

/// Registers these aggregates in place of DataFusion's.
///
/// # Errors
/// The registry lacks one of them, or takes none.
pub(in crate::functions) fn register(registry: &mut dyn FunctionRegistry) -> Result<()> {
    for (name, squared) in [("bit_xor", None), ("stddev", Some("var")), ("stddev_pop", Some("var_pop"))] {
        let squared = squared.map(|name| registry.udaf(name)).transpose()?;
        let distinct = Distinct { inner: registry.udaf(name)?, squared };
        registry.register_udaf(Arc::new(AggregateUDF::from(distinct)))?;
    }
    Ok(())
}

/// An aggregate that collects DISTINCT values group by group.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Distinct {
    inner: Arc<AggregateUDF>,
    /// Aggregate under the square root that gives the value.
    squared: Option<Arc<AggregateUDF>>,
}

impl AggregateUDFImpl for Distinct {
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

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        match &self.squared {
            Some(squared) if args.is_distinct => Ok(Box::new(Root { inner: squared.accumulator(args)? })),
            _ => self.inner.accumulator(args),
        }
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        match &self.squared {
            Some(squared) if args.is_distinct => squared.state_fields(args),
            _ => self.inner.state_fields(args),
        }
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs<'_>) -> bool {
        !args.is_distinct && self.inner.groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn GroupsAccumulator>> {
        self.inner.create_groups_accumulator(args)
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        ReversedUDAF::Identical
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.inner.documentation()
    }
}

/// The root of another aggregate.
#[derive(Debug)]
struct Root {
    inner: Box<dyn Accumulator>,
}

impl Accumulator for Root {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.inner.update_batch(values)
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.inner.merge_batch(states)
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(match self.inner.evaluate()? {
            ScalarValue::Float64(Some(square)) => ScalarValue::Float64(Some(square.sqrt())),
            other => other,
        })
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.inner.size()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.inner.state()
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.inner.retract_batch(values)
    }

    fn supports_retract_batch(&self) -> bool {
        self.inner.supports_retract_batch()
    }
}
