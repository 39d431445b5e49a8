//! Inner joins by IS NOT DISTINCT FROM, kept apart from joins by `=`.
//!
//! A join has one flag for all of its keys: NULL is equal to NULL, or not. Two of DataFusion's
//! rules add keys of `=` to joins that have keys of the other kind: one turns conditions that were
//! pushed into the join into keys, the other merges joins.

use std::sync::Arc;

use datafusion::common::tree_node::Transformed;
use datafusion::common::{NullEquality, Result};
use datafusion::logical_expr::logical_plan::Join;
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, Operator, binary_expr};
use datafusion::optimizer::eliminate_cross_join::EliminateCrossJoin;
use datafusion::optimizer::eliminate_outer_join::EliminateOuterJoin;
use datafusion::optimizer::extract_equijoin_predicate::ExtractEquijoinPredicate;
use datafusion::optimizer::optimizer::{ApplyOrder, Optimizer, OptimizerConfig, OptimizerRule};
use datafusion::optimizer::push_down_limit::PushDownLimit;

use super::cross_joins::cross_joins;
use super::outer_joins::OuterJoins;
use crate::plan::rules::gated_rule::GatedRule;
use crate::plan::rules::properties::repeated_keys;

/// Rules that push fields of structs into scans, which read whole structs here. The second rule
/// fails if a subquery gives a column the name of another one.
const FIELDS_TO_SCANS: [&str; 2] = ["extract_leaf_expressions", "push_down_leaf_projections"];

/// Returns DataFusion's optimizer rules with corrections of the two that mix kinds of keys, and
/// without [`FIELDS_TO_SCANS`]. The rule for limits is there twice, [`repeated_keys`] in place of
/// DataFusion's, and [`OuterJoins`] behind the one for conditions above outer joins.
pub(in crate::plan) fn optimizer_rules() -> Vec<Arc<dyn OptimizerRule + Send + Sync>> {
    let merges = EliminateCrossJoin::new().name().to_owned();
    let extracts = ExtractEquijoinPredicate::new().name().to_owned();
    let keys: Arc<dyn OptimizerRule + Send + Sync> = Arc::new(repeated_keys());
    let outer = EliminateOuterJoin::new().name().to_owned();
    let mut rules = Vec::new();
    for rule in Optimizer::new().rules.into_iter().filter(|rule| !FIELDS_TO_SCANS.contains(&rule.name())) {
        if rule.name() == merges {
            rules.push(Arc::new(KeysToConditions) as Arc<dyn OptimizerRule + Send + Sync>);
        }
        rules.push(match rule.name() {
            name if name == extracts => Arc::new(conditions_to_keys()),
            name if name == merges => Arc::new(cross_joins()),
            name if name == keys.name() => Arc::clone(&keys),
            _ => rule,
        });
        if rules.last().is_some_and(|rule| rule.name() == outer) {
            rules.push(Arc::new(OuterJoins));
        }
    }
    rules.push(Arc::new(conditions_to_keys()));
    // A limit reaches the sort below it the first time, and is dropped the second time. Without
    // that, all rules would run once more.
    rules.push(Arc::new(PushDownLimit::new()));
    rules
}

/// Optimizer rule that turns the keys of inner joins for which NULL is equal to NULL into
/// conditions, which DataFusion moves correctly.
#[derive(Debug)]
struct KeysToConditions;

impl OptimizerRule for KeysToConditions {
    fn name(&self) -> &str {
        "null_safe_keys_to_conditions"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn supports_rewrite(&self) -> bool {
        true
    }

    fn rewrite(&self, plan: LogicalPlan, _: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        let LogicalPlan::Join(join) = plan else { return Ok(Transformed::no(plan)) };
        if join.join_type != JoinType::Inner || !is_null_safe(&join) {
            return Ok(Transformed::no(LogicalPlan::Join(join)));
        }
        let Join { on, filter, .. } = join;
        let pairs = on.into_iter().map(|(left, right)| binary_expr(left, Operator::IsNotDistinctFrom, right));
        let filter = pairs.chain(filter).reduce(Expr::and);
        Ok(Transformed::yes(LogicalPlan::Join(Join {
            on: Vec::new(),
            filter,
            null_equality: NullEquality::NullEqualsNothing,
            ..join
        })))
    }
}

/// Returns the optimizer rule that turns conditions of a join into keys, unless NULL is equal to
/// NULL for its present keys.
fn conditions_to_keys() -> GatedRule<ExtractEquijoinPredicate> {
    let concerns = |plan: &LogicalPlan| Ok(matches!(plan, LogicalPlan::Join(join) if !is_null_safe(join)));
    GatedRule::new(ExtractEquijoinPredicate::new(), concerns)
}

fn is_null_safe(join: &Join) -> bool {
    join.null_equality == NullEquality::NullEqualsNull && !join.on.is_empty()
}
