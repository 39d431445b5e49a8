//! Balanced trees of long chains of UNION.
//!
//! The parser makes `a UNION b UNION c` a tree as deep as its number of operators. A plan of a deep
//! tree overflows the stack. UNION is associative, so a tree of logarithmic depth has the same rows
//! in the same order.

use std::convert::Infallible;
use std::mem;
use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Query, SetExpr, SetOperator, SetQuantifier, Statement, Values, VisitMut, VisitorMut,
};

/// Number of operands from which a chain is balanced. Short chains keep the form that they were
/// written in.
const LONG: usize = 64;

/// Balances the chains of a statement.
pub(super) fn balance(statement: &mut Statement) {
    let ControlFlow::Continue(()) = statement.visit(&mut Balance);
}

struct Balance;

impl VisitorMut for Balance {
    type Break = Infallible;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Infallible> {
        balance_chain(&mut query.body);
        ControlFlow::Continue(())
    }
}

type Operator = (SetOperator, SetQuantifier);

/// Returns the operator of a UNION and its left side; `None` for other nodes.
fn union(node: &SetExpr) -> Option<(Operator, &SetExpr)> {
    match node {
        SetExpr::SetOperation { left, op: op @ SetOperator::Union, set_quantifier, .. } => {
            let by_place =
                matches!(set_quantifier, SetQuantifier::All | SetQuantifier::Distinct | SetQuantifier::None);
            by_place.then_some(((*op, *set_quantifier), left))
        }
        _ => None,
    }
}

fn balance_chain(node: &mut SetExpr) {
    let Some((operator, mut left)) = union(node) else { return };
    let mut operands = 2;
    while let Some((_, below)) = union(left).filter(|(other, _)| *other == operator) {
        operands += 1;
        left = below;
    }
    if operands >= LONG {
        *node = balanced(mem::replace(node, empty()), operator);
    }
}

/// Returns a node without content, for the place of one that is taken out.
fn empty() -> SetExpr {
    SetExpr::Values(Values { explicit_row: false, value_keyword: false, rows: Vec::new() })
}

fn balanced(chain: SetExpr, operator: Operator) -> SetExpr {
    let mut operands = Vec::new();
    let mut rest = chain;
    loop {
        let is_link = union(&rest).is_some_and(|(other, _)| other == operator);
        match rest {
            SetExpr::SetOperation { left, right, .. } if is_link => {
                operands.push(*right);
                rest = *left;
            }
            first => {
                operands.push(first);
                break;
            }
        }
    }
    operands.reverse();
    let (op, set_quantifier) = operator;
    while operands.len() > 1 {
        let mut pairs = operands.into_iter();
        let mut joined = Vec::with_capacity(pairs.len().div_ceil(2));
        while let Some(left) = pairs.next() {
            joined.push(match pairs.next() {
                Some(right) => {
                    SetExpr::SetOperation { left: Box::new(left), op, set_quantifier, right: Box::new(right) }
                }
                None => left,
            });
        }
        operands = joined;
    }
    operands.pop().unwrap_or_else(empty)
}

#[cfg(test)]
mod tests;
