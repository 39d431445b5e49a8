//! Aggregates of sorted distinct values: `array_agg(DISTINCT x ORDER BY x)`, `string_agg`.

use std::convert::Infallible;
use std::ops::ControlFlow;

use crate::plan::sql::walk::WalkMut;
use datafusion::sql::sqlparser::ast::{
    DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause,
    FunctionArguments, OrderByExpr, Statement, VisitorMut,
};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;

/// Sorts the list that such an aggregate makes. DataFusion sorts the rows once for all aggregates
/// of a query, and a DISTINCT aggregate does not reverse its list if they have another order.
pub(in crate::plan::sql) fn sort_lists(statement: &mut Statement) {
    let ControlFlow::Continue(()) = statement.walk_mut(&mut Aggregates);
}

struct Aggregates;

impl VisitorMut for Aggregates {
    type Break = Infallible;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Infallible> {
        if let Expr::Function(function) = expr
            && let Some(sorted) = sorted(function)
        {
            *expr = sorted;
        }
        ControlFlow::Continue(())
    }
}

fn sorted(function: &Function) -> Option<Expr> {
    let name = function.name.to_string().to_lowercase();
    let FunctionArguments::List(list) = &function.args else { return None };
    let is_distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
    let [FunctionArgumentClause::OrderBy(keys)] = list.clauses.as_slice() else { return None };
    let ([key], true, None) = (keys.as_slice(), is_distinct, &function.over) else { return None };
    let args: Option<Vec<&Expr>> = list.args.iter().map(plain).collect();
    let args = args?;
    if args.first() != Some(&&key.expr) {
        return None;
    }
    let (direction, nulls) = order(key);
    let filter = function.filter.as_ref();
    let text = match (name.as_str(), args.as_slice()) {
        ("array_agg", [value]) => {
            let filter = filter.map(|filter| format!(" FILTER (WHERE {filter})")).unwrap_or_default();
            format!("array_sort(array_agg(DISTINCT {value}){filter}, '{direction}', '{nulls}')")
        }
        ("string_agg", [value, separator]) => {
            let filter = filter.map(|filter| format!(" AND ({filter})")).unwrap_or_default();
            format!(
                "array_to_string(array_sort(array_agg(DISTINCT {value}) FILTER (WHERE {value} IS NOT NULL{filter}), \
                 '{direction}', '{nulls}'), {separator})"
            )
        }
        _ => return None,
    };
    Parser::new(&GenericDialect {}).try_with_sql(&text).and_then(|mut parser| parser.parse_expr()).ok()
}

fn plain(argument: &FunctionArg) -> Option<&Expr> {
    match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    }
}

/// Returns the order of a key as arguments of `array_sort`. NULL is greater than all values unless
/// the key says otherwise.
fn order(key: &OrderByExpr) -> (&'static str, &'static str) {
    let is_ascending = key.options.asc.unwrap_or(true);
    let nulls_first = key.options.nulls_first.unwrap_or(!is_ascending);
    let direction = if is_ascending { "ASC" } else { "DESC" };
    (direction, if nulls_first { "NULLS FIRST" } else { "NULLS LAST" })
}
