//! Table functions, as the rest of the crate sees them.

use super::types::{Kind, Type};
use super::value::Value;
use super::vector::{Chunk, Rows};

/// A parameter of a table function.
pub struct Parameter {
    /// Its name; `None`: it goes by its place.
    pub name: Option<&'static str>,
    /// Its type.
    pub of: Type,
}

/// A column of what a table function gives.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type.
    pub of: Type,
}

/// A table function: bound once a query, started once a run, and asked for chunks by several
/// threads.
pub trait TableFunction: 'static {
    /// Its name.
    const NAME: &'static str;
    /// What is known once it is bound.
    type Bound: Send + Sync;
    /// What the threads of a run share.
    type Running: Send + Sync;
    /// What each thread has for itself.
    type Local: Send + Default;

    /// What it takes.
    fn parameters() -> Vec<Parameter>;

    /// Looks at the arguments, and says which columns there will be.
    ///
    /// # Errors
    /// What the user sees.
    fn bind(bind: &dyn Bind) -> Result<Self::Bound, String>;

    /// Starts a run.
    ///
    /// # Errors
    /// What the user sees.
    fn start(bound: &Self::Bound, init: &dyn Init) -> Result<Self::Running, String>;

    /// Fills a chunk; leaves it empty at the end.
    ///
    /// # Errors
    /// What the user sees.
    fn fill(
        bound: &Self::Bound,
        running: &Self::Running,
        local: &mut Self::Local,
        chunk: &mut Chunk,
    ) -> Result<(), String>;
}

/// A table function that can tell more, and that has a use for what a query wants of its rows.
pub trait ScanFunction: TableFunction {
    /// Told of conditions that rows have to pass, before a run starts. The query checks them by
    /// itself: rows that don't pass may come, or not. It may be told of them again.
    fn narrow(bound: &Self::Bound, conditions: Vec<Condition>);

    /// How much of a run is done, from 0 to 1.
    fn progress(running: &Self::Running) -> f64;
}

/// A condition on a column.
pub struct Condition {
    /// The number of the column, among those that were added when the function was bound.
    pub column: usize,
    /// What its values have to be.
    pub wanted: Wanted,
}

/// What values have to be; never NULL.
pub enum Wanted {
    /// Not larger than a value.
    AtMost(Value),
    /// Not smaller than a value.
    AtLeast(Value),
    /// One of these.
    OneOf(Vec<Value>),
    /// Anything else.
    NotNull,
}

/// A function that is being bound.
pub trait Bind: Settings {
    /// The argument at a place.
    fn argument(&self, index: usize) -> Option<Value>;

    /// An argument by name.
    fn named(&self, name: &str) -> Option<Value>;

    /// Adds a column to the result.
    ///
    /// # Errors
    /// DuckDB has no such type.
    fn add_column(&self, name: &str, of: &Type) -> Result<(), String>;

    /// Says how many rows there will be, or may be at most.
    fn set_rows(&self, rows: u64, is_exact: bool);
}

/// A run that is being started.
pub trait Init {
    /// The columns that are wanted, in the order of the chunks' vectors: numbers of those that were
    /// added when the function was bound, or larger ones, for columns that DuckDB makes up where a
    /// query needs none.
    fn columns(&self) -> Vec<usize>;

    /// Says how many threads can be of use.
    fn set_threads(&self, threads: usize);
}

/// What knows the settings of the connection that a query runs on.
pub trait Settings {
    /// The value of a setting; `None` if there is no such setting.
    fn setting(&self, name: &str) -> Option<Value>;
}

/// A format of `COPY … TO`: bound once a statement, opened once a file, written to by one thread at
/// a time.
pub trait CopyFunction: 'static {
    /// The format's name.
    const NAME: &'static str;
    /// What is known once it is bound.
    type Bound: Send + Sync;
    /// A file that is being written. Dropped before it is finished, nothing may be left of it.
    type File: Send;
    /// Rows that were gathered, to be written.
    type Gathered: Send;

    /// Looks at the options and at the types of the columns.
    ///
    /// # Errors
    /// What the user sees.
    fn bind(bind: &dyn CopyBind) -> Result<Self::Bound, String>;

    /// Opens a file.
    ///
    /// # Errors
    /// What the user sees.
    fn open(bound: &Self::Bound, path: &str) -> Result<Self::File, String>;

    /// Begins to gather rows.
    ///
    /// # Errors
    /// What the user sees.
    fn gathering(bound: &Self::Bound) -> Result<Self::Gathered, String>;

    /// Gathers some rows.
    ///
    /// # Errors
    /// What the user sees, behind the file's name.
    fn gather(bound: &Self::Bound, gathered: &mut Self::Gathered, rows: &Rows) -> Result<(), String>;

    /// Writes gathered rows: if they `are_all`, the rest, too, that would better be written with
    /// others.
    ///
    /// # Errors
    /// What the user sees.
    fn write(file: &mut Self::File, gathered: &mut Self::Gathered, are_all: bool) -> Result<(), String>;

    /// Writes the end.
    ///
    /// # Errors
    /// What the user sees.
    fn finish(file: Self::File) -> Result<(), String>;
}

/// A statement that is being bound.
pub trait CopyBind: Settings {
    /// The columns, with their names if these are to be had.
    ///
    /// # Errors
    /// DuckDB does not say.
    fn columns(&self) -> Result<Vec<(Option<String>, Kind)>, String>;

    /// The options, by their names.
    ///
    /// # Errors
    /// DuckDB does not say.
    fn options(&self) -> Result<Vec<(String, Value)>, String>;
}

/// Said where DuckDB has lost its way.
pub(super) const FINISHED: &str = "internal error of Pelton's: rows for a file that is finished";
