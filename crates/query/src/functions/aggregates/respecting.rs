//! Window functions with a mark for calls that respect NULLs.

use std::sync::Arc;

use arrow::compute::SortOptions;
use arrow::datatypes::{DataType, FieldRef};
use datafusion::common::Result;
use datafusion::logical_expr::function::{
    ExpressionArgs, PartitionEvaluatorArgs, WindowFunctionSimplification, WindowUDFFieldArgs,
};
use datafusion::logical_expr::{
    Documentation, LimitEffect, PartitionEvaluator, ReversedUDWF, Signature, WindowUDF, WindowUDFImpl,
};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;

/// Returns a function with a mark that its call does without IGNORE NULLS; `None` if it has the
/// mark. The physical call hides whether NULLs are ignored, and whether its rows are in the reverse
/// order, so that the mark says that, too.
pub(crate) fn respecting_nulls(inner: &Arc<WindowUDF>) -> Option<Arc<WindowUDF>> {
    let marked = Respecting { inner: inner.clone(), is_reversed: false };
    respected_order(inner).is_none().then(|| Arc::new(WindowUDF::from(marked)))
}

/// The order in which the rows of a call come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowOrder {
    /// That of the window.
    Forward,
    /// The reverse one. DataFusion calls the opposite function then, or the same one with its
    /// offset counted the other way.
    Reverse,
}

/// Returns the order of the rows of a call with the mark; `None` without it.
pub(crate) fn respected_order(function: &WindowUDF) -> Option<RowOrder> {
    let marked = function.inner().downcast_ref::<Respecting>()?;
    Some(if marked.is_reversed { RowOrder::Reverse } else { RowOrder::Forward })
}

/// A function with the mark, which is computed as without it.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Respecting {
    inner: Arc<WindowUDF>,
    /// The rows are in the reverse order of the window's.
    is_reversed: bool,
}

impl WindowUDFImpl for Respecting {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn aliases(&self) -> &[String] {
        self.inner.aliases()
    }

    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn expressions(&self, args: ExpressionArgs<'_>) -> Vec<Arc<dyn PhysicalExpr>> {
        self.inner.expressions(args)
    }

    fn partition_evaluator(&self, args: PartitionEvaluatorArgs<'_>) -> Result<Box<dyn PartitionEvaluator>> {
        self.inner.partition_evaluator_factory(args)
    }

    fn simplify(&self) -> Option<WindowFunctionSimplification> {
        self.inner.simplify()
    }

    fn field(&self, args: WindowUDFFieldArgs<'_>) -> Result<FieldRef> {
        self.inner.field(args)
    }

    fn sort_options(&self) -> Option<SortOptions> {
        self.inner.sort_options()
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.inner.coerce_types(types)
    }

    fn reverse_expr(&self) -> ReversedUDWF {
        match self.inner.reverse_expr() {
            ReversedUDWF::Reversed(inner) => {
                let reversed = Self { inner, is_reversed: !self.is_reversed };
                ReversedUDWF::Reversed(Arc::new(WindowUDF::from(reversed)))
            }
            ReversedUDWF::Identical | ReversedUDWF::NotSupported => ReversedUDWF::NotSupported,
        }
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.inner.documentation()
    }

    fn limit_effect(&self, args: &[Arc<dyn PhysicalExpr>]) -> LimitEffect {
        self.inner.inner().limit_effect(args)
    }
}
