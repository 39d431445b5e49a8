//! Prepared statements.

use std::sync::Arc;

use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::DataType as SqlType;
use datafusion::sql::sqlparser::tokenizer::TokenWithSpan;

use crate::plan::statement::Copy;

/// A statement that was parsed, for values of its parameters.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The text that it was parsed from.
    sql: Arc<str>,
    pub(in crate::plan) statement: Statement,
    /// The COPY that the statement is the query of.
    pub(in crate::plan) copy: Option<Arc<Copy>>,
    /// The tokens of the SET that the statement has the parameters of.
    pub(in crate::plan) setting: Option<Arc<[TokenWithSpan]>>,
    /// Types of the first parameters, as PREPARE gives them.
    pub(in crate::plan) types: Vec<SqlType>,
}

impl Prepared {
    /// Returns a statement whose first parameters have some types, and the others those of their
    /// values.
    pub(in crate::plan) fn new(sql: &str, statement: Statement, types: Vec<SqlType>) -> Self {
        Self { sql: sql.into(), statement, copy: None, setting: None, types }
    }

    /// Returns a COPY with the statement as its query.
    pub(in crate::plan) fn with_copy(self, copy: Copy) -> Self {
        Self { copy: Some(Arc::new(copy)), ..self }
    }

    /// Returns a SET, RESET or PRAGMA with the statement for its parameters.
    pub(in crate::plan) fn with_setting(self, tokens: &[TokenWithSpan]) -> Self {
        Self { setting: Some(tokens.into()), ..self }
    }

    /// Returns the text that the statement was parsed from.
    pub fn sql(&self) -> &str {
        &self.sql
    }
}
