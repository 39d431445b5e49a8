//! Functions of `COPY … TO`.

use std::ffi::{CStr, c_void};
use std::marker::PhantomData;

use libduckdb_sys::*;

use super::context::Context;
use super::describe::Kind;
use super::entry::Connection;
use super::panics::guarded;
use super::rows::Rows;
use super::string::c_string;
use super::value::Value;

/// A format of `COPY … TO`: bound once a statement, opened once a file, given its rows by one thread at a time.
pub trait CopyFunction: 'static {
    /// The format's name.
    const NAME: &'static str;
    /// What is known once it is bound.
    type Bound: Send + Sync;
    /// A file that is being written. Dropped before it is finished, nothing may be left of it.
    type File: Send;

    /// Looks at the options and at the types of the columns.
    ///
    /// # Errors
    /// What the user sees.
    fn bind(bind: &CopyBind) -> Result<Self::Bound, String>;

    /// Opens a file.
    ///
    /// # Errors
    /// What the user sees.
    fn open(bound: &Self::Bound, path: &str) -> Result<Self::File, String>;

    /// Takes some rows.
    ///
    /// # Errors
    /// What the user sees.
    fn take(bound: &Self::Bound, file: &mut Self::File, rows: &Rows) -> Result<(), String>;

    /// Writes the end.
    ///
    /// # Errors
    /// What the user sees.
    fn finish(file: Self::File) -> Result<(), String>;
}

/// A statement that is being bound.
pub struct CopyBind<'a> {
    raw: duckdb_copy_function_bind_info,
    lent: PhantomData<&'a ()>,
}

impl CopyBind<'_> {
    /// The connection.
    pub fn context(&self) -> Context {
        // SAFETY: `raw` lives while this does; the context that comes is ours.
        unsafe { Context::take(duckdb_copy_function_bind_get_client_context(self.raw)) }
    }

    /// The types of the columns. Their names are not to be had.
    pub fn columns(&self) -> Vec<Kind> {
        // SAFETY: `raw` lives while this does.
        let count = unsafe { duckdb_copy_function_bind_get_column_count(self.raw) };
        // SAFETY: the index is below the count; the type that comes is ours.
        (0..count)
            .map(|i| unsafe { Kind::take(duckdb_copy_function_bind_get_column_type(self.raw, i)) })
            .collect()
    }

    /// The options, by their names in capitals, as DuckDB gives them.
    pub fn options(&self) -> Vec<(String, Value)> {
        // SAFETY: `raw` lives while this does; the value that comes is ours.
        let options = unsafe { Value::take(duckdb_copy_function_bind_get_options(self.raw)) };
        options.and_then(|options| options.fields()).unwrap_or_default()
    }
}

/// What DuckDB keeps of a file: nothing once it is finished.
type Open<C> = Option<<C as CopyFunction>::File>;

/// Adds a format to DuckDB, in place of one that was loaded before.
///
/// # Errors
/// DuckDB does not take it.
pub fn register_copy<C: CopyFunction>(connection: &Connection) -> Result<(), String> {
    let name = c_string(C::NAME);
    // SAFETY: the function that is made is given a name and callbacks, registered, which copies it, and destroyed. The name
    // lives until the call returns, which copies it.
    let state = unsafe {
        let mut raw = duckdb_create_copy_function();
        duckdb_copy_function_set_name(raw, name.as_ptr());
        duckdb_copy_function_set_bind(raw, Some(bind::<C>));
        duckdb_copy_function_set_global_init(raw, Some(open::<C>));
        duckdb_copy_function_set_sink(raw, Some(take::<C>));
        duckdb_copy_function_set_finalize(raw, Some(finish::<C>));
        let state = duckdb_register_copy_function(connection.raw(), raw);
        duckdb_destroy_copy_function(&mut raw);
        state
    };
    if state == duckdb_state_DuckDBSuccess {
        Ok(())
    } else {
        Err(format!("DuckDB does not take the COPY format {}", C::NAME))
    }
}

