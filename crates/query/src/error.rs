//! Errors of planning and running queries.

mod messages;
mod names;
pub(crate) mod nesting;
pub(crate) mod query_strings;
mod types;

use std::sync::Arc;

use datafusion::common::SchemaError;
use datafusion::error::DataFusionError;
use datafusion::sql::sqlparser::parser::ParserError;
use pelton_pages::listing::ListingError;

/// An error, as one line with the next step for the caller.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The query does not parse, or names a missing object.
    #[error("{0}")]
    Query(String),
    /// A location is no file, or a table's files have different columns.
    #[error("{0}")]
    Table(String),
    /// A location is a Delta table, where plain files are read.
    #[error("{0}")]
    Delta(String),
    /// There is nothing at a location.
    #[error("{0}")]
    Missing(String),
    /// A file can't be read; names file, row group, column and page.
    #[error(transparent)]
    Pages(#[from] pelton_pages::Error),
    /// The memory limit was reached.
    #[error(
        "out of memory within the limit that was set: {0}; raise the limit (--memory), or use fewer threads"
    )]
    Memory(String),
    /// The query was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// Something failed while the query ran.
    #[error("{0}")]
    Execution(String),
    /// A state that should not be reachable: a fault of Pelton's or DataFusion's.
    #[error("internal error, please report it: {0}")]
    Internal(String),
}

pub(crate) use names::OtherName;

/// Result with this crate's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Returns the error for a missing table with the nearest of some tables, and other errors
    /// unchanged.
    pub(crate) fn with_tables<'a>(self, tables: impl IntoIterator<Item = &'a str>) -> Self {
        match &self {
            Error::Query(text) => names::with_tables(text, tables).map_or(self, Error::Query),
            _ => self,
        }
    }

    /// Returns the error of a query with SQL's names of types and constants.
    pub(crate) fn in_sql(self) -> Self {
        match self {
            Error::Query(text) => Error::Query(types::in_sql(&text)),
            Error::Execution(text) => Error::Execution(types::in_sql(&text)),
            other => other,
        }
    }

    /// Returns the error of a call with the name of the function that a statement has, given all
    /// names of functions by one of them.
    pub(crate) fn with_written_name(self, sql: &str, names: impl Fn(&str) -> Vec<OtherName>) -> Self {
        match &self {
            Error::Query(text) => names::as_written(text, sql, names).map_or(self, Error::Query),
            _ => self,
        }
    }

    /// Returns the error of a statement without the query strings of addresses that the statement
    /// names: they may be signatures.
    pub(crate) fn without_signatures(self) -> Self {
        match &self {
            Error::Query(text) => Error::Query(query_strings::without_queries(text).into_owned()),
            _ => self,
        }
    }
}

/// Returns a text with SQL's names of types, for texts of the crates that know Arrow's names alone.
pub(crate) fn in_sql(text: &str) -> String {
    types::in_sql(text)
}

/// Returns the text of a plan with SQL's constants and types.
pub(crate) fn plan_in_sql(plan: &str) -> String {
    types::plan_in_sql(plan)
}

impl From<ListingError> for Error {
    fn from(error: ListingError) -> Self {
        match error {
            ListingError::Missing(what) => Error::Missing(what),
            ListingError::Unreadable(what) => Error::Table(what),
            ListingError::Delta(what) => Error::Delta(what),
        }
    }
}

impl From<DataFusionError> for Error {
    fn from(error: DataFusionError) -> Self {
        convert(&error)
    }
}

fn convert(error: &DataFusionError) -> Error {
    match error {
        DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner) => convert(inner),
        DataFusionError::Shared(inner) => convert(inner),
        DataFusionError::Collection(all) if !all.is_empty() => convert(&all[0]),
        DataFusionError::External(inner) => external(inner.as_ref()),
        DataFusionError::ArrowError(inner, _) => match inner.as_ref() {
            arrow::error::ArrowError::ExternalError(inner) => external(inner.as_ref()),
            arrow::error::ArrowError::DivideByZero => {
                Error::Execution("division by zero: write a / nullif(b, 0) for NULL in its place".to_owned())
            }
            arrow::error::ArrowError::IoError(_, inner) if is_out_of_files(inner) => out_of_files(),
            other => worded(&other.to_string(), Error::Execution),
        },
        DataFusionError::SQL(inner, _) if matches!(**inner, ParserError::RecursionLimitExceeded) => {
            nesting::too_nested()
        }
        DataFusionError::SQL(inner, _) => {
            let text = one_line(&inner.to_string());
            let text = text.strip_prefix("sql parser error: ").unwrap_or(&text);
            Error::Query(format!("the query does not parse: {text}"))
        }
        DataFusionError::Plan(what) | DataFusionError::Substrait(what) => worded(what, Error::Query),
        DataFusionError::SchemaError(what, _) => Error::Query(match what.as_ref() {
            SchemaError::FieldNotFound { field, valid_fields } => names::missing_column(field, valid_fields),
            other => {
                let text = one_line(&other.to_string());
                messages::query_mistake(&text).unwrap_or_else(|| types::in_sql(&text))
            }
        }),
        DataFusionError::NotImplemented(what) => {
            worded(what, |what| Error::Query(format!("not supported: {what}")))
        }
        DataFusionError::IoError(inner) if is_out_of_files(inner) => out_of_files(),
        DataFusionError::ResourcesExhausted(what) => Error::Memory(one_line(what)),
        DataFusionError::Internal(what) => worded(what, Error::Internal),
        other => worded(&other.strip_backtrace(), Error::Execution),
    }
}

/// Returns whether the process or the system has no more file descriptors: EMFILE and ENFILE, which
/// have these numbers on Linux, macOS and the BSDs. Errors of temporary files have them in their
/// text alone.
fn is_out_of_files(error: &std::io::Error) -> bool {
    let is_in_text = || {
        let text = error.to_string();
        text.contains("(os error 23)") || text.contains("(os error 24)")
    };
    matches!(error.raw_os_error(), Some(23 | 24)) || is_in_text()
}

/// Returns the error of an operator that writes rows to disk, a file for each part that fits in
/// memory.
fn out_of_files() -> Error {
    Error::Memory("rows were written to more files than the process may open (ulimit -n)".to_owned())
}

fn external(error: &(dyn std::error::Error + Send + Sync + 'static)) -> Error {
    if let Some(pages) = error.downcast_ref::<pelton_pages::Error>() {
        return Error::Pages(pages.clone());
    }
    if let Some(ours) = error.downcast_ref::<Error>() {
        return ours.clone().in_sql();
    }
    match error.downcast_ref::<DataFusionError>() {
        Some(inner) => convert(inner),
        None => match error.downcast_ref::<Arc<DataFusionError>>() {
            Some(inner) => convert(inner),
            None => worded(&error.to_string(), Error::Execution),
        },
    }
}

/// Returns the error for a text of DataFusion's: a mistake in the query, or an error of the given
/// kind.
fn worded(text: &str, kind: impl FnOnce(String) -> Error) -> Error {
    let text = messages::without_report(&one_line(text));
    let mistake = names::missing(&text).or_else(|| messages::query_mistake(&text));
    mistake.map_or_else(|| kind(types::in_sql(&messages::without_dumps(&text))), Error::Query)
}

/// Joins the lines of a foreign message.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Wraps an error of this workspace for its way through DataFusion.
pub(crate) fn wrap(error: impl Into<Error>) -> DataFusionError {
    DataFusionError::External(Box::new(error.into()))
}

#[cfg(test)]
mod tests;
