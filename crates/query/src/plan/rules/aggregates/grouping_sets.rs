//! Aggregates with grouping sets or nested keys, kept from relying on properties of their input.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::error::Result;
use datafusion::logical_expr::Aggregate;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateInputMode};
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::{ExecutionPlan, InputOrderMode};

use crate::plan::rules::properties::hidden_properties::HiddenPropertiesExec;
use crate::tree::Tree;

/// Hides the order, the constants and the partitioning of rows from aggregates with grouping sets,
/// roll-ups and cubes, and from the operators above them.
///
/// Such an aggregate sees every row once for each set, with NULL for the columns that the set
/// leaves out. A column that was sorted, constant or a partition key no longer is, but DataFusion
/// assumes so.
///
/// Groups of sorted keys are found by comparison, which DataFusion lacks for structs with lists in
/// them. Such keys are hashed instead.
///
/// The rule runs first, before the rules that use these properties, and once more after sorts were
/// added.
#[derive(Debug)]
pub(in crate::plan) struct HideProperties {
    has_sorts: bool,
}

impl HideProperties {
    /// Returns the rule that runs before all others.
    pub fn first() -> Self {
        Self { has_sorts: false }
    }

    /// Returns the rule that runs when the plan has its sorts.
    pub fn after_sorts() -> Self {
        Self { has_sorts: true }
    }

    fn hide(&self, node: Arc<dyn ExecutionPlan>) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
        let Some(aggregate) = node.downcast_ref::<AggregateExec>() else { return Ok(Transformed::no(node)) };
        let has_sets = has_sets(aggregate);
        if !has_sets && !has_nested_key(aggregate)? {
            return Ok(Transformed::no(node));
        }
        let is_linear = *aggregate.input_order_mode() == InputOrderMode::Linear;
        if self.has_sorts && is_linear {
            return Ok(Transformed::no(node));
        }
        let mode = *aggregate.mode();
        let mut hidden = node.clone();
        if mode.input_mode() == AggregateInputMode::Raw {
            let input = HiddenPropertiesExec::over(aggregate.input().clone());
            let recompute = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
            hidden = hidden.replace_children(vec![input], recompute)?;
        }
        // a constant key is NULL in other sets, also in the output of a partial aggregate
        if has_sets && !self.has_sorts {
            hidden = HiddenPropertiesExec::over(hidden);
        }
        Ok(Transformed::yes(hidden))
    }
}

/// Returns whether an aggregate has grouping sets, or merges the groups of one that has.
fn has_sets(aggregate: &AggregateExec) -> bool {
    let groups = aggregate.group_expr();
    groups.has_grouping_set() || groups.expr().iter().any(|(_, name)| name == Aggregate::INTERNAL_GROUPING_ID)
}

fn has_nested_key(aggregate: &AggregateExec) -> Result<bool> {
    let schema = aggregate.input().schema();
    let keys = aggregate.group_expr().expr().iter();
    let types = keys.map(|(key, _)| key.data_type(&schema)).collect::<Result<Vec<_>>>()?;
    Ok(types.iter().any(DataType::is_nested))
}

impl PhysicalOptimizerRule for HideProperties {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| self.hide(node)).map(|transformed| transformed.data)
    }

    fn name(&self) -> &str {
        "hide_claims_from_grouping_sets"
    }

    fn schema_check(&self) -> bool {
        true
    }
}
