//! Order in which a scan evaluates its conditions.

use std::collections::BTreeMap;

use arrow::datatypes::{DataType, Schema};
use datafusion::common::Statistics;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{
    BinaryExpr, Column, InListExpr, IsNotNullExpr, IsNullExpr, Literal,
};

use super::{Conjunct, columns};
use crate::fallible::can_fail;
use crate::scan::join_keys::KeyBitmapExpr;
use crate::scan::selectivity;
use crate::tree::Tree;

/// Share of rows at or below which the conditions on a column are taken to drop so many that it
/// pays to evaluate them before other columns are decoded.
const SELECTIVE: f64 = 0.125;

/// Rows of a table from which the most selective column has a stage of its own. Each stage waits
/// for its pages, which in a small table takes longer than the values of all columns.
const ROWS_OF_OWN_STAGE: usize = 1 << 18;

/// Number of cost classes.
const CLASSES: usize = 5;

/// Returns the stages of conditions over a table's columns, in the order of evaluation: first cheap
/// conditions on the column that drops most rows, then those on other columns that drop many, the
/// most selective first, and then the others by their cost.
pub(super) fn stages(
    conjuncts: Vec<Conjunct>,
    schema: &Schema,
    statistics: &Statistics,
) -> Vec<Vec<Conjunct>> {
    let shares = selective_columns(&conjuncts, schema, statistics);
    let place = |column: usize| shares.iter().position(|&of| of == column);
    let mut early: BTreeMap<usize, Vec<Conjunct>> = BTreeMap::new();
    let mut by_cost: [Vec<Conjunct>; CLASSES] = Default::default();
    for conjunct in conjuncts {
        let cost = cost(&conjunct, schema);
        match only_column(&conjunct).filter(|_| cost == 0).and_then(place) {
            Some(place) => early.entry(place).or_default().push(conjunct),
            None => by_cost[cost].push(conjunct),
        }
    }
    let is_small = statistics.num_rows.get_value().is_some_and(|&rows| rows < ROWS_OF_OWN_STAGE);
    let mut early = early.into_values();
    let mut first = early.next().unwrap_or_default();
    let mut second: Vec<Conjunct> = early.flatten().collect();
    if is_small {
        first.append(&mut second);
    }
    let all = [first, second].into_iter().chain(by_cost);
    all.filter(|conditions| !conditions.is_empty()).collect()
}

/// Returns the columns on which cheap conditions drop most rows, the most selective first.
fn selective_columns(conjuncts: &[Conjunct], schema: &Schema, statistics: &Statistics) -> Vec<usize> {
    let mut conditions: BTreeMap<usize, Vec<_>> = BTreeMap::new();
    for conjunct in conjuncts.iter().filter(|conjunct| cost(conjunct, schema) == 0) {
        if let Some(column) = only_column(conjunct) {
            conditions.entry(column).or_default().push(&conjunct.expression);
        }
    }
    let shares = conditions.into_iter().map(|(column, all)| (selectivity::all(all, statistics), column));
    let mut selective: Vec<(f64, usize)> = shares.filter(|&(share, _)| share <= SELECTIVE).collect();
    selective.sort_by(|one, other| one.0.total_cmp(&other.0));
    selective.into_iter().map(|(_, column)| column).collect()
}

/// Returns the column of a condition on a single one.
fn only_column(conjunct: &Conjunct) -> Option<usize> {
    let columns = columns(&conjunct.expression);
    columns.first().copied().filter(|_| columns.len() == 1)
}

/// Returns the cost class, each a few times dearer than the one before: comparisons of fixed-width
/// values, comparisons of strings, probes of a join's hash table, and everything else (LIKE,
/// functions). Conditions that can fail for rows that others drop come last.
fn cost(conjunct: &Conjunct, schema: &Schema) -> usize {
    if can_fail(&conjunct.expression) {
        return CLASSES - 1;
    }
    let mut cost = 0;
    let walked = conjunct.expression.apply(|node| {
        let simple = node.downcast_ref::<Literal>().is_some()
            || node.downcast_ref::<KeyBitmapExpr>().is_some()
            || node.downcast_ref::<IsNullExpr>().is_some()
            || node.downcast_ref::<IsNotNullExpr>().is_some()
            || node.downcast_ref::<InListExpr>().is_some()
            || node.downcast_ref::<BinaryExpr>().is_some_and(|binary| {
                binary.op().supports_propagation()
                    || matches!(binary.op(), Operator::And | Operator::Or | Operator::NotEq)
            });
        let class = match node.downcast_ref::<Column>() {
            Some(column) if schema.field(column.index()).data_type().is_primitive() => 0,
            Some(column) if schema.field(column.index()).data_type() == &DataType::Boolean => 0,
            Some(_) => 1,
            None if simple => 0,
            None if conjunct.effectiveness.is_some() => 2,
            None => 3,
        };
        cost = cost.max(class);
        Ok(TreeNodeRecursion::Continue)
    });
    debug_assert!(walked.is_ok(), "the visitor returns no error");
    cost
}

#[cfg(test)]
mod tests;