/// Frees what DuckDB kept for us.
///
/// # Safety
/// `raw` is a box of a `T` that nobody else frees.
unsafe extern "C" fn free<T>(raw: *mut c_void) {
    let freed = guarded(|| {
        // SAFETY: the caller's.
        drop(unsafe { Box::from_raw(raw.cast::<T>()) });
        Ok(())
    });
    // there is nobody to tell; what panicked is gone
    drop(freed);
}

unsafe extern "C" fn bind<C: CopyFunction>(raw: duckdb_copy_function_bind_info) {
    match guarded(|| C::bind(&CopyBind { raw, lent: PhantomData })) {
        Ok(bound) => {
            let bound = Box::into_raw(Box::new(bound)).cast();
            // SAFETY: DuckDB takes the box over and frees it with the function of its type.
            unsafe { duckdb_copy_function_bind_set_bind_data(raw, bound, Some(free::<C::Bound>)) };
        }
        Err(error) => {
            let error = c_string(&error);
            // SAFETY: both live until the call returns, which copies the text.
            unsafe { duckdb_copy_function_bind_set_error(raw, error.as_ptr()) };
        }
    }
}

unsafe extern "C" fn open<C: CopyFunction>(raw: duckdb_copy_function_global_init_info) {
    let file = guarded(|| {
        // SAFETY: what `bind` left there, which lives for the statement and is only read.
        let bound = unsafe { &*duckdb_copy_function_global_init_get_bind_data(raw).cast::<C::Bound>() };
        // SAFETY: DuckDB's own text, which ends in a zero and lives until this callback returns.
        let path = unsafe { CStr::from_ptr(duckdb_copy_function_global_init_get_file_path(raw)) };
        C::open(bound, &path.to_string_lossy())
    });
    match file {
        Ok(file) => {
            let file: Box<Open<C>> = Box::new(Some(file));
            let file = Box::into_raw(file).cast();
            // SAFETY: DuckDB takes the box over and frees it with the function of its type.
            unsafe { duckdb_copy_function_global_init_set_global_state(raw, file, Some(free::<Open<C>>)) };
        }
        Err(error) => {
            let error = c_string(&error);
            // SAFETY: both live until the call returns, which copies the text.
            unsafe { duckdb_copy_function_global_init_set_error(raw, error.as_ptr()) };
        }
    }
}

unsafe extern "C" fn take<C: CopyFunction>(raw: duckdb_copy_function_sink_info, chunk: duckdb_data_chunk) {
    let done = guarded(|| {
        // SAFETY: what `bind` left there, which lives for the statement and is only read.
        let bound = unsafe { &*duckdb_copy_function_sink_get_bind_data(raw).cast::<C::Bound>() };
        // SAFETY: what `open` left there. DuckDB's operator for a function of C has one thread at a time in it for each file
        // (`PhysicalCopyToFile`, whose `parallel` is for functions with an execution mode, which these have not).
        let file = unsafe { &mut *duckdb_copy_function_sink_get_global_state(raw).cast::<Open<C>>() };
        let file = file.as_mut().ok_or("internal error of Pelton's: rows for a file that is finished")?;
        // SAFETY: a chunk that DuckDB has flattened and that lives until this callback returns.
        C::take(bound, file, &unsafe { Rows::new(chunk) })
    });
    if let Err(error) = done {
        let error = c_string(&error);
        // SAFETY: both live until the call returns, which copies the text.
        unsafe { duckdb_copy_function_sink_set_error(raw, error.as_ptr()) };
    }
}

unsafe extern "C" fn finish<C: CopyFunction>(raw: duckdb_copy_function_finalize_info) {
    let done = guarded(|| {
        // SAFETY: what `open` left there; all its rows have come, and no other thread has it.
        let file = unsafe { &mut *duckdb_copy_function_finalize_get_global_state(raw).cast::<Open<C>>() };
        file.take().map_or(Ok(()), C::finish)
    });
    if let Err(error) = done {
        let error = c_string(&error);
        // SAFETY: both live until the call returns, which copies the text.
        unsafe { duckdb_copy_function_finalize_set_error(raw, error.as_ptr()) };
    }
}
