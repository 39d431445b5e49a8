//! Conditions that the rows of a common subplan must meet for at least one of its mentions.

use datafusion::common::Column;
use datafusion::logical_expr::utils::{conjunction, disjunction};
use datafusion::logical_expr::{Expr, LogicalPlan};

use super::errors::can_fail;
use super::mentions::Mention;

/// Returns conditions for the definition of a common subplan, over its columns. Each mention still
/// has its own above.
pub(super) fn of_all(definition: &LogicalPlan, mentions: &[Mention]) -> Vec<Expr> {
    let safe = |condition: &&Expr| !can_fail(condition, definition) && !condition.is_volatile();
    let moves =
        |condition: &&Expr| condition.column_refs().into_iter().all(|column| moves_down(definition, column));
    let all = of_any(mentions, safe);
    // one that is about totals stays above the aggregate, and holds the others back
    let moving = of_any(mentions, |condition| safe(condition) && moves(condition));
    let mut conditions: Vec<Expr> = moving.into_iter().collect();
    conditions.extend(all.filter(|all| !conditions.contains(all)));
    conditions
}

/// Returns the condition that a row passes the chosen conditions of one of the mentions; `None` if
/// a mention has none.
fn of_any(mentions: &[Mention], chosen: impl Fn(&&Expr) -> bool) -> Option<Expr> {
    let mut alternatives: Vec<Expr> = Vec::new();
    for mention in mentions {
        let one = conjunction(mention.conditions.iter().filter(&chosen).cloned())?;
        if !alternatives.contains(&one) {
            alternatives.push(one);
        }
    }
    disjunction(alternatives)
}

/// Returns whether a condition on a column can move below the aggregates and windows of a plan.
fn moves_down(plan: &LogicalPlan, column: &Column) -> bool {
    let Some(index) = plan.schema().maybe_index_of_column(column) else { return false };
    let input_moves = |input: &LogicalPlan, index: usize| {
        let column = Column::from(input.schema().qualified_field(index));
        moves_down(input, &column)
    };
    let expression_moves = |input: &LogicalPlan, expression: &Expr| match bare(expression) {
        Expr::Column(column) => moves_down(input, column),
        Expr::Literal(..) => true,
        _ => false,
    };
    match plan {
        LogicalPlan::Projection(projection) => expression_moves(&projection.input, &projection.expr[index]),
        LogicalPlan::Aggregate(aggregate) => {
            let key = aggregate.group_expr.get(index);
            key.is_some_and(|key| expression_moves(&aggregate.input, key))
        }
        LogicalPlan::Window(window) => {
            let is_key = |expression: &Expr| match bare(expression) {
                Expr::WindowFunction(function) => {
                    function.params.partition_by.contains(&Expr::Column(column.clone()))
                }
                _ => false,
            };
            index < window.input.schema().fields().len()
                && window.window_expr.iter().all(is_key)
                && input_moves(&window.input, index)
        }
        LogicalPlan::Union(union) => union.inputs.iter().all(|input| input_moves(input, index)),
        LogicalPlan::SubqueryAlias(_)
        | LogicalPlan::Filter(_)
        | LogicalPlan::Distinct(datafusion::logical_expr::Distinct::All(_)) => {
            plan.inputs().first().is_some_and(|input| input_moves(input, index))
        }
        LogicalPlan::Sort(sort) => sort.fetch.is_none() && input_moves(&sort.input, index),
        LogicalPlan::Join(_) | LogicalPlan::TableScan(_) | LogicalPlan::Values(_) => true,
        _ => false,
    }
}

/// Returns an expression without its names.
fn bare(expression: &Expr) -> &Expr {
    match expression {
        Expr::Alias(alias) => bare(&alias.expr),
        other => other,
    }
}
