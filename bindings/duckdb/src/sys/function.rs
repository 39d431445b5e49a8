//! Table functions, as the rest of the crate sees them.

use std::marker::PhantomData;

use libduckdb_sys::*;

use super::chunk::Chunk;
use super::context::Context;
use super::string::c_string;
use super::types::{LogicalType, Type};
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

/// A table function: bound once a query, started once a run, and asked for chunks by several threads.
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
    fn bind(bind: &Bind) -> Result<Self::Bound, String>;

    /// Starts a run.
    ///
    /// # Errors
    /// What the user sees.
    fn start(bound: &Self::Bound, init: &Init) -> Result<Self::Running, String>;

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

/// A function that is being bound.
pub struct Bind<'a> {
    raw: duckdb_bind_info,
    lent: PhantomData<&'a ()>,
}

impl Bind<'_> {
    /// # Safety
    /// `raw` is what DuckDB gave to a bind callback that is still running.
    pub(super) unsafe fn new(raw: duckdb_bind_info) -> Self {
        Self { raw, lent: PhantomData }
    }

    /// The argument at a place.
    pub fn argument(&self, index: usize) -> Option<Value> {
        // SAFETY: the call says null where there is none; the value is ours.
        unsafe { Value::take(duckdb_bind_get_parameter(self.raw, index as idx_t)) }
    }

    /// An argument by name.
    pub fn named(&self, name: &str) -> Option<Value> {
        let name = c_string(name);
        // SAFETY: the call says null where there is none; the value is ours.
        unsafe { Value::take(duckdb_bind_get_named_parameter(self.raw, name.as_ptr())) }
    }

    /// The connection.
    pub fn context(&self) -> Context {
        let mut raw = std::ptr::null_mut();
        // SAFETY: the call writes a context, which is ours.
        unsafe { duckdb_table_function_get_client_context(self.raw, &mut raw) };
        // SAFETY: it is the one that was just written, or null.
        unsafe { Context::take(raw) }
    }

    /// Adds a column to the result.
    ///
    /// # Errors
    /// DuckDB has no such type.
    pub fn add_column(&self, name: &str, of: &Type) -> Result<(), String> {
        let (raw_name, logical) = (c_string(name), LogicalType::from(of));
        if logical.raw().is_null() {
            return Err(format!("column {name}: DuckDB has no type such as {of:?}"));
        }
        // SAFETY: both live until the call returns, which copies them.
        unsafe { duckdb_bind_add_result_column(self.raw, raw_name.as_ptr(), logical.raw()) };
        Ok(())
    }

    /// Says how many rows there will be, or may be at most.
    pub fn set_rows(&self, rows: u64, is_exact: bool) {
        // SAFETY: the call takes any number.
        unsafe { duckdb_bind_set_cardinality(self.raw, rows, is_exact) };
    }
}

/// A run that is being started.
pub struct Init<'a> {
    raw: duckdb_init_info,
    lent: PhantomData<&'a ()>,
}

impl Init<'_> {
    /// # Safety
    /// `raw` is what DuckDB gave to an init callback that is still running.
    pub(super) unsafe fn new(raw: duckdb_init_info) -> Self {
        Self { raw, lent: PhantomData }
    }

    /// The columns that are wanted, in the order of the chunks' vectors: numbers of those that were added when the function
    /// was bound, or larger ones, for columns that DuckDB makes up where a query needs none.
    pub fn columns(&self) -> Vec<usize> {
        // SAFETY: `raw` lives while this does.
        let count = unsafe { duckdb_init_get_column_count(self.raw) };
        // SAFETY: the index is below the count.
        (0..count).map(|index| unsafe { duckdb_init_get_column_index(self.raw, index) } as usize).collect()
    }

    /// Says how many threads can be of use.
    pub fn set_threads(&self, threads: usize) {
        // SAFETY: the call takes any number.
        unsafe { duckdb_init_set_max_threads(self.raw, threads.max(1) as idx_t) };
    }
}
