//! `pelton.Result`: the rows of a query. [`methods`] has its methods for Python, [`rows`] reads
//! rows as tuples, [`relation`] writes queries over it.

mod batches;
mod methods;
mod relation;
mod rows;
mod show;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::AsArray;
use arrow::compute::cast;
use arrow::datatypes::{DataType, SchemaRef, UInt64Type};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use pyo3::prelude::*;

use super::export::Rows;
use super::handle::Handle;
use super::running::{Running, ended, pull};
use super::statement::Statement;
use crate::error::{Kind, guarded};
use crate::error_checking_mutex::{ErrorCheckingGuard, ErrorCheckingMutex};
use crate::failure::{Failure, FirstFailure};
use crate::process::{ProcessLocal, forked};

use batches::Batches;
use rows::Rows as RowReader;
pub use show::escape;

/// The rows of a query.
///
/// They are computed while they are taken. `to_arrow`, `fetchall`, `len` and the like keep them, so
/// that they are computed once. A stream (`__arrow_c_stream__`), `iter_rows`, `fetchone`,
/// `fetchmany` and an iteration hand rows on as they come and keep none, so that a result may be
/// larger than memory; later uses of the result run the query again. Printing computes and keeps
/// only the printed rows. Statements such as INSERT run to their end at once. A query that fails
/// has every later use of its rows raise the same error.
///
/// `filter`, `project`, `aggregate`, `order` and `limit` write queries over this one.
#[pyclass(frozen, module = "pelton", name = "Result")]
pub struct QueryResult {
    handle: Arc<Handle>,
    statement: Statement,
    schema: SchemaRef,
    takes_effect: bool,
    /// Locked across waits, only through [`QueryResult::state`].
    state: ErrorCheckingMutex<State>,
    /// Rows that `fetchone` and `fetchmany` have begun to take. Locked only with the GIL, and never
    /// across a wait.
    fetched: Mutex<Option<Arc<RowReader>>>,
    /// Failure of the query, for this and all that read its rows.
    failed: FirstFailure,
}

/// Draws a table of the first rows, so many; the flag says whether the batches are all rows.
type Draw = fn(&SchemaRef, &[RecordBatch], usize, bool) -> Result<String, ArrowError>;

struct State {
    kept: Vec<RecordBatch>,
    running: Option<ProcessLocal<Running>>,
    /// Rows were handed on or lost, so that `kept` does not begin with the first.
    taken: bool,
}

impl State {
    /// Returns whether all rows are kept.
    fn is_complete(&self) -> bool {
        self.running.is_none() && !self.taken
    }
}

impl QueryResult {
    /// Starts a query. Another statement, such as INSERT, is run to its end, since nobody needs its
    /// rows.
    ///
    /// # Errors
    /// The query does not parse, or names an unknown table or column; the statement fails.
    pub fn start(py: Python<'_>, handle: Arc<Handle>, statement: Statement) -> PyResult<Self> {
        let running = handle.query(py, &statement)?;
        let schema = running.query.schema();
        let takes_effect = running.query.takes_effect();
        let state = State { kept: Vec::new(), running: Some(ProcessLocal::new(running)), taken: false };
        let state = ErrorCheckingMutex::new(state);
        let fetched = Mutex::default();
        let failed = FirstFailure::default();
        let result = QueryResult { handle, statement, schema, takes_effect, state, fetched, failed };
        if takes_effect {
            drop(result.keep(py, usize::MAX)?);
        }
        Ok(result)
    }

