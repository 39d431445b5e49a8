//! Plans and profiles of queries: `pelton.Profile`, and the text of EXPLAIN.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::AsArray;
use arrow::datatypes::DataType;
use pelton::OutputFile;
use pelton::profile::{Run, page, sums};
use pyo3::prelude::*;

use super::handle::Handle;
use super::result::{QueryResult, escape};
use super::running::{pull, warn};
use crate::error::Kind;

/// Height of the page in a notebook, in CSS pixels: a screen's worth below its toolbar.
const HEIGHT: u32 = 600;

/// Activity of one query over time, as a self-contained page of HTML.
///
/// `html` is the page; `query`, `plan` and `seconds` are its heading. Notebooks show it.
#[pyclass(frozen, module = "pelton")]
pub struct Profile {
    run: Run,
    rows: u64,
    html: String,
}

impl Profile {
    /// Runs a query to its end.
    ///
    /// # Errors
    /// The query fails, or the page cannot be written.
    pub fn record(py: Python<'_>, handle: &Handle, sql: &str, path: Option<&Path>) -> PyResult<Self> {
        let mut running = handle.branch(py, true)?.query(py, &sql.to_owned().into())?;
        let mut rows = 0;
        while let Some(batches) = pull(py, &mut running, usize::MAX)? {
            rows += batches.iter().map(|batch| batch.num_rows() as u64).sum::<u64>();
        }
        let notes = running.query.notes();
        let run = running.query.take_profile("Query").unwrap_or_else(|| unreachable!("it was recorded"));
        let html = page("pelton", std::slice::from_ref(&run));
        let profile = Profile { run, rows, html };
        path.map_or(Ok(()), |path| profile.write(path))?;
        // Last, so that the page is there where a warning is an error.
        warn(py, &notes)?;
        Ok(profile)
    }

    fn write(&self, path: &Path) -> PyResult<()> {
        let mut file = OutputFile::create(path)?;
        file.write_all(self.html.as_bytes())?;
        Ok(file.commit()?)
    }
}

#[pymethods]
impl Profile {
    /// Returns the page, as text.
    #[getter]
    fn html(&self) -> &str {
        &self.html
    }

    /// Returns the query's text.
    #[getter]
    fn query(&self) -> &str {
        &self.run.query
    }

    /// Returns the plan, with the counts of its parts.
    #[getter]
    fn plan(&self) -> &str {
        &self.run.plan
    }

    /// Returns the seconds from the query's text to its last row.
    #[getter]
    fn seconds(&self) -> f64 {
        self.run.time.as_secs_f64()
    }

    /// Rows that the query gave.
    #[getter]
    fn rows(&self) -> u64 {
        self.rows
    }

    /// Writes the page to a file. Raises `OSError`.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.write(&path)
    }

    fn _repr_html_(&self) -> String {
        let page = escape(&self.html);
        format!("<iframe srcdoc=\"{page}\" style=\"width:100%;height:{HEIGHT}px;border:0\"></iframe>")
    }

    fn __repr__(&self) -> String {
        let mut text = format!("{} rows in {:.3} s\n", self.rows, self.seconds());
        for sum in sums(&self.run.spans) {
            let (kind, busy) = (sum.kind.name(), sum.busy.as_secs_f64());
            text += &format!("{kind}: {} pieces, busy {busy:.3} s\n", sum.count);
        }
        text
    }
}

/// Returns the text of a plan: each part's kind, and the part.
///
/// # Errors
/// The query fails.
pub fn explain_with(py: Python<'_>, handle: Arc<Handle>, query: &str, analyze: bool) -> PyResult<String> {
    let explain = if analyze { "EXPLAIN ANALYZE" } else { "EXPLAIN" };
    let (_, batches) = QueryResult::start(py, handle, format!("{explain} {query}").into())?.complete(py)?;
    let mut text = String::new();
    for batch in &batches {
        let columns = batch.columns().iter().map(|column| arrow::compute::cast(column, &DataType::Utf8));
        let columns = columns.collect::<Result<Vec<_>, _>>().map_err(|error| Kind::Error.error(py, error))?;
        let [kinds, parts] = &columns[..] else {
            return Err(Kind::Query.error(py, "this is no query that can be explained"));
        };
        let (kinds, parts) = (kinds.as_string::<i32>(), parts.as_string::<i32>());
        for (kind, part) in kinds.iter().zip(parts) {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{}:\n{}", kind.unwrap_or_default(), part.unwrap_or_default().trim_end());
        }
    }
    Ok(text)
}
