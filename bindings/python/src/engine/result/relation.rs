//! Queries over a result, and files of its rows.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use pelton::check_condition;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::QueryResult;
use crate::engine::handle::Handle;
use crate::engine::statement::Statement;
use crate::error::raise;

/// Name of the rows in queries over them.
const ROWS: &str = "rows";

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
    /// Returns the query in parentheses; the rows of a statement that no parentheses can have, such
    /// as SHOW TABLES.
    fn table(&self, py: Python<'_>) -> PyResult<Table> {
        let sql = self.statement.sql().trim();
        let word: String = sql.chars().take_while(char::is_ascii_alphabetic).collect();
        if !sql.starts_with('(') && !QUERIES.contains(&word.to_ascii_uppercase().as_str()) {
            return self.table_of(py, self.complete(py)?.1);
        }
        // on lines of its own, so that a comment at its end ends there
        let text = format!("(\n{}\n) AS {ROWS}", sql.trim_end_matches(';'));
        Ok(Table { handle: self.handle.clone(), text, statement: self.statement.clone() })
    }

    fn table_of(&self, py: Python<'_>, batches: Vec<RecordBatch>) -> PyResult<Table> {
        let handle = self.handle.branch(py, false)?;
        let registered = handle.engine(py)?.register_batches(ROWS, self.schema.clone(), batches);
        registered.map_err(|error| raise(py, &error))?;
        Ok(Table { handle, text: ROWS.to_owned(), statement: Statement::from(String::new()) })
    }

    /// Returns the rows that meet a condition.
    ///
    /// # Errors
    /// The condition is not one expression, or the query does not plan.
    pub(super) fn filtered(&self, py: Python<'_>, condition: &str) -> PyResult<Self> {
        check_condition(condition).map_err(|error| raise(py, &error))?;
        self.table(py)?.query(py, |table| format!("SELECT * FROM {table} WHERE (\n{condition}\n)"))
    }

    /// Returns expressions of each row.
    ///
    /// # Errors
    /// The query does not plan.
    pub(super) fn projected(&self, py: Python<'_>, expressions: &[String]) -> PyResult<Self> {
        let expressions = listed(expressions, "project")?;
        self.table(py)?.query(py, |table| format!("SELECT {expressions}\nFROM {table}"))
    }

    /// Returns aggregates, one row for each group. Without `groups`, rows are grouped by the
    /// expressions that are no aggregates.
    ///
    /// # Errors
    /// The query does not plan.
    pub(super) fn aggregated(
        &self,
        py: Python<'_>,
        expressions: &[String],
        groups: Option<&str>,
    ) -> PyResult<Self> {
        let (expressions, groups) = (listed(expressions, "aggregate")?, groups.unwrap_or("ALL"));
        self.table(py)?.query(py, |table| format!("SELECT {expressions}\nFROM {table} GROUP BY {groups}\n"))
    }

    /// Returns the rows in order.
    ///
    /// # Errors
    /// The query does not plan.
    pub(super) fn ordered(&self, py: Python<'_>, expressions: &[String]) -> PyResult<Self> {
        let expressions = listed(expressions, "order")?;
        self.table(py)?.query(py, |table| format!("SELECT * FROM {table} ORDER BY {expressions}\n"))
    }

    /// Returns the first rows after some others.
    ///
    /// # Errors
    /// The query does not plan.
    pub(super) fn limited(&self, py: Python<'_>, rows: u64, offset: u64) -> PyResult<Self> {
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
        let table = match self.kept(py)? {
            Some(batches) => self.table_of(py, batches)?,
            None => self.table(py)?,
        };
        let place = place.replace('\'', "''");
        let copy = |table: &str| format!("COPY (SELECT * FROM {table}) TO '{place}' ({options})");
        Ok(table.query(py, copy)?.count(py)?.unwrap_or(0))
    }
}

/// Returns expressions as a list in SQL.
fn listed(expressions: &[String], method: &str) -> PyResult<String> {
    if expressions.iter().all(|expression| expression.trim().is_empty()) {
        return Err(PyValueError::new_err(format!("{method} needs an expression, such as {method}(\"x\")")));
    }
    Ok(expressions.join("\n, "))
}
