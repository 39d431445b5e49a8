//! Table functions, as the rest of the crate sees them.

use super::chunk::Chunk;
use super::context::Settings;
use super::types::Type;
use super::value::Value;

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
