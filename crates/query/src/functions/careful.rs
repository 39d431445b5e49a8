//! Functions of DataFusion's that claim less of their results.

use std::any::Any;
use std::sync::Arc;

use arrow::datatypes::{DataType, FieldRef};
use datafusion::common::Result;
use datafusion::logical_expr::interval_arithmetic::Interval;
use datafusion::logical_expr::preimage::PreimageResult;
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::sort_properties::{ExprProperties, SortProperties};
use datafusion::logical_expr::{
    ColumnarValue, Documentation, Expr, ExpressionPlacement, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF,
    ScalarUDFImpl, Signature,
};

/// Functions whose results have no order that is known, though DataFusion gives them that of their
/// arguments, or fails for want of a range: in a zone, an hour comes twice when a clock goes back; a
/// logarithm to a base below 1 falls; and a NaN is greater than all numbers.
const UNORDERED: [&str; 10] =
    ["acos", "acosh", "asin", "atanh", "date_trunc", "ln", "log", "log10", "log2", "sqrt"];

/// Returns a function that claims less, in the place of one of DataFusion's; `None` for all others.
pub(crate) fn careful(function: &Arc<ScalarUDF>) -> Option<Arc<ScalarUDF>> {
    let implementation: &dyn Any = function.inner().as_ref();
    let is_meant = UNORDERED.contains(&function.name()) || function.name() == "date_part";
    let careful = || Arc::new(ScalarUDF::from(Careful { inner: function.clone() }));
    (is_meant && !implementation.is::<Careful>()).then(careful)
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Careful {
    inner: Arc<ScalarUDF>,
}

impl ScalarUDFImpl for Careful {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn aliases(&self) -> &[String] {
        self.inner.aliases()
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        self.inner.schema_name(args)
    }

    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.inner.return_type(types)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        self.inner.return_field_from_args(args)
    }

    fn is_strict(&self) -> bool {
        self.inner.inner().is_strict()
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        self.inner.invoke_with_args(args)
    }

    fn simplify(&self, args: Vec<Expr>, info: &SimplifyContext) -> Result<ExprSimplifyResult> {
        self.inner.simplify(args, info)
    }

    /// The range of arguments, unless a bound of it is none: what the type of the argument can't
    /// hold is NULL.
    fn preimage(&self, args: &[Expr], literal: &Expr, info: &SimplifyContext) -> Result<PreimageResult> {
        Ok(match self.inner.preimage(args, literal, info)? {
            PreimageResult::Range { interval, .. }
                if interval.lower().is_null() || interval.upper().is_null() =>
            {
                PreimageResult::None
            }
            other => other,
        })
    }

    fn evaluate_bounds(&self, inputs: &[&Interval]) -> Result<Interval> {
        self.inner.evaluate_bounds(inputs)
    }

    fn propagate_constraints(
        &self,
        interval: &Interval,
        inputs: &[&Interval],
    ) -> Result<Option<Vec<Interval>>> {
        self.inner.propagate_constraints(interval, inputs)
    }

    fn output_ordering(&self, _: &[ExprProperties]) -> Result<SortProperties> {
        Ok(SortProperties::Unordered)
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.inner.coerce_types(types)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.inner.documentation()
    }

    fn placement(&self, args: &[ExpressionPlacement]) -> ExpressionPlacement {
        self.inner.placement(args)
    }
}
