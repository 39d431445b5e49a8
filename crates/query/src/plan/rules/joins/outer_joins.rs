//! Outer joins below joins with keys that leave the padded rows out.
//!
//! DataFusion makes an outer join an inner one where a condition above it lets no row pass that has
//! NULL in all columns of one side. A key of a join above does the same, as NULL equals nothing. An
//! inner join is free to be ordered by cost, and takes the filters of other joins.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, NullEquality, Result};
use datafusion::logical_expr::logical_plan::Join;
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan};
use datafusion::optimizer::eliminate_outer_join::eliminate_outer;
use datafusion::optimizer::optimizer::{OptimizerConfig, OptimizerRule};

/// Optimizer rule that makes outer joins inner ones, or ones that pad one side only, by the keys of
/// joins above.
#[derive(Debug)]
pub(super) struct OuterJoins;

impl OptimizerRule for OuterJoins {
    fn name(&self) -> &str {
        "outer_joins_below_keys"
    }

    fn supports_rewrite(&self) -> bool {
        true
    }

    fn rewrite(&self, plan: LogicalPlan, _: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        visit(plan, &HashSet::new())
    }
}

/// Columns of a plan's output for which rows with NULL are left out above.
type Needed = HashSet<Column>;

/// Rewrites a plan. Its rows with NULL in one of the columns `needed` are left out above.
fn visit(plan: LogicalPlan, needed: &Needed) -> Result<Transformed<LogicalPlan>> {
    match plan {
        LogicalPlan::Join(join) => {
            let (left, right) = match join.join_type {
                // the output has columns of one side only
                JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark => {
                    (within(needed, &join.left), Needed::new())
                }
                JoinType::RightSemi | JoinType::RightAnti | JoinType::RightMark => {
                    (Needed::new(), within(needed, &join.right))
                }
                _ => (within(needed, &join.left), within(needed, &join.right)),
            };
            let join_type = eliminate_outer(join.join_type, !left.is_empty(), !right.is_empty());
            let is_changed = join_type != join.join_type;
            let join = Join { join_type, ..join };
            let sides = [(left, keys(&join, Side::Left)), (right, keys(&join, Side::Right))];
            let mut sides = sides.into_iter().map(|(needed, keys)| needed.into_iter().chain(keys).collect());
            let visited = LogicalPlan::Join(join)
                .map_children(|input| visit(input, &sides.next().unwrap_or_default()))?;
            Ok(Transformed { transformed: visited.transformed || is_changed, ..visited })
        }
        LogicalPlan::Filter(_) => plan.map_children(|input| visit(input, needed)),
        LogicalPlan::Projection(ref projection) => {
            let outputs = projection.schema.columns().into_iter().zip(&projection.expr);
            let below = outputs.filter(|(output, _)| needed.contains(output));
            let below: Needed = below.filter_map(|(_, expression)| column_of(expression).cloned()).collect();
            plan.map_children(|input| visit(input, &below))
        }
        LogicalPlan::SubqueryAlias(ref alias) => {
            let columns = alias.schema.columns().into_iter().zip(alias.input.schema().columns());
            let below = columns.filter(|(output, _)| needed.contains(output)).map(|(_, input)| input);
            let below: Needed = below.collect();
            plan.map_children(|input| visit(input, &below))
        }
        _ => plan.map_children(|input| visit(input, &HashSet::new())),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Left,
    Right,
}

/// Returns the columns of one side that are keys of a join which leaves rows without a partner on
/// this side out.
fn keys(join: &Join, side: Side) -> Needed {
    let is_left_out = match join.join_type {
        JoinType::Inner | JoinType::LeftSemi | JoinType::RightSemi => true,
        JoinType::Left | JoinType::LeftAnti => side == Side::Right,
        JoinType::Right | JoinType::RightAnti => side == Side::Left,
        JoinType::Full | JoinType::LeftMark | JoinType::RightMark => false,
    };
    if !is_left_out || join.null_aware || join.null_equality != NullEquality::NullEqualsNothing {
        return HashSet::new();
    }
    let of_side =
        |(left, right): &(Expr, Expr)| column_of(if side == Side::Left { left } else { right }).cloned();
    join.on.iter().filter_map(of_side).collect()
}

/// Returns the columns that an input has.
fn within(columns: &Needed, input: &Arc<LogicalPlan>) -> Needed {
    columns.iter().filter(|column| input.schema().has_column(column)).cloned().collect()
}

/// Returns the column that an expression is NULL with.
fn column_of(expression: &Expr) -> Option<&Column> {
    match expression {
        Expr::Column(column) => Some(column),
        Expr::Alias(alias) => column_of(&alias.expr),
        Expr::Cast(cast) => column_of(&cast.expr),
        _ => None,
    }
}
