//! Prepared statements.

use std::sync::Arc;

use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::DataType as SqlType;

/// A statement that was parsed, for values of its parameters.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The text that it was parsed from.
    pub(in crate::plan) sql: Arc<str>,
    pub(in crate::plan) statement: Statement,
    /// Types of the first parameters, as PREPARE gives them.
    pub(in crate::plan) types: Vec<SqlType>,
}

impl Prepared {
    /// Returns a statement whose parameters have the types of their values.
    pub(in crate::plan) fn new(sql: &str, statement: Statement) -> Self {
        Self { sql: sql.into(), statement, types: Vec::new() }
    }
}
