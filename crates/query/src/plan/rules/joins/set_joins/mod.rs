//! Set joins: semi and anti joins by a set of numbered keys.
//!
//! A hash join finds all pairs of rows, and drops their number again where a query asks only
//! whether there is one. Here the keys of the build side are numbered, and a row of the probe side
//! is one look-up: it passes if its key has a number, or it sets the bit of this number, and the
//! rows of the build side pass by their bits at the end.

mod exec;

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::recursive_query::RecursiveQueryExec;

use super::KeyedJoin;
use crate::tree::Tree;
use exec::{Kept, SetJoinExec};

/// Replaces semi and anti joins by one key, a whole number or a date, with one table for all
/// threads by a `SetJoinExec`.
///
/// A recursive query starts the same plan again in every round, and is left as it is.
#[derive(Debug)]
pub(in crate::plan) struct SetJoins {
    /// Off, DataFusion joins all rows.
    pub is_on: bool,
}

impl PhysicalOptimizerRule for SetJoins {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        let is_recursive =
            |node: &Arc<dyn ExecutionPlan>| Ok(node.downcast_ref::<RecursiveQueryExec>().is_some());
        if !self.is_on || plan.exists(is_recursive)? {
            return Ok(plan);
        }
        plan.transform_up(|node| {
            let set_join = node.downcast_ref::<HashJoinExec>().map(set_join).transpose()?.flatten();
            Ok(match set_join {
                Some(join) => Transformed::yes(join),
                None => Transformed::no(node),
            })
        })
        .data()
    }

    fn name(&self) -> &str {
        "set_joins"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

fn set_join(join: &HashJoinExec) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let Some(kept) = Kept::of(*join.join_type()) else { return Ok(None) };
    let Some(keyed) = KeyedJoin::of(join)? else { return Ok(None) };
    let columns = match join.projection.as_ref() {
        Some(columns) => columns.to_vec(),
        None => (0..join.schema().fields().len()).collect(),
    };
    Ok(Some(Arc::new(SetJoinExec::new(keyed, kept, columns, join.properties().clone()))))
}
