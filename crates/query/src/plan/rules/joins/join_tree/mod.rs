//! Optimizer rule that puts inner joins into the order of least estimated cost.
//!
//! DataFusion joins in the order in which a query names its tables. This rule takes each tree of
//! inner joins apart into relations and conditions ([`graph`]), estimates the rows of sets of
//! relations ([`estimate`]), searches for the cheapest tree ([`search`]), and puts the joins
//! together again.

mod estimate;
mod graph;
mod search;

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{JoinConstraint, NullEquality, Result};
use datafusion::logical_expr::logical_plan::{Join, Projection};
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan};
use datafusion::optimizer::optimize_projections::OptimizeProjections;
use datafusion::optimizer::optimizer::{OptimizerConfig, OptimizerRule};

pub(in crate::plan::rules) use estimate::{Tables, different, rows};
use graph::{Condition, Graph, Tree};

/// Fewest relations of a tree: which side of one join is built is decided later.
const LEAST: usize = 3;

/// Share of the written order's cost that another order must not exceed to be taken. Estimates are
/// not exact, and an order that a user wrote may be meant.
const WORTH: f64 = 0.8;

/// The rule.
#[derive(Debug)]
pub(in crate::plan) struct JoinOrder {
    /// Off, joins keep the order in which they were written.
    pub is_on: bool,
}

impl JoinOrder {
    /// Returns optimizer rules with this one behind those that move conditions, and in front of the
    /// one that removes columns.
    pub fn placed(
        self,
        mut rules: Vec<Arc<dyn OptimizerRule + Send + Sync>>,
    ) -> Vec<Arc<dyn OptimizerRule + Send + Sync>> {
        let columns = OptimizeProjections::new();
        let place = rules.iter().position(|rule| rule.name() == columns.name());
        rules.insert(place.unwrap_or(rules.len()), Arc::new(self));
        rules
    }
}

impl OptimizerRule for JoinOrder {
    fn name(&self) -> &str {
        "join_order_by_cost"
    }

    fn supports_rewrite(&self) -> bool {
        true
    }

    fn rewrite(&self, plan: LogicalPlan, _: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        if self.is_on { reorder(plan) } else { Ok(Transformed::no(plan)) }
    }
}

/// Reorders the joins of a plan and of its inputs.
fn reorder(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let Some(mut graph) = Graph::of(&plan) else { return plan.map_children(reorder) };
    let mut has_changed = false;
    for relation in &mut graph.relations {
        let inner = reorder(std::mem::take(relation))?;
        has_changed |= inner.transformed;
        *relation = inner.data;
    }
    let better = (graph.relations.len() >= LEAST).then(|| better(&graph)).flatten();
    has_changed |= better.is_some();
    if !has_changed {
        return Ok(Transformed::no(plan));
    }
    let tree = better.unwrap_or_else(|| graph.written.clone());
    let joined = Builder { graph: &graph, used: vec![false; graph.conditions.len()] }.build(&tree)?;
    // The columns of the join as it was, in their order.
    let columns = plan.schema().iter().map(|(table, field)| Expr::from((table, field))).collect();
    let projection = Projection::try_new(columns, Arc::new(joined))?;
    Ok(Transformed::yes(LogicalPlan::Projection(projection)))
}

/// Returns a tree that is estimated to be clearly cheaper than the written one.
fn better(graph: &Graph) -> Option<Tree> {
    let estimates = estimate::Estimates::new(graph);
    let found = search::cheapest(graph, &estimates);
    let cost = |tree: &Tree| search::cost(tree, &estimates);
    (cost(&found) < cost(&graph.written) * WORTH).then_some(found)
}

/// Joins of a tree under construction.
struct Builder<'a> {
    graph: &'a Graph,
    /// For each condition, whether a join has it.
    used: Vec<bool>,
}

impl Builder<'_> {
    fn build(&mut self, tree: &Tree) -> Result<LogicalPlan> {
        let (left, right) = match tree {
            Tree::Relation(index) => return Ok(self.graph.relations[*index].clone()),
            Tree::Join(left, right) => (left, right),
        };
        let (in_left, in_right) = (left.relations(), right.relations());
        let inputs = (Arc::new(self.build(left)?), Arc::new(self.build(right)?));
        let (mut on, mut filter) = (Vec::new(), Vec::new());
        let mut joined_classes: Vec<usize> = Vec::new();
        for (index, condition) in self.graph.conditions.iter().enumerate() {
            if self.used[index] || condition.relations() & !(in_left | in_right) != 0 {
                continue;
            }
            self.used[index] = true;
            match condition {
                Condition::Equal { class: Some(class), .. } if joined_classes.contains(class) => {}
                Condition::Equal { left: (a, of_a), right: (b, of_b), class } => {
                    joined_classes.extend(class);
                    let is_within = |one: u64, side: u64| one & !side == 0;
                    if is_within(*of_a, in_left) && is_within(*of_b, in_right) {
                        on.push((a.clone(), b.clone()));
                    } else if is_within(*of_b, in_left) && is_within(*of_a, in_right) {
                        on.push((b.clone(), a.clone()));
                    } else {
                        filter.push(a.clone().eq(b.clone()));
                    }
                }
                Condition::Other { expression, .. } => filter.push(expression.clone()),
            }
        }
        let (inner, constraint) = (JoinType::Inner, JoinConstraint::On);
        let nulls = NullEquality::NullEqualsNothing;
        Join::try_new(inputs.0, inputs.1, on, conjunction(filter), inner, constraint, nulls, false)
            .map(LogicalPlan::Join)
    }
}
