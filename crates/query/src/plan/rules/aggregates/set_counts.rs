//! INTERSECT ALL and EXCEPT ALL: they compare the counts of a row on both sides.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, Result};
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::{
    Distinct, Expr, ExprFunctionExt, ExprSchemable, Join, LogicalPlan, LogicalPlanBuilder,
};
use datafusion::optimizer::AnalyzerRule;

use crate::floats::has_floats;
use crate::functions::canonical_float;
use crate::plan::rules::expressions::any_node;
use crate::plan::rules::numbers::mixed_numbers::{is_set_operation, with_sides};
use crate::tree::PlanTree;

/// Adds the number of a row among its equals to the keys of INTERSECT ALL and EXCEPT ALL.
///
/// DataFusion plans them as semi and anti joins by all columns, which decide on each row of the
/// first side by itself. With the numbers, the second of two equal rows finds a row only if the
/// other side has two as well.
#[derive(Debug)]
pub(in crate::plan::rules) struct SetCounts;

impl AnalyzerRule for SetCounts {
    fn name(&self) -> &str {
        "set_counts"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let is_counted = |node: &LogicalPlan| matches!(node, LogicalPlan::Join(join) if can_repeat(join));
        if !any_node(&plan, |node| Ok(is_counted(node)))? {
            return Ok(plan);
        }
        plan.transform_all_up(count).map(|transformed| transformed.data)
    }
}

fn count(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    match plan {
        LogicalPlan::Join(join) if can_repeat(&join) => counted(join).map(Transformed::yes),
        plan => Ok(Transformed::no(plan)),
    }
}

/// Returns whether a join is a set operation with possible duplicates on its first side.
fn can_repeat(join: &Join) -> bool {
    is_set_operation(join) && !matches!(&*join.left, LogicalPlan::Distinct(Distinct::All(_)))
}

fn counted(mut join: Join) -> Result<LogicalPlan> {
    let (left, right): (Vec<Expr>, Vec<Expr>) = join.on.iter().cloned().unzip();
    let columns: Vec<Expr> = join.left.schema().columns().into_iter().map(Expr::Column).collect();
    let (left, left_number) = numbered(&join.left, left)?;
    let (right, right_number) = numbered(&join.right, right)?;
    let mut on = std::mem::take(&mut join.on);
    on.push((left_number, right_number));
    let join = with_sides(join, left, right, on)?;
    LogicalPlanBuilder::new(LogicalPlan::Join(join)).project(columns)?.build()
}

/// Returns the rows of a plan, each with its number among those that have the same keys.
fn numbered(plan: &Arc<LogicalPlan>, keys: Vec<Expr>) -> Result<(Arc<LogicalPlan>, Expr)> {
    let keys = keys.into_iter().map(|key| match key.get_type(plan.schema()) {
        Ok(found) if has_floats(&found) => canonical_float(key),
        _ => key,
    });
    let number = row_number().partition_by(keys.collect()).build()?;
    let (relation, name) = number.qualified_name();
    let plan = LogicalPlanBuilder::new_from_arc(plan.clone()).window([number])?.build()?;
    Ok((Arc::new(plan), Expr::Column(Column::new(relation, name))))
}
