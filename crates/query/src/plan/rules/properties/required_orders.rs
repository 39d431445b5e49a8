//! Sorts for inputs that no longer have the order that their operator needs.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::error::Result;
use datafusion::physical_expr::{LexOrdering, LexRequirement};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties, replace_children_if_necessary};

use crate::plan::rules::aggregates::window_frames::WholePartitions;
use crate::tree::Tree;

/// Adds such sorts before the plan is checked.
///
/// DataFusion drops a sort key that equals another one or is a constant. Later rules move the
/// projection that proves this into a scan or above an aggregate, and the check misses the key.
#[derive(Debug)]
pub(in crate::plan::rules) struct RequiredOrders;

/// Returns the rules with [`RequiredOrders`] in front of the check, after the rule that changes
/// windows.
pub(in crate::plan) fn required_orders(
    mut rules: Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>>,
) -> Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> {
    let check = rules.iter().position(|rule| rule.name() == "SanityCheckPlan");
    let at = check.unwrap_or(rules.len());
    rules.insert(at, Arc::new(RequiredOrders));
    rules.insert(at, Arc::new(WholePartitions));
    rules
}

impl PhysicalOptimizerRule for RequiredOrders {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(sort_inputs).data()
    }

    fn name(&self) -> &str {
        "required_orders"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

fn sort_inputs(plan: Arc<dyn ExecutionPlan>) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    let mut is_changed = false;
    let mut inputs = Vec::new();
    for (input, required) in plan.children().into_iter().zip(plan.required_input_ordering()) {
        let required = required.map(|required| required.into_single());
        inputs.push(match required {
            Some(required) if !is_met(input, &required)? => {
                is_changed = true;
                let keys = LexOrdering::from(required);
                Arc::new(SortExec::new(keys, input.clone()).with_preserve_partitioning(true))
                    as Arc<dyn ExecutionPlan>
            }
            _ => input.clone(),
        });
    }
    match is_changed {
        true => replace_children_if_necessary(plan, inputs).map(Transformed::yes),
        false => Ok(Transformed::no(plan)),
    }
}

fn is_met(input: &Arc<dyn ExecutionPlan>, required: &LexRequirement) -> Result<bool> {
    input.equivalence_properties().ordering_satisfy_requirement(required.clone())
}
