//! DataFusion's rule for repeated keys, left out of aggregates that have none.

use std::collections::HashSet;

use datafusion::common::Result;
use datafusion::common::tree_node::Transformed;
use datafusion::logical_expr::LogicalPlan;
use datafusion::optimizer::eliminate_duplicated_expr::EliminateDuplicatedExpr;
use datafusion::optimizer::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};

/// Optimizer rule that removes repeated keys of sorts and aggregates.
///
/// DataFusion's rule makes every aggregate anew, with names and types of all its columns, which
/// was a tenth of the optimizer's time for a query of forty sums.
#[derive(Debug, Default)]
pub(in crate::plan::rules) struct RepeatedKeys(EliminateDuplicatedExpr);

impl OptimizerRule for RepeatedKeys {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        self.0.apply_order()
    }

    fn supports_rewrite(&self) -> bool {
        true
    }

    fn rewrite(&self, plan: LogicalPlan, config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        if let LogicalPlan::Aggregate(aggregate) = &plan {
            let mut keys = HashSet::with_capacity(aggregate.group_expr.len());
            if aggregate.group_expr.iter().all(|key| keys.insert(key)) {
                return Ok(Transformed::no(plan));
            }
        }
        self.0.rewrite(plan, config)
    }
}
