//! Names of columns that are expressions: their text, as the statement has it.

use std::convert::Infallible;
use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    AccessExpr, ArrayElemTypeDef, DataType, Expr, Ident, Query, SelectItem, SetExpr, Statement,
    StructBracketKind, TableFactor, VisitorMut,
};

use crate::plan::sql::names::stars;
use crate::plan::sql::parse::POWER_CALL;
use crate::plan::sql::walk::WalkMut;

/// Names each column that is an expression by the text of it. DataFusion's own names have its types
/// in them: `Int64(1)` for 1.
///
/// The SELECTs of a result, of common tables and of FROM have titles; those in expressions have
/// none that a statement could use.
pub(in crate::plan::sql) fn write_out(statement: &mut Statement) {
    let query = match statement {
        Statement::Query(query) => query,
        _ => return,
    };
    in_query(query);
    let ControlFlow::Continue(()) = query.walk_mut(&mut InTables);
}

/// Names the columns of the queries in FROM and of common tables.
struct InTables;

impl VisitorMut for InTables {
    type Break = Infallible;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Infallible> {
        for table in query.with.iter_mut().flat_map(|with| &mut with.cte_tables) {
            in_query(&mut table.query);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, table: &mut TableFactor) -> ControlFlow<Infallible> {
        if let TableFactor::Derived { subquery, .. } = table {
            in_query(subquery);
        }
        ControlFlow::Continue(())
    }
}

/// Names the columns of a query: of both sides of a set operation, since each is planned alone.
fn in_query(query: &mut Query) {
    let mut parts = vec![query.body.as_mut()];
    while let Some(part) = parts.pop() {
        match part {
            SetExpr::Select(select) => select.projection.iter_mut().for_each(name),
            SetExpr::Query(query) => parts.push(query.body.as_mut()),
            SetExpr::SetOperation { left, right, .. } => parts.extend([&mut **left, &mut **right]),
            _ => {}
        }
    }
}

fn name(item: &mut SelectItem) {
    let SelectItem::UnnamedExpr(expr) = item else { return };
    let title = match &*expr {
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => return,
        // these stand for any number of columns
        expr if stars::has_pattern(expr) || is_unnest(expr) => return,
        // a field has its own name
        Expr::CompoundFieldAccess { access_chain, .. } => match access_chain.last() {
            Some(AccessExpr::Dot(Expr::Identifier(field))) => field.value.clone(),
            _ => expr.to_string(),
        },
        expr => text(expr),
    };
    *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias: Ident::with_quote('"', title) };
}

/// Returns the text of an expression, with the fields of STRUCT types in parentheses.
pub(super) fn text(expr: &Expr) -> String {
    let mut expr = expr.clone();
    let ControlFlow::Continue(()) = expr.walk_mut(&mut Parentheses);
    expr.to_string().replace(POWER_CALL, "power")
}

struct Parentheses;

impl VisitorMut for Parentheses {
    type Break = Infallible;

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Infallible> {
        if let Expr::Cast { data_type, .. } = expr {
            in_parentheses(data_type);
        }
        ControlFlow::Continue(())
    }
}

fn in_parentheses(data_type: &mut DataType) {
    match data_type {
        DataType::Struct(fields, kind) => {
            *kind = StructBracketKind::Parentheses;
            fields.iter_mut().for_each(|field| in_parentheses(&mut field.field_type));
        }
        DataType::Array(
            ArrayElemTypeDef::AngleBracket(item)
            | ArrayElemTypeDef::SquareBracket(item, _)
            | ArrayElemTypeDef::Parenthesis(item),
        ) => in_parentheses(item),
        DataType::Map(key, value) => [key, value].into_iter().for_each(|part| in_parentheses(part)),
        _ => {}
    }
}

/// Returns whether an expression is a call of `unnest`, which has a column for each field of a
/// struct.
fn is_unnest(expr: &Expr) -> bool {
    matches!(expr, Expr::Function(call) if call.name.to_string().eq_ignore_ascii_case("unnest"))
}
