//! Keys of GROUP BY that are computed anew each time, such as `random()`.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, Result};
use datafusion::logical_expr::{Aggregate, Expr, LogicalPlan, LogicalPlanBuilder};
use datafusion::optimizer::AnalyzerRule;

/// Computes such keys in a projection below the aggregate.
///
/// DataFusion pushes a condition on a key below the aggregate with the key's expression in it,
/// which then has another value there. It pushes none below a projection of such an expression.
#[derive(Debug)]
pub(super) struct VolatileKeys;

impl AnalyzerRule for VolatileKeys {
    fn name(&self) -> &str {
        "volatile_keys"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        plan.transform_up_with_subqueries(|plan| match plan {
            LogicalPlan::Aggregate(aggregate) if aggregate.group_expr.iter().any(Expr::is_volatile) => {
                compute_below(aggregate).map(Transformed::yes)
            }
            other => Ok(Transformed::no(other)),
        })
        .map(|transformed| transformed.data)
    }
}

fn compute_below(mut aggregate: Aggregate) -> Result<LogicalPlan> {
    let columns = aggregate.input.schema().columns();
    let mut projected: Vec<Expr> = columns.into_iter().map(Expr::Column).collect();
    for key in aggregate.group_expr.iter_mut().filter(|key| key.is_volatile()) {
        if matches!(key, Expr::GroupingSet(_)) {
            continue;
        }
        // the name that the key has in the aggregate's result
        let name = key.schema_name().to_string();
        let column = Expr::Column(Column::new_unqualified(&name));
        projected.push(std::mem::replace(key, column).unalias().alias(name));
    }
    let input = LogicalPlanBuilder::new_from_arc(aggregate.input).project(projected)?.build()?;
    Aggregate::try_new(Arc::new(input), aggregate.group_expr, aggregate.aggr_expr).map(LogicalPlan::Aggregate)
}
