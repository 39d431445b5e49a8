//! Top rows of each partition: conditions such as `row_number() OVER (…) <= 3`.
//!
//! DataFusion sorts all rows of the input to number them, and the condition drops most of them.
//! Here an operator below the sort leaves out rows for which it has seen enough better ones in
//! their partition. Sort, window and condition stay, and see fewer rows: the result is theirs.
//!
//! DataFusion has a rule of its own, off by default, that removes the condition (apache/datafusion
//! issue 24608). In version 55 it finds the wrong column behind a projection, changes other
//! functions over the same window, and its operator fails when memory is short.

mod best;
mod exec;
mod ranks;

use std::fmt;
use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::error::Result;
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{BinaryExpr, CastExpr, Column, Literal};
use datafusion::physical_expr::projection::update_expr;
use datafusion::physical_expr::utils::split_conjunction;
use datafusion::physical_expr::window::{StandardWindowExpr, WindowExpr};
use datafusion::physical_expr::{PhysicalSortExpr, ScalarFunctionExpr};
use datafusion::physical_expr_common::physical_expr::{PhysicalExpr, is_volatile};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec, WindowUDFExpr};

use crate::functions::NumberCast;
use crate::tree::Tree;
pub(super) use best::Ranking;
use exec::WindowTopKExec;

/// Most rows of a partition that a condition may keep. The keys of all of them stay in memory.
const MOST_KEPT: usize = 10_000;

/// The rows of each partition that a condition keeps.
#[derive(Debug, Clone)]
struct Top {
    ranking: Ranking,
    /// Highest rank that the condition keeps.
    most: usize,
    /// Keys of PARTITION BY and of ORDER BY, over the rows that are limited.
    partition: Vec<Arc<dyn PhysicalExpr>>,
    order: Vec<PhysicalSortExpr>,
}

impl Top {
    /// Returns the same over the input of a projection; `None` if it has no such keys.
    fn below(&self, projection: &ProjectionExec) -> Result<Option<Self>> {
        let below = |key: &Arc<dyn PhysicalExpr>| update_expr(key, projection.expr(), true).transpose();
        let partition = self.partition.iter().map(below).collect::<Option<Result<Vec<_>>>>();
        let order = self.order.iter().map(|key| {
            let expr = below(&key.expr)?;
            Some(expr.map(|expr| PhysicalSortExpr { expr, options: key.options }))
        });
        let order = order.collect::<Option<Result<Vec<_>>>>();
        let (Some(partition), Some(order)) = (partition, order) else { return Ok(None) };
        let (partition, order) = (partition?, order?);
        Ok(Some(Self { ranking: self.ranking, most: self.most, partition, order }))
    }
}

impl fmt::Display for Top {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let partition: Vec<_> = self.partition.iter().map(ToString::to_string).collect();
        let order: Vec<_> = self.order.iter().map(ToString::to_string).collect();
        let (partition, order) = (partition.join(", "), order.join(", "));
        write!(f, "{} <= {}, partition=[{partition}], order=[{order}]", self.ranking.name(), self.most)
    }
}

/// Puts a [`WindowTopKExec`] below the sort of such windows, and below the repartitioning if there
/// is one.
#[derive(Debug)]
pub(in crate::plan) struct WindowTopK {
    /// Off, all rows are sorted.
    pub is_on: bool,
}

impl PhysicalOptimizerRule for WindowTopK {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        if !self.is_on {
            return Ok(plan);
        }
        plan.transform_up(|node| {
            let Some(filter) = node.downcast_ref::<FilterExec>() else { return Ok(Transformed::no(node)) };
            for condition in split_conjunction(filter.predicate()) {
                if let Some((column, most)) = limit(condition)
                    && let Some(input) = limited(filter.input(), column, most)?
                {
                    return with_input(node, input).map(Transformed::yes);
                }
            }
            Ok(Transformed::no(node))
        })
        .data()
    }

    fn name(&self) -> &str {
        "window_top_k"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Returns the column that a condition bounds, and the greatest number that it keeps.
fn limit(condition: &Arc<dyn PhysicalExpr>) -> Option<(usize, usize)> {
    let condition = condition.downcast_ref::<BinaryExpr>()?;
    let (left, right) = (condition.left(), condition.right());
    let (column, operator, bound) = match numbered(left) {
        Some(column) => (column, *condition.op(), right),
        None => (numbered(right)?, condition.op().swap()?, left),
    };
    let bound = bound.downcast_ref::<Literal>()?.value();
    let bound = match bound.data_type().is_integer().then(|| bound.cast_to(&DataType::Int64))?.ok()? {
        ScalarValue::Int64(bound) => bound?,
        _ => return None,
    };
    let most = match operator {
        Operator::LtEq | Operator::Eq => bound,
        Operator::Lt => bound.checked_sub(1)?,
        _ => return None,
    };
    let most = usize::try_from(most).ok()?;
    (1..=MOST_KEPT).contains(&most).then_some((column.index(), most))
}

/// Returns the column that an expression has the whole numbers of.
fn numbered(expression: &Arc<dyn PhysicalExpr>) -> Option<&Column> {
    if let Some(cast) = expression.downcast_ref::<CastExpr>() {
        return cast.cast_type().is_integer().then(|| numbered(cast.expr())).flatten();
    }
    if let Some(call) = expression.downcast_ref::<ScalarFunctionExpr>() {
        let cast = call.fun().inner().downcast_ref::<NumberCast>()?;
        return cast.to().is_integer().then(|| call.args().first().and_then(numbered)).flatten();
    }
    expression.downcast_ref::<Column>()
}

/// Returns a plan with the operator below the window that computes a column; `None` if it has no
/// place.
fn limited(
    plan: &Arc<dyn ExecutionPlan>,
    column: usize,
    most: usize,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let below = if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        match numbered(&projection.expr()[column].expr) {
            Some(column) => limited(projection.input(), column.index(), most)?,
            None => None,
        }
    } else if let Some(windows) = windows(plan) {
        let input = plan.children()[0];
        let top = column.checked_sub(input.schema().fields().len()).and_then(|at| top(windows, at, most));
        top.and_then(|top| below_sort(input, &top).transpose()).transpose()?
    } else {
        None
    };
    below.map(|below| with_input(plan.clone(), below)).transpose()
}

