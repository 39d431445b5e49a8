//! COPY formats in the first interface.

use std::ffi::CStr;

use libduckdb_sys::*;

use super::bind::Context;
use crate::sys::connection::Connection;
use crate::sys::ffi::{c_string, free, guarded};
use crate::sys::function::{CopyBind, CopyFunction, FINISHED, Settings};
use crate::sys::types::Kind;
use crate::sys::value::Value;
use crate::sys::vector::Rows;

/// A COPY statement that is being bound by the first interface.
struct Binding {
    raw: duckdb_copy_function_bind_info,
    context: Context,
}

impl Settings for Binding {
    fn setting(&self, name: &str) -> Option<Value> {
        self.context.setting(name)
    }
}

impl CopyBind for Binding {
    // Columns have no names in this interface.
    fn columns(&self) -> Result<Vec<(Option<String>, Kind)>, String> {
        // SAFETY: `raw` lives while this does.
        let count = unsafe { duckdb_copy_function_bind_get_column_count(self.raw) };
        // SAFETY: the index is below the count; the type that comes is ours.
        let kind = |i| unsafe { Kind::take(duckdb_copy_function_bind_get_column_type(self.raw, i)) };
        Ok((0..count).map(|i| (None, kind(i))).collect())
    }

    fn options(&self) -> Result<Vec<(String, Value)>, String> {
        // SAFETY: `raw` lives while this does; the value that comes is ours.
        let options = unsafe { Value::take(duckdb_copy_function_bind_get_options(self.raw)) };
        Ok(options.and_then(|options| options.fields()).unwrap_or_default())
    }
}

/// A file in progress, kept by DuckDB.
struct Open<C: CopyFunction> {
    path: String,
    /// The file and the rows to write; `None` after the end.
    file: Option<(C::File, C::Gathered)>,
}

/// Adds a format to DuckDB, in place of one from an earlier load.
///
/// # Errors
/// DuckDB rejects it.
pub fn register_copy<C: CopyFunction>(connection: &Connection) -> Result<(), String> {
    let name = c_string(C::NAME);
    // SAFETY: the function that is made is given a name and callbacks, registered, which copies it,
    // and destroyed. The name lives until the call returns, which copies it.
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

unsafe extern "C" fn bind<C: CopyFunction>(raw: duckdb_copy_function_bind_info) {
    let bound = guarded(|| {
        // SAFETY: `raw` lives until this callback returns; the context that comes is ours.
        let context = unsafe { Context::take(duckdb_copy_function_bind_get_client_context(raw)) };
        C::bind(&Binding { raw, context })
    });
    match bound {
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
        // SAFETY: `bind` stored it, it lives for the statement and is only read.
        let bound = unsafe { &*duckdb_copy_function_global_init_get_bind_data(raw).cast::<C::Bound>() };
        // SAFETY: DuckDB's own text, which ends in a zero and lives until this callback returns.
        let path = unsafe { CStr::from_ptr(duckdb_copy_function_global_init_get_file_path(raw)) };
        let path = path.to_string_lossy().into_owned();
        let file = Some((C::open(bound, &path)?, C::gathering(bound)?));
        Ok(Open::<C> { path, file })
    });
    match file {
        Ok(file) => {
            let file = Box::into_raw(Box::new(file)).cast();
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
        // SAFETY: `bind` stored it, it lives for the statement and is only read.
        let bound = unsafe { &*duckdb_copy_function_sink_get_bind_data(raw).cast::<C::Bound>() };
        // SAFETY: `open` stored it. For each file DuckDB's operator runs a C function on one thread
        // at a time (`PhysicalCopyToFile`: running on several needs an execution mode, which C
        // functions lack).
        let open = unsafe { &mut *duckdb_copy_function_sink_get_global_state(raw).cast::<Open<C>>() };
        let (file, gathered) = open.file.as_mut().ok_or(FINISHED)?;
        // SAFETY: a chunk that DuckDB has flattened and that lives until this callback returns.
        let rows = unsafe { Rows::new(chunk) };
        C::gather(bound, gathered, &rows).map_err(|error| format!("{}: {error}", open.path))?;
        C::write(file, gathered, false)
    });
    if let Err(error) = done {
        let error = c_string(&error);
        // SAFETY: both live until the call returns, which copies the text.
        unsafe { duckdb_copy_function_sink_set_error(raw, error.as_ptr()) };
    }
}

unsafe extern "C" fn finish<C: CopyFunction>(raw: duckdb_copy_function_finalize_info) {
    let done = guarded(|| {
        // SAFETY: `open` stored it; all of its rows have arrived, and no other thread uses it.
        let open = unsafe { &mut *duckdb_copy_function_finalize_get_global_state(raw).cast::<Open<C>>() };
        let Some((mut file, mut gathered)) = open.file.take() else { return Ok(()) };
        C::write(&mut file, &mut gathered, true)?;
        C::finish(file)
    });
    if let Err(error) = done {
        let error = c_string(&error);
        // SAFETY: both live until the call returns, which copies the text.
        unsafe { duckdb_copy_function_finalize_set_error(raw, error.as_ptr()) };
    }
}
