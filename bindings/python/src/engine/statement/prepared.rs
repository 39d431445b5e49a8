//! `pelton.Prepared`: statements that are parsed once.

use std::sync::Arc;

use pelton::Parameters;
use pyo3::prelude::*;

use super::{Statement, parameters};
use crate::engine::handle::{ClosableHandle, Handle};
use crate::engine::result::QueryResult;
use crate::error::Kind;
use crate::wait::run;

/// A statement that was parsed once, for several executions with other values.
///
/// Tables are looked up, and the statement is planned, by each execution.
#[pyclass(frozen, module = "pelton", name = "Prepared")]
pub struct PreparedStatement {
    connection: Arc<ClosableHandle>,
    prepared: Arc<pelton::Prepared>,
}

impl PreparedStatement {
    /// Parses a statement.
    ///
    /// # Errors
    /// It does not parse, or the connection is closed.
    pub fn new(py: Python<'_>, connection: Arc<ClosableHandle>, sql: &str) -> PyResult<Self> {
        let prepared = prepared(py, &*connection.get(py)?, sql)?;
        Ok(Self { connection, prepared })
    }
}

fn prepared(py: Python<'_>, handle: &Handle, sql: &str) -> PyResult<Arc<pelton::Prepared>> {
    let (engine, sql) = (handle.engine(py)?.clone(), sql.to_owned());
    run(py, move || engine.prepare(&sql)).map(Arc::new)
}

#[pymethods]
impl PreparedStatement {
    /// Runs the statement with values for its parameters, as `Connection.execute`.
    #[pyo3(signature = (params = None, /))]
    fn execute(&self, py: Python<'_>, params: Option<&Bound<'_, PyAny>>) -> PyResult<QueryResult> {
        let statement = Statement::of_prepared(self.prepared.clone(), parameters(params)?);
        QueryResult::start(py, self.connection.get(py)?, statement)
    }

    /// Returns the statement's text.
    #[getter]
    fn sql(&self) -> &str {
        self.prepared.sql()
    }

    /// Returns the names of the parameters, without the `$`: "1", "2" and so on for those by
    /// position.
    #[getter]
    fn parameters(&self) -> Vec<String> {
        self.prepared.parameters()
    }

    fn __repr__(&self) -> String {
        format!("<pelton.Prepared {}>", self.prepared.sql())
    }
}

/// Executions that are run together: enough that planning takes less time than the rows.
const TOGETHER: usize = 1000;

/// Runs a statement that takes effect once with each of several values, and returns the number of
/// rows that it inserted or wrote.
///
/// # Errors
/// The statement is a query, or an execution fails; the effects of those before it stay.
pub fn execute_many(
    py: Python<'_>,
    handle: Arc<Handle>,
    sql: &str,
    several: &Bound<'_, PyAny>,
) -> PyResult<u64> {
    let many = Many { prepared: prepared(py, &handle, sql)?, handle };
    let (mut waiting, mut rows) = (Vec::with_capacity(TOGETHER), 0);
    for values in several.try_iter()? {
        match values.and_then(|values| parameters(Some(&values))) {
            Ok(values) => waiting.push(values),
            // after those before it
            Err(error) => return many.run(py, &waiting).and(Err(error)),
        }
        if waiting.len() == TOGETHER {
            rows += many.run(py, &waiting)?;
            waiting.clear();
        }
    }
    Ok(rows + many.run(py, &waiting)?)
}

/// Executions of one statement.
struct Many {
    handle: Arc<Handle>,
    prepared: Arc<pelton::Prepared>,
}

impl Many {
    /// Runs some of them: as one INSERT where that has the same effect, else one after the other.
    fn run(&self, py: Python<'_>, executions: &[Parameters]) -> PyResult<u64> {
        if let [_, _, ..] = executions
            && let Ok(Some(together)) = self.prepared.together(executions)
        {
            match self.one(py, Arc::new(together), Parameters::none()) {
                // one of them fails, and those before it are to stay
                Err(error) if Kind::Query.is(py, &error) || Kind::Data.is(py, &error) => {}
                done => return done,
            }
        }
        executions.iter().try_fold(0, |rows, values| {
            py.check_signals()?;
            Ok(rows + self.one(py, self.prepared.clone(), values.clone())?)
        })
    }

    fn one(&self, py: Python<'_>, prepared: Arc<pelton::Prepared>, values: Parameters) -> PyResult<u64> {
        let result = QueryResult::start(py, self.handle.clone(), Statement::of_prepared(prepared, values))?;
        match result.takes_effect() {
            true => Ok(result.count(py)?.unwrap_or(0)),
            false => {
                let what = "this is a query, and executemany is for statements such as INSERT: call execute for each";
                Err(Kind::Query.error(py, what))
            }
        }
    }
}
