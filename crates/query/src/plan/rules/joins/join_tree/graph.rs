//! Relations and conditions of a tree of inner joins.

use datafusion::common::{Column, ExprSchema, NullEquality};
use datafusion::logical_expr::logical_plan::{Join, Projection};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan};

use crate::fallible::can_fail_logically;

/// Most relations of a tree: a set of them is a word.
const MOST: usize = 64;

/// Most equal columns for which all pairs are conditions: their number grows with its square.
const MOST_EQUAL: usize = 12;

/// Condition of a tree, with the sets of relations that its sides need.
#[derive(Debug)]
pub(super) enum Condition {
    /// Two expressions are equal, and not null. Among columns of a class, all pairs of which are
    /// equal, a join needs one pair of each class.
    Equal { left: (Expr, u64), right: (Expr, u64), class: Option<usize> },
    /// Any other one.
    Other { expression: Expr, relations: u64 },
}

impl Condition {
    /// Returns the set of relations that the condition needs.
    pub fn relations(&self) -> u64 {
        match self {
            Condition::Equal { left, right, .. } => left.1 | right.1,
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
                    class: None,
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
        graph.derive_equalities();
        Some(graph)
    }

    /// Puts all pairs of equal columns in place of those that are written: `a = b AND b = c` lets
    /// `a` and `c` be joined first. Only columns of one type, each of another relation: a relation
    /// with two of them would need a condition of its own.
    fn derive_equalities(&mut self) {
        let mut classes: Vec<Vec<(Expr, u64)>> = Vec::new();
        for condition in &self.conditions {
            let Condition::Equal { left, right, .. } = condition else { continue };
            let has = |class: &Vec<(Expr, u64)>| class.contains(left) || class.contains(right);
            let (same, rest): (Vec<_>, Vec<_>) = classes.into_iter().partition(has);
            let mut merged: Vec<(Expr, u64)> = Vec::new();
            for member in same.into_iter().flatten().chain([left.clone(), right.clone()]) {
                if !merged.contains(&member) {
                    merged.push(member);
                }
            }
            classes = rest;
            classes.push(merged);
        }
        classes.retain(|class| self.is_derivable(class));
        for (number, class) in classes.into_iter().enumerate() {
            self.conditions.retain(
                |condition| !matches!(condition, Condition::Equal { left, .. } if class.contains(left)),
            );
            for (index, left) in class.iter().enumerate() {
                let pair = |right: &(Expr, u64)| Condition::Equal {
                    left: left.clone(),
                    right: right.clone(),
                    class: Some(number),
                };
                self.conditions.extend(class[index + 1..].iter().map(pair));
            }
        }
    }

    /// Returns whether more follows from the equality of some expressions than is written, and all
    /// pairs may be compared.
    fn is_derivable(&self, class: &[(Expr, u64)]) -> bool {
        let type_of = |(expression, _): &(Expr, u64)| match expression {
            Expr::Column(column) => {
                let relation = &self.relations[self.relation_of(column)?];
                relation.schema().field_from_column(column).ok().map(|field| field.data_type().clone())
            }
            _ => None,
        };
        let first = class.first().and_then(type_of);
        let relations = class.iter().fold(0, |set, (_, of)| set | of);
        (3..=MOST_EQUAL).contains(&class.len())
            && relations.count_ones() as usize == class.len()
            && first.is_some_and(|first| class.iter().all(|member| type_of(member) == Some(first.clone())))
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
