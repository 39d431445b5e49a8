//! Collection of the keys of hash joins, for the scans of their probe sides.

mod exec;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::datasource::source::DataSourceExec;
use datafusion::error::Result as DataFusionResult;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::recursive_query::RecursiveQueryExec;

use crate::scan::{JoinKeys, PeltonSource};
use crate::tree::Tree;
use exec::JoinKeysExec;

/// Puts an operator that collects keys on the build side of each hash join that sends a filter to a
/// scan. The scan looks the keys up in a bitmap, where the filter has a look-up in the hash table.
///
/// A recursive query starts the same plan again in every round, with other keys. It is left as it
/// is.
#[derive(Debug)]
pub(in crate::plan) struct JoinKeyBitmaps {
    pub is_on: bool,
}

impl PhysicalOptimizerRule for JoinKeyBitmaps {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        if !self.is_on {
            return Ok(plan);
        }
        let keys = keys(&plan)?;
        if keys.is_empty() {
            return Ok(plan);
        }
        plan.transform_up(|node| with_keys(node, &keys)).map(|transformed| transformed.data)
    }

    fn name(&self) -> &str {
        "join_key_bitmaps"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Returns the keys of the joins that scans have filters of, by the ids of these.
fn keys(plan: &Arc<dyn ExecutionPlan>) -> DataFusionResult<HashMap<u64, Arc<JoinKeys>>> {
    let (mut joins, mut of_scans, mut is_recursive) = (HashMap::new(), HashSet::new(), false);
    plan.apply(|node| {
        is_recursive |= node.downcast_ref::<RecursiveQueryExec>().is_some();
        if let Some(source) = source(node) {
            of_scans.extend(source.dynamic_conditions());
        }
        if let Some(join) = node.downcast_ref::<HashJoinExec>()
            && let Some(id) = filter_of(node)
            && let Some(keys) = JoinKeys::of(join)
        {
            joins.insert(id, keys);
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    joins.retain(|id, _| of_scans.contains(id) && !is_recursive);
    Ok(joins)
}

fn with_keys(
    node: Arc<dyn ExecutionPlan>,
    keys: &HashMap<u64, Arc<JoinKeys>>,
) -> DataFusionResult<Transformed<Arc<dyn ExecutionPlan>>> {
    if let Some(source) = source(&node) {
        let own = source.dynamic_conditions().filter_map(|id| Some((id, keys.get(&id)?.clone())));
        let own: HashMap<_, _> = own.collect();
        return Ok(match own.is_empty() {
            true => Transformed::no(node),
            false => Transformed::yes(DataSourceExec::from_data_source(source.clone().with_keys(own))),
        });
    }
    let join = node.downcast_ref::<HashJoinExec>();
    let Some((join, keys)) = join.zip(filter_of(&node).and_then(|id| keys.get(&id))) else {
        return Ok(Transformed::no(node));
    };
    let left = Arc::new(JoinKeysExec::new(join.left().clone(), keys.clone()));
    let sides: Vec<Arc<dyn ExecutionPlan>> = vec![left, join.right().clone()];
    let recompute = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
    node.replace_children(sides, recompute).map(Transformed::yes)
}

fn source(node: &Arc<dyn ExecutionPlan>) -> Option<&PeltonSource> {
    node.downcast_ref::<DataSourceExec>()?.data_source().downcast_ref::<PeltonSource>()
}

/// Returns the id of the filter that a join sends.
fn filter_of(join: &Arc<dyn ExecutionPlan>) -> Option<u64> {
    join.dynamic_expressions_produced().first()?.expression_id()
}
