//! ASOF joins as relations of their own, and SEMI and ANTI joins without a side.

use std::convert::Infallible;
use std::ops::ControlFlow;

use datafusion::sql::planner::IdentNormalizer;
use datafusion::sql::sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArguments, JoinConstraint, JoinOperator, Select, Statement,
    TableFactor, TableWithJoins, Value, VisitorMut,
};

use crate::plan::sql::syntax::call;
use crate::plan::sql::walk::WalkMut;

/// Name of the condition that stands for USING, so that no rewrite of USING sees it.
const USING: &str = "__pelton_asof_using";

/// Puts each ASOF join and its left side into parentheses, and names the side of SEMI and ANTI
/// joins.
pub(in crate::plan::sql) fn nest(statement: &mut Statement) {
    let ControlFlow::Continue(()) = statement.walk_mut(&mut Nest);
}

struct Nest;

impl VisitorMut for Nest {
    type Break = Infallible;

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Infallible> {
        select.from.iter_mut().for_each(nested);
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Infallible> {
        if let TableFactor::NestedJoin { table_with_joins, .. } = factor
            && !is_done(table_with_joins)
        {
            nested(table_with_joins);
        }
        ControlFlow::Continue(())
    }
}

/// Returns whether parentheses hold one ASOF join alone.
fn is_done(tables: &TableWithJoins) -> bool {
    matches!(tables.joins.as_slice(), [join] if join.global)
}

fn nested(tables: &mut TableWithJoins) {
    for join in &mut tables.joins {
        match &join.join_operator {
            JoinOperator::Semi(constraint) => join.join_operator = JoinOperator::LeftSemi(constraint.clone()),
            JoinOperator::Anti(constraint) => join.join_operator = JoinOperator::LeftAnti(constraint.clone()),
            _ => {}
        }
    }
    while let Some(at) = tables.joins.iter().position(|join| join.global) {
        let rest = tables.joins.split_off(at + 1);
        let Some(mut join) = tables.joins.pop() else { return };
        if let JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint) = &mut join.join_operator
            && let JoinConstraint::Using(columns) = &*constraint
        {
            let names = columns.iter().filter_map(|name| name.0.last()?.as_ident());
            let names = names.map(|name| {
                let name = IdentNormalizer::new(true).normalize(name.clone());
                Expr::value(Value::SingleQuotedString(name))
            });
            *constraint = JoinConstraint::On(call(USING, names.collect()));
        }
        let wrapped = |tables| TableFactor::NestedJoin { table_with_joins: Box::new(tables), alias: None };
        let first =
            TableWithJoins { relation: tables.relation.clone(), joins: std::mem::take(&mut tables.joins) };
        let left = if first.joins.is_empty() { first.relation } else { wrapped(first) };
        tables.relation = wrapped(TableWithJoins { relation: left, joins: vec![join] });
        tables.joins = rest;
    }
}

/// Returns the columns of the USING of an ASOF join that a condition stands for.
pub(in crate::plan) fn asof_columns(condition: &Expr) -> Option<Vec<String>> {
    let Expr::Function(call) = condition else { return None };
    let FunctionArguments::List(list) = &call.args else { return None };
    if call.name.to_string() != USING {
        return None;
    }
    let names = list.args.iter().map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value))) => value.value.clone().into_string(),
        _ => None,
    });
    names.collect()
}
