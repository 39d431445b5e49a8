//! Calls of table functions over files, which become names of tables.
//!
//! The catalog makes the table of such a name, as it does for the place of a file.

use std::collections::HashSet;
use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, Ident, ObjectName, ObjectNamePart, Query, Select, SelectItem,
    SetExpr, Statement, TableAlias, TableFactor, TableFunctionArgs, TableWithJoins, Value, VisitorMut,
};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;

use crate::error::{Error, Result};
use crate::plan::file_functions::FUNCTIONS;
use crate::plan::sql::walk::WalkMut;

/// Turns every call into the name of a table.
///
/// # Errors
/// `columns` of `read_parquet` is no list of names.
pub(in crate::plan::sql) fn name(statement: &mut Statement) -> Result<()> {
    match statement.walk_mut(&mut Calls) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(error) => Err(error),
    }
}

struct Calls;

impl VisitorMut for Calls {
    type Break = Error;

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Error> {
        let mut taken = HashSet::new();
        for table in &mut select.from {
            in_joins(table, &mut taken)?;
        }
        ControlFlow::Continue(())
    }

    // tables of statements other than SELECT
    fn pre_visit_table_factor(&mut self, table: &mut TableFactor) -> ControlFlow<Error> {
        in_factor(table, &mut HashSet::new())
    }
}

fn in_joins(table: &mut TableWithJoins, taken: &mut HashSet<String>) -> ControlFlow<Error> {
    in_factor(&mut table.relation, taken)?;
    table.joins.iter_mut().try_for_each(|join| in_factor(&mut join.relation, taken))
}

fn in_factor(table: &mut TableFactor, taken: &mut HashSet<String>) -> ControlFlow<Error> {
    match table {
        TableFactor::NestedJoin { table_with_joins, .. } => in_joins(table_with_joins, taken),
        TableFactor::Table { name, args: Some(args), alias, .. } => {
            let Some(function) = function(name) else { return ControlFlow::Continue(()) };
            let alias = alias.take().unwrap_or_else(|| unused_alias(&function, taken));
            let columns = match function.as_str() {
                "read_parquet" | "parquet_scan" => match columns(args) {
                    Ok(columns) => columns,
                    Err(error) => return ControlFlow::Break(error),
                },
                _ => None,
            };
            let columns = columns.map(|mut columns| {
                let added = added_columns(args).into_iter().filter(|name| !columns.contains(name));
                let added: Vec<String> = added.collect();
                columns.extend(added);
                columns
            });
            let args: Vec<String> = args.args.iter().map(ToString::to_string).collect();
            let call = Ident::with_quote('"', format!("{function}({})", args.join(", ")));
            match columns {
                None => *table = named(call, Some(alias)),
                Some(columns) => match projection(call, columns) {
                    Ok(subquery) => {
                        let (lateral, subquery, alias) = (false, Box::new(subquery), Some(alias));
                        *table = TableFactor::Derived { lateral, subquery, alias, sample: None };
                    }
                    Err(error) => return ControlFlow::Break(error),
                },
            }
            ControlFlow::Continue(())
        }
        _ => ControlFlow::Continue(()),
    }
}

/// Returns whether a name is that of a function over files.
pub(in crate::plan) fn is_file_function(name: &ObjectName) -> bool {
    function(name).is_some()
}

/// Returns the function that a name calls, in lower case.
fn function(name: &ObjectName) -> Option<String> {
    let [ObjectNamePart::Identifier(name)] = name.0.as_slice() else { return None };
    let lower = name.value.to_ascii_lowercase();
    FUNCTIONS.contains(&lower.as_str()).then_some(lower)
}

/// Returns a function's name as an alias, with a number if another call has it.
fn unused_alias(function: &str, taken: &mut HashSet<String>) -> TableAlias {
    let numbered = (2..).map(|number| format!("{function}_{number}"));
    let mut names = std::iter::once(function.to_owned()).chain(numbered);
    let name = names.find(|name| taken.insert(name.clone())).unwrap_or_default();
    TableAlias { explicit: true, name: Ident::with_quote('"', name), columns: Vec::new(), at: None }
}