/// Returns the functions of a window.
fn windows(plan: &Arc<dyn ExecutionPlan>) -> Option<&[Arc<dyn WindowExpr>]> {
    let bounded = plan.downcast_ref::<BoundedWindowAggExec>().map(BoundedWindowAggExec::window_expr);
    bounded.or_else(|| plan.downcast_ref::<WindowAggExec>().map(WindowAggExec::window_expr))
}

/// Returns the limit that a condition on one function puts on the rows; `None` if another function
/// of the operator may depend on more of them.
fn top(windows: &[Arc<dyn WindowExpr>], at: usize, most: usize) -> Option<Top> {
    let window = windows.get(at)?;
    let ranking = ranking(window)?;
    let is_same = |other: &Arc<dyn WindowExpr>| {
        let has_same_keys =
            window.partition_by() == other.partition_by() && window.order_by() == other.order_by();
        has_same_keys && self::ranking(other).is_some()
    };
    let is_ordered = !window.order_by().is_empty();
    let (partition, order) = (window.partition_by().to_vec(), window.order_by().to_vec());
    (is_ordered && windows.iter().all(is_same)).then_some(Top { ranking, most, partition, order })
}

/// Returns the ranking that a function of a window is; `None` for other functions.
pub(super) fn ranking(window: &Arc<dyn WindowExpr>) -> Option<Ranking> {
    let function = window.as_any().downcast_ref::<StandardWindowExpr>()?.get_standard_func_expr();
    Ranking::named(function.as_any().downcast_ref::<WindowUDFExpr>()?.fun().name())
}

/// Returns a sort of the rows that the limit leaves; `None` if the plan is no sort, or can't
/// compare the keys.
fn below_sort(plan: &Arc<dyn ExecutionPlan>, top: &Top) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(merge) = plan.downcast_ref::<SortPreservingMergeExec>() {
        let below = below_sort(merge.input(), top)?;
        return below.map(|below| with_input(plan.clone(), below)).transpose();
    }
    if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        let Some(top) = top.below(projection)? else { return Ok(None) };
        let below = below_sort(projection.input(), &top)?;
        return below.map(|below| with_input(plan.clone(), below)).transpose();
    }
    let Some(sort) = plan.downcast_ref::<SortExec>().filter(|sort| sort.fetch().is_none()) else {
        return Ok(None);
    };
    let schema = sort.input().schema();
    // a key such as random() has another value in the sort
    if top.partition.iter().chain(top.order.iter().map(|key| &key.expr)).any(is_volatile) {
        return Ok(None);
    }
    for key in &top.order {
        if !is_comparable(&key.expr.data_type(&schema)?) {
            return Ok(None);
        }
    }
    let limited = |input: &Arc<dyn ExecutionPlan>| -> Arc<dyn ExecutionPlan> {
        Arc::new(WindowTopKExec::new(input.clone(), top.clone()))
    };
    let input = match sort.input().downcast_ref::<RepartitionExec>() {
        Some(repartition) => with_input(sort.input().clone(), limited(repartition.input()))?,
        None => limited(sort.input()),
    };
    with_input(plan.clone(), input).map(Some)
}

/// Returns whether the order of a type's values is that of their row format.
fn is_comparable(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_comparable(values),
        DataType::Interval(_) => false,
        other => !other.is_nested(),
    }
}

fn with_input(plan: Arc<dyn ExecutionPlan>, input: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    plan.replace_children(vec![input], ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
}

#[cfg(test)]
mod tests;
