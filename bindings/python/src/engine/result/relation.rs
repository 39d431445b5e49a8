//! Queries over a result, and files of its rows.

use std::sync::Arc;

use arrow::datatypes::Schema;
use arrow::record_batch::RecordBatch;
use pelton::Clause;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::QueryResult;
use crate::engine::export::with_schema;
use crate::engine::handle::Handle;
use crate::engine::statement::Statement;
use crate::engine::tables::quoted;
use crate::engine::values::repeated;
use crate::error::{Kind, raise};

/// Name of the rows in queries over them.
const ROWS: &str = "rows";

/// Name of a table of kept rows, which is no user's.
const KEPT: &str = "rows that a result keeps";

/// First words of statements that can be a part of a query.
const QUERIES: [&str; 5] = ["SELECT", "FROM", "WITH", "VALUES", "TABLE"];

/// A result as a table of another query.
struct Table {
    handle: Arc<Handle>,
    /// The text after FROM.
    text: String,
    /// A statement with the parameters in the text.
    statement: Statement,
}

impl Table {
    /// Starts a query over the table.
    fn query(self, py: Python<'_>, sql: impl FnOnce(&str) -> String) -> PyResult<QueryResult> {
        QueryResult::start(py, self.handle, self.statement.around(&sql(&self.text)))
    }
}

impl QueryResult {
    /// Returns the rows that the result has kept; else the query in parentheses, or the rows of a
    /// statement that no parentheses can have, such as SHOW TABLES.
    fn table(&self, py: Python<'_>) -> PyResult<Table> {
        if let Some(batches) = self.kept(py)? {
            return self.table_of(py, batches);
        }
        let sql = self.statement.sql().trim().trim_end_matches(';');
        let word: String = sql.chars().take_while(char::is_ascii_alphabetic).collect();
        let is_query = sql.starts_with('(') || QUERIES.contains(&word.to_ascii_uppercase().as_str());
        // a semicolon may be the statement's end, with a comment behind it
        if !is_query || sql.contains(';') {
            return self.table_of(py, self.complete(py)?.1);
        }
        // on lines of its own, so that a comment at its end ends there
        let text = format!("(\n{sql}\n) AS {ROWS}");
        Ok(Table { handle: self.handle.clone(), text, statement: self.statement.clone() })
    }

    /// Returns kept rows. Columns that share a name get it by a query, since a table has it once.
    fn table_of(&self, py: Python<'_>, batches: Vec<RecordBatch>) -> PyResult<Table> {
        self.handle.check_open(py)?;
        let handle = self.handle.branch(py, false)?;
        let (schema, mut text) = (&self.schema, format!("{} AS {ROWS}", quoted(KEPT)));
        let numbered = schema.fields().iter().enumerate();
        let numbered = numbered.map(|(at, field)| field.as_ref().clone().with_name(format!("c{at}")));
        let mut table = schema.clone();
        if repeated(schema.fields().iter().map(|field| field.name().as_str())).is_some() {
            table = Arc::new(Schema::new(numbered.collect::<Vec<_>>()));
            let names = schema.fields().iter().enumerate();
            let names = names.map(|(at, field)| format!("c{at} AS {}", quoted(field.name())));
            let names: Vec<_> = names.collect();
            text = format!("(SELECT {} FROM {}) AS {ROWS}", names.join(", "), quoted(KEPT));
        }
        let batches = batches.iter().map(|batch| with_schema(batch, &table)).collect::<Result<_, _>>();
        let batches = batches.map_err(|error| Kind::Error.error(py, error))?;
        let registered = handle.engine(py)?.register_batches(KEPT, table, batches);
        registered.map_err(|error| raise(py, &error))?;
        Ok(Table { handle, text, statement: Statement::from(String::new()) })
    }

    /// Returns the rows that meet a condition.
    ///
    /// # Errors
    /// The condition is not one expression, or the query does not plan.
    pub(super) fn filtered(&self, py: Python<'_>, condition: &str) -> PyResult<Self> {
        Clause::Where.check(condition).map_err(|error| raise(py, &error))?;
        self.table(py)?.query(py, |table| format!("SELECT * FROM {table} WHERE (\n{condition}\n)"))
    }

    /// Returns expressions of each row.
    ///
    /// # Errors
    /// The texts are no expressions, or the query does not plan.
    pub(super) fn projected(&self, py: Python<'_>, expressions: &[String]) -> PyResult<Self> {
        let expressions = listed(py, expressions, "project", Clause::Select)?;
        self.table(py)?.query(py, |table| format!("SELECT {expressions}\nFROM {table}"))
    }

    /// Returns aggregates, one row for each group. Without `groups`, rows are grouped by the
    /// expressions that are no aggregates.
    ///
    /// # Errors
    /// The texts are no expressions, or the query does not plan.
    pub(super) fn aggregated(
        &self,
        py: Python<'_>,
        expressions: &[String],
        groups: Option<&str>,
    ) -> PyResult<Self> {
        let expressions = listed(py, expressions, "aggregate", Clause::Select)?;
        let groups = groups.unwrap_or("ALL");
        Clause::GroupBy.check(groups).map_err(|error| raise(py, &error))?;
        self.table(py)?.query(py, |table| format!("SELECT {expressions}\nFROM {table} GROUP BY {groups}\n"))
    }

    /// Returns the rows in order.
    ///
    /// # Errors
    /// The texts are no expressions, or the query does not plan.
    pub(super) fn ordered(&self, py: Python<'_>, expressions: &[String]) -> PyResult<Self> {
        let expressions = listed(py, expressions, "order", Clause::OrderBy)?;
        self.table(py)?.query(py, |table| format!("SELECT * FROM {table} ORDER BY {expressions}\n"))
    }

    /// Returns the first rows after some others.
    ///
    /// # Errors
    /// The query does not plan.
    pub(super) fn limited(&self, py: Python<'_>, rows: i64, offset: i64) -> PyResult<Self> {
        self.table(py)?.query(py, |table| format!("SELECT * FROM {table} LIMIT {rows} OFFSET {offset}"))
    }

    /// Returns statistics of each column.
    ///
    /// # Errors
    /// The query does not plan.
    pub(super) fn described(&self, py: Python<'_>) -> PyResult<Self> {
        self.table(py)?.query(py, |table| format!("SUMMARIZE SELECT * FROM {table}"))
    }

    /// Writes the rows with COPY, and returns their number: kept ones, or those of the query, which
    /// runs for it.
    ///
    /// # Errors
    /// As COPY.
    pub(super) fn copied(&self, py: Python<'_>, place: &str, options: &str) -> PyResult<u64> {
        let place = place.replace('\'', "''");
        let copy = |table: &str| format!("COPY (SELECT * FROM {table}) TO '{place}' ({options})");
        Ok(self.table(py)?.query(py, copy)?.count(py)?.unwrap_or(0))
    }
}

/// Returns expressions as a list in SQL.
///
/// # Errors
/// There is none, or a text is something else.
fn listed(py: Python<'_>, expressions: &[String], method: &str, clause: Clause) -> PyResult<String> {
    if expressions.iter().all(|expression| expression.trim().is_empty()) {
        return Err(PyValueError::new_err(format!("{method} needs an expression, such as {method}(\"x\")")));
    }
    for expression in expressions {
        clause.check(expression).map_err(|error| raise(py, &error))?;
    }
    Ok(expressions.join("\n, "))
}