fn named(name: Ident, alias: Option<TableAlias>) -> TableFactor {
    TableFactor::Table {
        name: ObjectName(vec![ObjectNamePart::Identifier(name)]),
        alias,
        args: None,
        with_hints: Vec::new(),
        version: None,
        with_ordinality: false,
        partitions: Vec::new(),
        json_path: None,
        sample: None,
        index_hints: Vec::new(),
    }
}

/// Removes the argument `columns`: a list of names.
fn columns(args: &mut TableFunctionArgs) -> Result<Option<Vec<String>>> {
    let is_named = |arg: &FunctionArg| match arg {
        FunctionArg::Named { name, .. } => name.value.eq_ignore_ascii_case("columns"),
        FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::BinaryOp { left, .. })) => {
            matches!(left.as_ref(), Expr::Identifier(name) if name.value.eq_ignore_ascii_case("columns"))
        }
        _ => false,
    };
    let Some(at) = args.args.iter().position(is_named) else { return Ok(None) };
    let list = match args.args.remove(at) {
        FunctionArg::Named { arg: FunctionArgExpr::Expr(Expr::Array(list)), .. } => Some(list),
        FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::BinaryOp { right, .. })) => match *right {
            Expr::Array(list) => Some(list),
            _ => None,
        },
        _ => None,
    };
    let text = |expr: Expr| match expr {
        Expr::Value(value) => match value.value {
            Value::SingleQuotedString(text) => Some(text),
            _ => None,
        },
        _ => None,
    };
    let names = list.and_then(|list| list.elem.into_iter().map(text).collect::<Option<Vec<_>>>());
    let names = names.filter(|names| !names.is_empty());
    let wrong =
        || Error::Query("read_parquet: columns is a list of names: columns := ['id', 'name']".to_owned());
    names.map(Some).ok_or_else(wrong)
}

/// Returns the names of the columns that options of `read_parquet` add: the option's own for true,
/// or the given one.
fn added_columns(args: &TableFunctionArgs) -> Vec<String> {
    let added = args.args.iter().filter_map(|arg| {
        let (name, value) = match arg {
            FunctionArg::Named { name, arg: FunctionArgExpr::Expr(value), .. } => (name, value),
            FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::BinaryOp { left, right, .. })) => {
                match left.as_ref() {
                    Expr::Identifier(name) => (name, right.as_ref()),
                    _ => return None,
                }
            }
            _ => return None,
        };
        let name = name.value.to_ascii_lowercase();
        let Expr::Value(value) = value else { return None };
        match &value.value {
            _ if !["filename", "file_row_number"].contains(&name.as_str()) => None,
            Value::Boolean(true) => Some(name),
            Value::SingleQuotedString(text) => Some(text.clone()),
            _ => None,
        }
    });
    added.collect()
}

/// Returns a query of some columns of a table.
fn projection(table: Ident, columns: Vec<String>) -> Result<Query> {
    let internal = |what: &str| Error::Internal(format!("a query of columns does not parse: {what}"));
    let parsed = Parser::new(&GenericDialect {}).try_with_sql("SELECT * FROM t");
    let parsed = parsed.and_then(|mut parser| parser.parse_query()).map_err(|e| internal(&e.to_string()))?;
    let mut query = *parsed;
    let SetExpr::Select(select) = query.body.as_mut() else { return Err(internal("no SELECT")) };
    let item = |name| SelectItem::UnnamedExpr(Expr::Identifier(Ident::with_quote('"', name)));
    select.projection = columns.into_iter().map(item).collect();
    select.from = vec![TableWithJoins { relation: named(table, None), joins: Vec::new() }];
    Ok(query)
}
