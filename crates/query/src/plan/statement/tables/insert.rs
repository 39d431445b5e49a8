//! INSERT INTO a table in memory.

use std::any::Any;
use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};
use datafusion::common::{Column, ScalarValue};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, cast};
use datafusion::sql::sqlparser::ast::{Insert, Statement as SqlStatement, TableObject};

use super::{column, count, count_schema, memory};
use crate::error::{Error, Result};
use crate::plan::catalog::{Entry, missing, refuse_equal_names};
use crate::plan::executable::Plan;
use crate::plan::rows::RowsExec;
use crate::plan::session::Session;
use crate::table::PeltonTable;

/// Plans INSERT INTO.
///
/// # Errors
/// The table takes no rows, the query can't be planned, or its columns do not fit.
pub(in crate::plan::statement) async fn plan(session: &Session, sql: &str, insert: Insert) -> Result<Plan> {
    let name = match &insert.table {
        TableObject::TableName(name) => super::name(name)?,
        other => return Err(Error::Query(format!("INSERT INTO {other}: write the name of a table"))),
    };
    refuse_clauses(&name, &insert)?;
    let entry = session.catalog.get(&name).ok_or_else(|| missing(&name))?;
    let schema = table(&name, &entry)?.files().schema.clone();
    let Some(source) = insert.source else {
        return Err(Error::Query(format!("INSERT INTO {name} has no rows: write VALUES (...) or a query")));
    };
    let columns = insert.columns.iter().map(|name| match name.0.as_slice() {
        [part] => part.as_ident().cloned().map(column),
        _ => None,
    });
    let columns: Option<Vec<String>> = columns.collect();
    let columns = columns
        .ok_or_else(|| Error::Query(format!("INSERT INTO {name}: write the columns without their table")))?;
    let query = session.logical(sql, SqlStatement::Query(source)).await?;
    let order = order(&name, &schema, &columns, query.schema().fields().len())?;
    let input = session.plan(&converted(query, &schema, &order)?).await?;

    let (memory, catalog) = (Arc::new(memory(session)), session.catalog.clone());
    let (label, name) = (format!("INSERT INTO {name}"), name.clone());
    Ok(Arc::new(RowsExec::consuming(&label, input, count_schema(), move |rows| {
        let (memory, catalog) = (memory.clone(), catalog.clone());
        let (name, schema) = (name.clone(), schema.clone());
        async move {
            let (file, written) = memory.write(&name, &schema, rows).await?;
            if written > 0 {
                catalog.change(&name, |entry| {
                    let table = table(&name, entry)?;
                    match table.files().schema == schema {
                        true => Ok(Entry::Table(Arc::new(table.with_file(&name, file)?))),
                        false => Err(Error::Execution(format!(
                            "{name} was replaced by a table with other columns during the INSERT: run it again"
                        ))),
                    }
                })?;
            }
            count(written)
        }
    })))
}

/// Returns the table in memory of an entry.
///
/// # Errors
/// The entry is something else.
pub(super) fn table<'a>(name: &str, entry: &'a Entry) -> Result<&'a PeltonTable> {
    let refused = |what: &str| {
        Err(Error::Query(format!(
            "{name} is {what}: rows are inserted into tables made by CREATE TABLE; write CREATE TABLE other AS \
             FROM {name}, or COPY (SELECT ...) TO a further file"
        )))
    };
    let provider = match entry {
        Entry::Table(provider) => provider,
        Entry::View(_) => return refused("a view"),
    };
    let provider: &dyn Any = provider.as_ref();
    match provider.downcast_ref::<PeltonTable>() {
        Some(table) if table.is_in_memory() => Ok(table),
        Some(_) => refused("a table of files, which stay as they are"),
        None => refused("a table of rows that belong to the program around"),
    }
}

/// Returns a plan with the columns of a table: for each, the column of the query in `order`, or
/// NULL.
///
/// # Errors
/// The conversion can't be planned.
pub(super) fn converted(
    query: LogicalPlan,
    schema: &SchemaRef,
    order: &[Option<usize>],
) -> Result<LogicalPlan> {
    let found: Vec<Column> = query.schema().columns();
    let types: Vec<_> = query.schema().fields().iter().map(|field| field.data_type().clone()).collect();
    let columns = schema.fields().iter().zip(order).map(|(field, from)| {
        let value = match from.and_then(|from| found.get(from).cloned().zip(types.get(from))) {
            Some((column, data_type)) if data_type == field.data_type() => Expr::Column(column),
            Some((column, _)) => cast(Expr::Column(column), field.data_type().clone()),
            None => cast(Expr::Literal(ScalarValue::Null, None), field.data_type().clone()),
        };
        value.alias(field.name())
    });
    let columns: Vec<Expr> = columns.collect();
    Ok(LogicalPlanBuilder::from(query).project(columns)?.build()?)
}

/// Returns, for each column of a table, the position of its value in the rows that are inserted.
fn order(table: &str, schema: &Schema, named: &[String], found: usize) -> Result<Vec<Option<usize>>> {
    let own = schema.fields();
    let expected = if named.is_empty() { own.len() } else { named.len() };
    if found != expected {
        return Err(Error::Query(format!(
            "INSERT INTO {table}: the rows have {found} values, and {expected} columns are to be filled"
        )));
    }
    if named.is_empty() {
        return Ok((0..own.len()).map(Some).collect());
    }
    refuse_equal_names(&format!("the INSERT INTO {table}"), named)?;
    if let Some(unknown) = named.iter().find(|name| own.find(name).is_none()) {
        let columns: Vec<&str> = own.iter().map(|field| field.name().as_str()).collect();
        return Err(Error::Query(format!("{table} has no column {unknown}; it has {}", columns.join(", "))));
    }
    Ok(own.iter().map(|field| named.iter().position(|name| name == field.name())).collect())
}

fn refuse_clauses(name: &str, insert: &Insert) -> Result<()> {
    let refused = |what: &str, instead: &str| {
        Err(Error::Query(format!("INSERT INTO {name}: {what} is not supported: {instead}")))
    };
    if insert.overwrite || insert.replace_into {
        return refused("to overwrite", "write CREATE OR REPLACE TABLE ... AS SELECT ...");
    }
    if insert.or.is_some() || insert.on.is_some() || insert.ignore {
        return refused("ON CONFLICT", "tables have no keys; leave rows out in the query");
    }
    if insert.returning.is_some() || insert.output.is_some() {
        return refused("RETURNING", "select the rows by another statement");
    }
    if insert.partitioned.is_some() || !insert.assignments.is_empty() || insert.table_alias.is_some() {
        return refused("this form", "write INSERT INTO name (columns) VALUES (...), or a query");
    }
    Ok(())
}
