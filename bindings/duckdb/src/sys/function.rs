//! Traits of table functions and COPY formats, independent of DuckDB's two interfaces.

use super::types::{Kind, Type};
use super::value::Value;
use super::vector::{Chunk, Rows};

/// A parameter of a table function.
pub struct Parameter {
    /// Its name; `None` for positional parameters.
    pub name: Option<&'static str>,
    /// Its type.
    pub of: Type,
}

/// A column of a table function's result.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type.
    pub of: Type,
}

/// A table function: bound once for a query, started once for a run, and called for chunks by
/// several threads.
pub trait TableFunction: 'static {
    /// Its name.
    const NAME: &'static str;
    /// State of a bound call.
    type Bound: Send + Sync;
    /// State of a run, which its threads share.
    type Running: Send + Sync;
    /// State of one thread in a run.
    type Local: Send + Default;

    /// Returns the function's parameters.
    fn parameters() -> Vec<Parameter>;

    /// Reads the arguments and declares the columns.
    ///
    /// # Errors
    /// An error text for the user.
    fn bind(bind: &dyn Bind) -> Result<Self::Bound, String>;

    /// Starts a run.
    ///
    /// # Errors
    /// An error text for the user.
    fn start(bound: &Self::Bound, init: &dyn Init) -> Result<Self::Running, String>;

    /// Fills a chunk; leaves it empty at the end.
    ///
    /// # Errors
    /// An error text for the user.
    fn fill(
        bound: &Self::Bound,
        running: &Self::Running,
        local: &mut Self::Local,
        chunk: &mut Chunk,
    ) -> Result<(), String>;
}

/// A table function that reports progress and has a use for the query's conditions.
pub trait ScanFunction: TableFunction {
    /// Receives conditions on rows before a run starts, possibly more than once. The query checks
    /// them itself: rows that fail them may be left out or not.
    fn narrow(bound: &Self::Bound, conditions: Vec<Condition>);

    /// Returns the finished share of a run, from 0 to 1.
    fn progress(running: &Self::Running) -> f64;
}

/// A condition on a column.
pub struct Condition {
    /// Index among the columns that the function declared.
    pub column: usize,
    /// Condition on its values.
    pub wanted: Wanted,
}

/// Condition on a value; NULL never passes.
pub enum Wanted {
    /// Not larger than a value.
    AtMost(Value),
    /// Not smaller than a value.
    AtLeast(Value),
    /// One of these values.
    OneOf(Vec<Value>),
    /// Any value.
    NotNull,
}

/// A function call that is being bound.
pub trait Bind: Settings {
    /// Returns the argument at a place.
    fn argument(&self, index: usize) -> Option<Value>;

    /// Returns an argument by name.
    fn named(&self, name: &str) -> Option<Value>;

    /// Adds a column to the result.
    ///
    /// # Errors
    /// DuckDB has no such type.
    fn add_column(&self, name: &str, of: &Type) -> Result<(), String>;

    /// Sets the number of rows, exactly or as an upper bound.
    fn set_rows(&self, rows: u64, is_exact: bool);
}

/// A run that is being started.
pub trait Init {
    /// Returns the wanted columns in the order of the chunks' vectors, by their indexes when the
    /// function was bound. Larger indexes stand for columns that DuckDB makes up for queries that
    /// need none.
    fn columns(&self) -> Vec<usize>;

    /// Sets the number of threads that can be of use.
    fn set_threads(&self, threads: usize);
}

/// Source of the settings of a query's connection.
pub trait Settings {
    /// Returns the value of a setting; `None` if there is no such setting.
    fn setting(&self, name: &str) -> Option<Value>;
}

/// A format of `COPY … TO`: bound once for a statement, opened once for a file, written to by one
/// thread at a time.
pub trait CopyFunction: 'static {
    /// The format's name.
    const NAME: &'static str;
    /// State of a bound statement.
    type Bound: Send + Sync;
    /// A file in progress. If it is dropped before it is finished, nothing of it may remain.
    type File: Send;
    /// Rows that were gathered, to be written.
    type Gathered: Send;

    /// Reads the options and the types of the columns.
    ///
    /// # Errors
    /// An error text for the user.
    fn bind(bind: &dyn CopyBind) -> Result<Self::Bound, String>;

    /// Opens a file.
    ///
    /// # Errors
    /// An error text for the user.
    fn open(bound: &Self::Bound, path: &str) -> Result<Self::File, String>;

    /// Begins to gather rows.
    ///
    /// # Errors
    /// An error text for the user.
    fn gathering(bound: &Self::Bound) -> Result<Self::Gathered, String>;

    /// Gathers some rows.
    ///
    /// # Errors
    /// An error text for the user, to which the file's name is added.
    fn gather(bound: &Self::Bound, gathered: &mut Self::Gathered, rows: &Rows) -> Result<(), String>;

    /// Writes gathered rows. If they `are_all`, this includes an incomplete batch that otherwise
    /// waits for more rows.
    ///
    /// # Errors
    /// An error text for the user.
    fn write(file: &mut Self::File, gathered: &mut Self::Gathered, are_all: bool) -> Result<(), String>;

    /// Writes the end.
    ///
    /// # Errors
    /// An error text for the user.
    fn finish(file: Self::File) -> Result<(), String>;
}

/// A COPY statement that is being bound.
pub trait CopyBind: Settings {
    /// Returns the columns, with their names if these are to be had.
    ///
    /// # Errors
    /// DuckDB returns an error.
    fn columns(&self) -> Result<Vec<(Option<String>, Kind)>, String>;

    /// Returns the options, by their names.
    ///
    /// # Errors
    /// DuckDB returns an error.
    fn options(&self) -> Result<Vec<(String, Value)>, String>;
}

/// Internal error: DuckDB passes rows of a finished file.
pub(super) const FINISHED: &str = "internal error of Pelton's: rows for a file that is finished";
