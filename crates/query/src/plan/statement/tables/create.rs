//! CREATE TABLE, with the rows of a query or without.

use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};
use datafusion::common::DFSchema;
use datafusion::logical_expr::{DdlStatement, EmptyRelation, LogicalPlan};
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::{ColumnDef, ColumnOption, CreateTable, Statement as SqlStatement};
use pelton_pages::check_columns;

use super::{count, count_schema, insert, memory, storable};
use crate::error::{Error, Result};
use crate::plan::catalog::{Entry, Existing, numbered, refuse_equal_names};
use crate::plan::executable::Plan;
use crate::plan::rows::RowsExec;
use crate::plan::session::Session;
use crate::table::{PeltonTable, TableFiles};

/// Plans CREATE TABLE.
///
/// # Errors
/// The query can't be planned, or the table has parts that are not supported.
pub(in crate::plan::statement) async fn plan(
    session: &Session,
    sql: &str,
    mut table: CreateTable,
) -> Result<Plan> {
    let name = super::name(&table.name)?;
    let existing = match (table.or_replace, table.if_not_exists) {
        (true, true) => {
            return Err(Error::Query(
                "OR REPLACE and IF NOT EXISTS exclude each other: write one".to_owned(),
            ));
        }
        (true, false) => Existing::Replace,
        (false, true) => Existing::Keep,
        (false, false) => Existing::Refuse,
    };
    refuse_constraints(&name, &table)?;
    let columns = std::mem::take(&mut table.columns);
    match table.query.take() {
        Some(query) => {
            let query = session.logical(sql, SqlStatement::Query(query)).await?;
            if !columns.is_empty() {
                return Err(Error::Query(format!(
                    "{name} has the columns of its query: name and cast them there, as in CREATE TABLE {name} AS \
                     SELECT CAST(x AS INT) AS y ..."
                )));
            }
            let titles = numbered(query.schema().fields().iter().map(|field| field.name().clone()));
            let (input, schema) = stored(query, &titles)?;
            filled(session, &name, existing, input, schema, Made::OfQuery).await
        }
        None => {
            let schema = columns_of(session, table, columns).await?;
            refuse_equal_names(&name, schema.fields().iter().map(|field| field.name()))?;
            let fields = Arc::new(DFSchema::try_from(schema.clone())?);
            let none = LogicalPlan::EmptyRelation(EmptyRelation { produce_one_row: false, schema: fields });
            filled(session, &name, existing, none, schema, Made::Empty).await
        }
    }
}

/// The origin of a table's rows.
#[derive(Clone)]
pub(super) enum Made {
    /// A query. The statement returns the number of rows.
    OfQuery,
    /// A definition of columns.
    Empty,
    /// The table of these files, which the new one replaces.
    OfTable(Arc<TableFiles>),
}

/// Checks that a table has the files that another one was made of.
///
/// # Errors
/// It was changed since.
fn unchanged(name: &str, now: &Entry, files: &Arc<TableFiles>) -> Result<()> {
    match Arc::ptr_eq(super::table(name, now)?.files(), files) {
        true => Ok(()),
        false => Err(Error::Execution(format!(
            "{name} was changed by another statement meanwhile: run this one again"
        ))),
    }
}

/// Plans a table with the rows of a plan.
///
/// # Errors
/// The plan can't be executed, or Parquet, which tables are stored as, lacks a column's type.
pub(super) async fn filled(
    session: &Session,
    name: &str,
    existing: Existing,
    input: LogicalPlan,
    schema: SchemaRef,
    made: Made,
) -> Result<Plan> {
    check_columns(&schema).map_err(|what| Error::Query(format!("{name}: {what}")))?;
    let input = session.plan(&input).await?;
    let (memory, scan, catalog) = (Arc::new(memory(session)), session.scan.clone(), session.catalog.clone());
    let counts = matches!(made, Made::OfQuery);
    let result = if counts { count_schema() } else { Arc::new(Schema::empty()) };
    let (label, name) = (format!("CREATE TABLE {name}"), name.to_owned());
    let of_rows = result.clone();
    Ok(Arc::new(RowsExec::consuming(&label, input, result, move |rows| {
        let (memory, scan, catalog) = (memory.clone(), scan.clone(), catalog.clone());
        let (name, schema, result, made) = (name.clone(), schema.clone(), of_rows.clone(), made.clone());
        async move {
            let mut written = 0;
            // before the rows are computed, and again with them
            if catalog.takes(&name, "TABLE", existing)? {
                let (file, number) = memory.write(&name, &schema, rows).await?;
                let table = PeltonTable::in_memory(&name, [file], scan)?;
                let table = Entry::Table(Arc::new(table));
                match &made {
                    Made::OfTable(old) => {
                        catalog.change(&name, |now| unchanged(&name, now, old).map(|()| table))?
                    }
                    Made::OfQuery | Made::Empty => catalog.create(&name, table, existing)?,
                }
                written = number;
            }
            match result.fields().is_empty() {
                true => Ok(arrow::array::RecordBatch::new_empty(result)),
                false => count(written),
            }
        }
    })))
}

/// Returns the plan and the columns of a table that stores the rows of a query, under other titles.
///
/// # Errors
/// A column can't be converted.
pub(super) fn stored(query: LogicalPlan, titles: &[String]) -> Result<(LogicalPlan, SchemaRef)> {
    let schema = storable(query.schema().as_arrow());
    let fields = schema.fields().iter().zip(titles);
    let fields = fields.map(|(field, title)| field.as_ref().clone().with_name(title)).collect::<Vec<_>>();
    let schema = Arc::new(Schema::new(fields));
    let order: Vec<Option<usize>> = (0..titles.len()).map(Some).collect();
    Ok((insert::converted(query, &schema, &order)?, schema))
}

/// Returns the columns that a statement without a query defines.
async fn columns_of(session: &Session, mut table: CreateTable, columns: Vec<ColumnDef>) -> Result<SchemaRef> {
    if columns.is_empty() {
        return Err(Error::Query(format!(
            "{} has no column: write CREATE TABLE {} (name TYPE, ...)",
            table.name, table.name
        )));
    }
    table.columns = columns;
    let statement = Statement::Statement(Box::new(SqlStatement::CreateTable(table)));
    match session.context.state().statement_to_plan(statement).await? {
        LogicalPlan::Ddl(DdlStatement::CreateMemoryTable(create)) => {
            Ok(Arc::new(create.input.schema().as_arrow().clone()))
        }
        other => Err(Error::Internal(format!("CREATE TABLE was planned as {}", other.display()))),
    }
}

/// Refuses the parts of a definition that would not be enforced.
fn refuse_constraints(name: &str, table: &CreateTable) -> Result<()> {
    let refused = |what: &str, instead: &str| {
        Err(Error::Query(format!("{name}: {what} is not supported in tables: {instead}")))
    };
    if let Some(constraint) = table.constraints.first() {
        return refused(&format!("{constraint}"), "leave it out; NOT NULL is checked");
    }
    if table.like.is_some() {
        return refused("LIKE", "write CREATE TABLE ... AS SELECT * FROM other LIMIT 0");
    }
    for column in &table.columns {
        for option in &column.options {
            let instead = match &option.option {
                ColumnOption::Null | ColumnOption::NotNull => continue,
                ColumnOption::Default(_) => "leave it out, and give the value in INSERT",
                ColumnOption::Generated { .. } => "leave it out, and write a view that computes the column",
                _ => "leave it out; NOT NULL is checked",
            };
            return refused(&format!("{} of column {}", option.option, column.name), instead);
        }
    }
    Ok(())
}
