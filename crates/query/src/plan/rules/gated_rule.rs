//! A rule of DataFusion's optimizer that is left out where it changes nothing, or would do harm.

use datafusion::common::Result;
use datafusion::common::tree_node::Transformed;
use datafusion::logical_expr::LogicalPlan;
use datafusion::optimizer::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};

/// Optimizer rule that runs on some operators only.
#[derive(Debug)]
pub(super) struct GatedRule<R> {
    rule: R,
    /// Returns whether the rule runs on an operator and those below it.
    concerns: fn(&LogicalPlan) -> Result<bool>,
}

impl<R> GatedRule<R> {
    pub(super) fn new(rule: R, concerns: fn(&LogicalPlan) -> Result<bool>) -> Self {
        Self { rule, concerns }
    }
}

impl<R: OptimizerRule> OptimizerRule for GatedRule<R> {
    fn name(&self) -> &str {
        self.rule.name()
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        self.rule.apply_order()
    }

    fn supports_rewrite(&self) -> bool {
        true
    }

    fn rewrite(&self, plan: LogicalPlan, config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        match (self.concerns)(&plan)? {
            true => self.rule.rewrite(plan, config),
            false => Ok(Transformed::no(plan)),
        }
    }
}
