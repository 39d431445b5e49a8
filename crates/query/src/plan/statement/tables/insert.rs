//! INSERT INTO a table in memory.

use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};
use datafusion::common::{Column, ScalarValue};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, cast};
use datafusion::sql::sqlparser::ast::{Insert, Statement as SqlStatement, TableObject};

use super::append::append;
use super::{column, count, count_schema, memory, table};
use crate::error::{Error, Result};
use crate::plan::catalog::{missing, refuse_equal_names};
use crate::plan::executable::Plan;
use crate::plan::rows::RowsExec;
use crate::plan::session::Session;

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
    let context = session.context.task_ctx();
    let (label, name) = (format!("INSERT INTO {name}"), name.clone());
    Ok(Arc::new(RowsExec::consuming(&label, input, count_schema(), move |rows| {
        let (memory, catalog, context) = (memory.clone(), catalog.clone(), context.clone());
        let (name, schema) = (name.clone(), schema.clone());
        async move {
            let (file, written) = memory.write(&name, &schema, rows).await?;
            if written > 0 {
                append(&catalog, &memory, &context, &name, file).await?;
            }
            count(written)
        }
    })))
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
