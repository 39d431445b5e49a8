//! Table functions in the first interface: registration and callbacks.

use std::ffi::c_char;

use libduckdb_sys::*;

use super::bind::{Binding, Starting};
use crate::sys::connection::Connection;
use crate::sys::ffi::{c_string, free, guarded};
use crate::sys::function::TableFunction;
use crate::sys::types::LogicalType;
use crate::sys::vector::Chunk;

/// Adds a table function to DuckDB, in place of one from an earlier load.
///
/// # Errors
/// DuckDB rejects it.
pub fn register<F: TableFunction>(connection: &Connection) -> Result<(), String> {
    let name = c_string(F::NAME);
    // SAFETY: makes a new function, which is destroyed below.
    let mut raw = unsafe { duckdb_create_table_function() };
    // SAFETY: the name lives until the call returns, which copies it.
    unsafe { duckdb_table_function_set_name(raw, name.as_ptr()) };
    for parameter in F::parameters() {
        let of = LogicalType::from(&parameter.of);
        match parameter.name {
            // SAFETY: the call copies the type.
            None => unsafe { duckdb_table_function_add_parameter(raw, of.raw()) },
            Some(name) => {
                let name = c_string(name);
                // SAFETY: the call copies name and type.
                unsafe { duckdb_table_function_add_named_parameter(raw, name.as_ptr(), of.raw()) };
            }
        }
    }
    // SAFETY: the callbacks are functions, which live as long as the library, and DuckDB never
    // unloads one; registering copies the function, and our own is destroyed once.
    let state = unsafe {
        duckdb_table_function_supports_projection_pushdown(raw, true);
        duckdb_table_function_set_bind(raw, Some(bind::<F>));
        duckdb_table_function_set_init(raw, Some(init::<F>));
        duckdb_table_function_set_local_init(raw, Some(local_init::<F>));
        duckdb_table_function_set_function(raw, Some(fill::<F>));
        let state = duckdb_register_table_function(connection.raw(), raw);
        duckdb_destroy_table_function(&mut raw);
        state
    };
    if state != duckdb_state_DuckDBSuccess {
        return Err(format!("DuckDB does not take the table function {}", F::NAME));
    }
    Ok(())
}

/// Reports an error to DuckDB, if there is one.
fn report<I>(result: Result<(), String>, info: I, set: unsafe fn(I, *const c_char)) {
    if let Err(error) = result {
        let error = c_string(&error);
        // SAFETY: `info` is the handle of the callback that is running, and the call copies the
        // text.
        unsafe { set(info, error.as_ptr()) };
    }
}

unsafe extern "C" fn bind<F: TableFunction>(raw: duckdb_bind_info) {
    let done = guarded(|| {
        // SAFETY: DuckDB gave `raw` for this call.
        let bind = unsafe { Binding::new(raw) };
        let bound = Box::new(F::bind(&bind)?);
        // SAFETY: DuckDB gave `raw` for this call, and keeps the pointer until it passes it to
        // `free`.
        unsafe { duckdb_bind_set_bind_data(raw, Box::into_raw(bound).cast(), Some(free::<F::Bound>)) };
        Ok(())
    });
    report(done, raw, duckdb_bind_set_error);
}

unsafe extern "C" fn init<F: TableFunction>(raw: duckdb_init_info) {
    let done = guarded(|| {
        // SAFETY: `bind` stored it; it lives as long as the plan, and is only read.
        let bound = unsafe { duckdb_init_get_bind_data(raw).cast::<F::Bound>().as_ref() };
        let bound = bound.ok_or("internal error: DuckDB has lost the bound function")?;
        // SAFETY: DuckDB gave `raw` for this call.
        let init = unsafe { Starting::new(raw) };
        let running = Box::new(F::start(bound, &init)?);
        // SAFETY: as in `bind`.
        unsafe { duckdb_init_set_init_data(raw, Box::into_raw(running).cast(), Some(free::<F::Running>)) };
        Ok(())
    });
    report(done, raw, duckdb_init_set_error);
}

unsafe extern "C" fn local_init<F: TableFunction>(raw: duckdb_init_info) {
    let done = guarded(|| {
        let local = Box::new(F::Local::default());
        // SAFETY: as in `bind`.
        unsafe { duckdb_init_set_init_data(raw, Box::into_raw(local).cast(), Some(free::<F::Local>)) };
        Ok(())
    });
    report(done, raw, duckdb_init_set_error);
}

unsafe extern "C" fn fill<F: TableFunction>(raw: duckdb_function_info, chunk: duckdb_data_chunk) {
    let done = guarded(|| {
        // SAFETY: `bind` stored it, and it is only read.
        let bound = unsafe { duckdb_function_get_bind_data(raw).cast::<F::Bound>().as_ref() };
        // SAFETY: `init` stored it; threads share it and only read.
        let running = unsafe { duckdb_function_get_init_data(raw).cast::<F::Running>().as_ref() };
        // SAFETY: `local_init` stored it, and DuckDB makes one for each thread.
        let local = unsafe { duckdb_function_get_local_init_data(raw).cast::<F::Local>().as_mut() };
        let (Some(bound), Some(running), Some(local)) = (bound, running, local) else {
            return Err("internal error: DuckDB has lost the state of the function".to_owned());
        };
        // SAFETY: the chunk is lent for this call, and its vectors have been reset.
        F::fill(bound, running, local, &mut unsafe { Chunk::new(chunk) })
    });
    report(done, raw, duckdb_function_set_error);
}
