//! ORDER BY of SELECT DISTINCT ON.

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::logical_expr::{Distinct, Expr, LogicalPlan};
use datafusion::optimizer::AnalyzerRule;

/// Leaves out keys that are there before. DataFusion panics over a key that is there twice.
#[derive(Debug)]
pub(in crate::plan::rules) struct DistinctOnKeys;

impl AnalyzerRule for DistinctOnKeys {
    fn name(&self) -> &str {
        "distinct_on_keys"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        plan.transform_up_with_subqueries(|plan| match plan {
            LogicalPlan::Distinct(Distinct::On(mut on)) => {
                let mut seen: Vec<Expr> = Vec::new();
                if let Some(keys) = &mut on.sort_expr {
                    keys.retain(|key| {
                        let is_new = !seen.contains(&key.expr);
                        seen.push(key.expr.clone());
                        is_new
                    });
                }
                Ok(Transformed::yes(LogicalPlan::Distinct(Distinct::On(on))))
            }
            other => Ok(Transformed::no(other)),
        })
        .map(|transformed| transformed.data)
    }
}
