//! Order of join inputs that DataFusion wrongly carries over to the output.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::joins::{HashJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};

use crate::plan::rules::properties::hidden_properties::HiddenPropertiesExec;
use crate::tree::Tree;

/// Hides the order of the side that a join does not follow row by row, before sorts are placed.
///
/// DataFusion takes the rows of a join for sorted by the followed side, and then by the other one.
/// The rows of the other side start again for each row of the followed one, and several of its rows
/// can have the same keys.
#[derive(Debug)]
struct HideJoinOrders;

/// Returns the rules with this one in front of the placement of sorts, when the sides of joins are
/// final.
pub(in crate::plan) fn join_orders(
    mut rules: Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>>,
) -> Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> {
    let place = rules.iter().position(|rule| rule.name() == "EnsureRequirements");
    rules.insert(place.unwrap_or_default(), Arc::new(HideJoinOrders));
    rules
}

impl PhysicalOptimizerRule for HideJoinOrders {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(hide).data()
    }

    fn name(&self) -> &str {
        "hide_orders_of_joins"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

fn hide(plan: Arc<dyn ExecutionPlan>) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    let is_join =
        plan.downcast_ref::<HashJoinExec>().is_some() || plan.downcast_ref::<SortMergeJoinExec>().is_some();
    if !is_join || !plan.children().into_iter().all(can_be_ordered) {
        return Ok(Transformed::no(plan));
    }
    let inputs = plan.children().into_iter().zip(plan.maintains_input_order());
    let hidden = inputs.map(|(input, is_followed)| match is_followed {
        true => input.clone(),
        false => HiddenPropertiesExec::without_order(input.clone()),
    });
    let hidden = hidden.collect();
    let recompute = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
    plan.replace_children(hidden, recompute).map(Transformed::yes)
}

/// Returns whether rows have an order, or pass an operator that may give them one.
fn can_be_ordered(plan: &Arc<dyn ExecutionPlan>) -> bool {
    plan.output_ordering().is_some()
        || plan.downcast_ref::<SortExec>().is_some()
        || plan.downcast_ref::<BoundedWindowAggExec>().is_some()
        || plan.downcast_ref::<WindowAggExec>().is_some()
        || plan.children().into_iter().any(can_be_ordered)
}
