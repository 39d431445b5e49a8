//! Relations and conditions of a tree of inner joins.

use datafusion::common::{Column, NullEquality};
use datafusion::logical_expr::logical_plan::{Join, Projection};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan};

use crate::fallible::can_fail_logically;

/// Most relations of a tree: a set of them is a word.
const MOST: usize = 64;

/// Condition of a tree, with the sets of relations that its sides need.
#[derive(Debug)]
pub(super) enum Condition {
    /// Two expressions are equal, and not null.
    Equal { left: (Expr, u64), right: (Expr, u64) },
    /// Any other one.
    Other { expression: Expr, relations: u64 },
}

impl Condition {
    /// Returns the set of relations that the condition needs.
    pub fn relations(&self) -> u64 {
        match self {
            Condition::Equal { left, right } => left.1 | right.1,
            Condition::Other { relations, .. } => *relations,
        }
    }
}

/// Order of joins: relations by their index, and joins of two trees. A hash table is
/// built of the rows of the left side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Tree {
    /// A relation.
    Relation(usize),
    /// A join.
    Join(Box<Tree>, Box<Tree>),
}

impl Tree {
    /// Returns the set of the tree's relations.
    pub fn relations(&self) -> u64 {
        match self {
            Tree::Relation(index) => 1 << index,
            Tree::Join(left, right) => left.relations() | right.relations(),
        }
    }
}

/// A tree of inner joins, taken apart.
#[derive(Debug)]
pub(super) struct Graph {
    /// The inputs that are no inner joins themselves.
    pub relations: Vec<LogicalPlan>,
    /// The conditions of all joins.
    pub conditions: Vec<Condition>,
    /// The joins in the order in which they were written.
    pub written: Tree,
}

impl Graph {
    /// Takes a tree apart; `None` if the plan is no inner join, or has to stay as it is: a
    /// condition that can fail must not see rows that another join would have left out.
    pub fn of(plan: &LogicalPlan) -> Option<Graph> {
        inner_join(plan)?;
        let (mut relations, mut joins) = (Vec::new(), Vec::new());
        let written = take_apart(plan, &mut relations, &mut joins);
        if relations.len() > MOST {
            return None;
        }
        let mut graph = Graph { relations, conditions: Vec::new(), written };
        for join in joins {
            let can_fail =
                |expression: &Expr| expression.is_volatile() || can_fail_logically(expression, &join.schema);
            for (left, right) in &join.on {
                if can_fail(left) || can_fail(right) {
                    return None;
                }
                let (of_left, of_right) = (graph.needed(left)?, graph.needed(right)?);
                graph.conditions.push(Condition::Equal {
                    left: (left.clone(), of_left),
                    right: (right.clone(), of_right),
                });
            }
            for expression in join.filter.iter().flat_map(split_conjunction) {
                if can_fail(expression) {
                    return None;
                }
                let relations = graph.needed(expression)?;
                graph.conditions.push(Condition::Other { expression: expression.clone(), relations });
            }
        }
        Some(graph)
    }

    /// Returns the set of relations that an expression has columns of; `None` if a column is in no
    /// relation, or in several.
    fn needed(&self, expression: &Expr) -> Option<u64> {
        let mut set = 0;
        for column in expression.column_refs() {
            set |= 1 << self.relation_of(column)?;
        }
        // constants and subqueries are left to the joins that have them
        (set != 0).then_some(set)
    }

    /// Returns the index of the only relation with a column.
    pub fn relation_of(&self, column: &Column) -> Option<usize> {
        let mut with = (0..self.relations.len()).filter(|&at| self.relations[at].schema().has_column(column));
        with.next().filter(|_| with.next().is_none())
    }
}

/// Returns the join if it may be moved.
fn inner_join(plan: &LogicalPlan) -> Option<&Join> {
    match plan {
        LogicalPlan::Join(join)
            if join.join_type == JoinType::Inner && join.null_equality == NullEquality::NullEqualsNothing =>
        {
            Some(join)
        }
        _ => None,
    }
}

/// Collects relations and joins below a plan.
fn take_apart<'a>(
    plan: &'a LogicalPlan,
    relations: &mut Vec<LogicalPlan>,
    joins: &mut Vec<&'a Join>,
) -> Tree {
    if let Some(join) = inner_join(plan) {
        joins.push(join);
        let left = take_apart(&join.left, relations, joins);
        let right = take_apart(&join.right, relations, joins);
        return Tree::Join(Box::new(left), Box::new(right));
    }
    if let LogicalPlan::Projection(Projection { expr, input, .. }) = plan
        && inner_join(input).is_some()
        && expr.iter().all(|expression| matches!(expression, Expr::Column(_)))
    {
        return take_apart(input, relations, joins);
    }
    relations.push(plan.clone());
    Tree::Relation(relations.len() - 1)
}
