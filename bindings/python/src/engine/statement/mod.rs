//! Statements with values for their parameters, from text or prepared, and plans of other programs.

mod parameters;
mod prepared;
mod substrait;

use std::sync::Arc;

use pelton::{Engine, Parameters, Query, SubstraitOptions};
use pyo3::prelude::*;

pub use parameters::parameters;
pub use prepared::{PreparedStatement, execute_many};
pub use substrait::{from_substrait, to_substrait};

/// A statement that can be run, and run again.
#[derive(Clone)]
pub struct Statement {
    text: Text,
    parameters: Parameters,
}

#[derive(Clone)]
enum Text {
    Sql(Arc<str>),
    Prepared(Arc<pelton::Prepared>),
    /// A plan of another program, and the table that expressions are computed for.
    Substrait(Arc<[u8]>, Option<Arc<str>>),
}

impl Statement {
    /// Returns a statement with values of Python's for its parameters.
    ///
    /// # Errors
    /// `TypeError` or `ValueError` for objects that are no values.
    pub fn with_values(sql: &str, values: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        Ok(Self { text: Text::Sql(sql.into()), parameters: parameters(values)? })
    }

    /// Returns an execution of a prepared statement.
    pub fn of_prepared(prepared: Arc<pelton::Prepared>, parameters: Parameters) -> Self {
        Self { text: Text::Prepared(prepared), parameters }
    }

    /// Returns a plan of Substrait, or expressions over a table.
    pub fn of_substrait(plan: &[u8], over: Option<&str>) -> Self {
        Self { text: Text::Substrait(plan.into(), over.map(Arc::from)), parameters: Parameters::none() }
    }

    /// Returns a statement around this one's text, which has the same parameters.
    pub fn around(&self, sql: &str) -> Self {
        Self { text: Text::Sql(sql.into()), parameters: self.parameters.clone() }
    }

    /// Returns the text, which is empty for a plan of another program.
    pub fn sql(&self) -> &str {
        match &self.text {
            Text::Sql(sql) => sql,
            Text::Prepared(prepared) => prepared.sql(),
            Text::Substrait(..) => "",
        }
    }

    /// Plans it and starts it.
    ///
    /// # Errors
    /// As [`Engine::query_with`].
    pub fn start(&self, engine: &Engine) -> pelton::Result<Query> {
        match &self.text {
            Text::Sql(sql) => engine.query_with(sql, &self.parameters),
            Text::Prepared(prepared) => engine.execute(prepared, &self.parameters),
            Text::Substrait(plan, over) => {
                engine.substrait_with(plan, SubstraitOptions { over: over.as_deref(), explain: false })
            }
        }
    }
}

impl From<String> for Statement {
    fn from(sql: String) -> Self {
        Self { text: Text::Sql(sql.into()), parameters: Parameters::none() }
    }
}