    /// Returns the state, once no other thread has it, with the query started again if its first
    /// rows are gone.
    ///
    /// # Errors
    /// The query has failed before, or it can't run, as the connection is closed.
    fn state(&self, py: Python<'_>) -> PyResult<ErrorCheckingGuard<'_, State>> {
        // In a child, another thread may have held the lock at the fork, and would never release
        // it.
        self.handle.engine(py)?;
        let mut state = self.state.take(py)?;
        if state.is_complete() {
            return Ok(state);
        }
        self.failed.check(py)?;
        self.handle.check_open(py)?;
        if state.taken {
            let running = self.handle.query(py, &self.statement)?;
            if running.query.schema() != self.schema {
                let what = "the query's columns have changed since it was first run; run it anew";
                return Err(Kind::Query.error(py, what));
            }
            *state = State { kept: Vec::new(), running: Some(ProcessLocal::new(running)), taken: false };
        }
        Ok(state)
    }

    /// Takes rows of the query until `rows` are kept, or it ends.
    fn keep<'a>(&'a self, py: Python<'_>, rows: usize) -> PyResult<ErrorCheckingGuard<'a, State>> {
        let mut state = self.state(py)?;
        let mut have: usize = state.kept.iter().map(RecordBatch::num_rows).sum();
        while have < rows {
            let State { kept, running, .. } = &mut *state;
            let Some(query) = running else { break };
            let query = query.get_mut().ok_or_else(|| forked(py))?;
            match pull(py, query, rows - have) {
                Ok(Some(batches)) => {
                    have += batches.iter().map(RecordBatch::num_rows).sum::<usize>();
                    kept.extend(batches);
                }
                Ok(None) => ended(py, running)?,
                Err(error) => {
                    *state = State { kept: Vec::new(), running: None, taken: true };
                    Failure::of(py, &error).into_iter().for_each(|failure| self.failed.keep(failure));
                    return Err(error);
                }
            }
        }
        Ok(state)
    }

    /// Returns all rows.
    ///
    /// # Errors
    /// The query fails.
    pub fn complete(&self, py: Python<'_>) -> PyResult<(SchemaRef, Vec<RecordBatch>)> {
        let state = self.keep(py, usize::MAX)?;
        Ok((self.schema.clone(), state.kept.clone()))
    }

    /// Returns the rows for a reader that takes them one batch after the other.
    ///
    /// # Errors
    /// The query cannot be started again.
    pub fn take(&self, py: Python<'_>, schema: SchemaRef) -> PyResult<Rows> {
        let mut state = self.state(py)?;
        match state.running.take() {
            None => Ok(Rows::kept(schema, state.kept.iter().cloned().collect())),
            running => {
                state.taken = true;
                let kept = VecDeque::from(std::mem::take(&mut state.kept));
                Ok(Rows::new(schema, kept, running, self.failed.clone()))
            }
        }
    }

    /// Returns the rows, taken one batch after the other, with text and bytes as `schema` has them.
    ///
    /// # Errors
    /// As [`QueryResult::take`].
    pub fn batches(&self, py: Python<'_>, schema: SchemaRef) -> PyResult<Batches> {
        Ok(Batches::new(self.handle.clone(), self.take(py, schema)?))
    }

    /// Returns the columns.
    pub fn columns_of(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Returns whether this is a statement such as INSERT, which has taken effect.
    pub fn takes_effect(&self) -> bool {
        self.takes_effect
    }

    /// Returns the number of rows that a statement has inserted or written; `None` for one that has
    /// no such number.
    ///
    /// # Errors
    /// As [`QueryResult::complete`].
    pub fn count(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        let is_count = self.schema.fields().len() == 1 && self.schema.field(0).name() == "Count";
        if !self.takes_effect || !is_count {
            return Ok(None);
        }
        let (_, batches) = self.complete(py)?;
        let counts = batches.iter().map(|batch| cast(batch.column(0), &DataType::UInt64));
        let counts: Vec<_> =
            counts.collect::<Result<_, _>>().map_err(|error| Kind::Error.error(py, error))?;
        Ok(Some(counts.iter().flat_map(|counts| counts.as_primitive::<UInt64Type>().iter().flatten()).sum()))
    }

    /// Returns a reader of rows as tuples, which takes those of the query.
    fn reader(&self, py: Python<'_>) -> PyResult<RowReader> {
        Ok(RowReader::new(self.batches(py, self.schema.clone())?))
    }

    /// Returns the reader of `fetchone` and `fetchmany`, which begins with the first call.
    fn fetching(&self, py: Python<'_>) -> PyResult<Arc<RowReader>> {
        if let Some(reader) = self.fetched() {
            return Ok(reader);
        }
        let reader = Arc::new(self.reader(py)?);
        let mut fetched = self.fetched.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(fetched.get_or_insert(reader).clone())
    }

    fn fetched(&self) -> Option<Arc<RowReader>> {
        self.fetched.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the rows if all of them are kept, without running the query.
    fn kept(&self, py: Python<'_>) -> PyResult<Option<Vec<RecordBatch>>> {
        self.handle.engine(py)?;
        let state = self.state.take(py)?;
        Ok(state.is_complete().then(|| state.kept.clone()))
    }

    /// Returns the first rows for people.
    fn shown(&self, py: Python<'_>, rows: usize, draw: Draw) -> PyResult<String> {
        let state = self.keep(py, rows.saturating_add(1))?;
        let draw = || draw(&self.schema, &state.kept, rows, state.running.is_none());
        guarded(py, || draw().map_err(|error| Kind::Error.error(py, error)))
    }

    fn length(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.keep(py, usize::MAX)?.kept.iter().map(RecordBatch::num_rows).sum())
    }
}
