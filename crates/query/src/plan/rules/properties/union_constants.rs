//! Columns with a different constant in each input of a UNION ALL.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::error::Result;
use datafusion::physical_expr::AcrossPartitions;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};

use super::hidden_properties::HiddenPropertiesExec;
use crate::tree::Tree;

/// Hides such columns while sorts are placed, and shows them again afterwards.
///
/// DataFusion leaves a constant out of the keys of a sort. The sorts of all partitions share the
/// bound of their top rows, which without the constant drops rows of other inputs.
#[derive(Debug)]
pub(in crate::plan) struct HideUnionConstants {
    has_sorts: bool,
}

impl HideUnionConstants {
    /// Returns the rule that runs before all others.
    pub fn first() -> Self {
        Self { has_sorts: false }
    }

    /// Returns the rule that runs when the plan has its sorts.
    pub fn after_sorts() -> Self {
        Self { has_sorts: true }
    }
}

impl PhysicalOptimizerRule for HideUnionConstants {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        let change = |node: Arc<dyn ExecutionPlan>| match self.has_sorts {
            false if differs(&node) => Transformed::yes(HiddenPropertiesExec::over(node)),
            true => match node.downcast_ref::<HiddenPropertiesExec>().map(HiddenPropertiesExec::input) {
                Some(union) if differs(union) => Transformed::yes(union.clone()),
                _ => Transformed::no(node),
            },
            false => Transformed::no(node),
        };
        plan.transform_up(|node| Ok(change(node))).map(|changed| changed.data)
    }

    fn name(&self) -> &str {
        "hide_constants_of_unions"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Returns whether a plan is a union with a column that is constant in its partitions, but with
/// different values.
fn differs(plan: &Arc<dyn ExecutionPlan>) -> bool {
    plan.downcast_ref::<UnionExec>().is_some()
        && plan
            .equivalence_properties()
            .constants()
            .iter()
            .any(|constant| matches!(constant.across_partitions, AcrossPartitions::Heterogeneous))
}
