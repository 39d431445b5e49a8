//! Table functions that are told of conditions, and tell how far they are.

use libduckdb_sys::duckdb_create_null_value;
use libduckdb_sys::v2::*;

use super::call::{call, given};
use super::extension::Extension;
use super::run::{bind, fill, local, narrow, progress, start};
use super::same::second_value;
use super::types::logical;
use crate::sys::function::{Parameter, ScanFunction};
use crate::sys::value::Value;

/// Adds a table function to DuckDB.
///
/// # Errors
/// DuckDB does not take it.
pub fn register<F: ScanFunction>(to: &Extension) -> Result<(), String> {
    let mut raw = given(std::ptr::null_mut(), |function, error| {
        // SAFETY: the factory lives; the function is ours, and destroyed below.
        unsafe { duckdb_v2_table_function_create(to.factory, function, error) }
    })?;
    let name = duckdb_v2_identifier_t::from(F::NAME);
    // SAFETY: all of it lives until the calls return, which copy the name. The callbacks are
    // functions, which live as long as the library, and DuckDB never unloads one.
    let done = unsafe {
        call(|e| duckdb_v2_table_function_set_name(raw, &name, e))
            .and_then(|()| declare(to.factory, raw, &F::parameters()))
            .and_then(|()| call(|e| duckdb_v2_table_function_set_projection_pushdown(raw, true, e)))
            .and_then(|()| call(|e| duckdb_v2_table_function_set_bind_callback(raw, Some(bind::<F>), e)))
            .and_then(|()| {
                call(|e| duckdb_v2_table_function_set_filter_pushdown_callback(raw, Some(narrow::<F>), e))
            })
            .and_then(|()| {
                call(|e| duckdb_v2_table_function_set_init_global_callback(raw, Some(start::<F>), e))
            })
            .and_then(|()| {
                call(|e| duckdb_v2_table_function_set_init_local_callback(raw, Some(local::<F>), e))
            })
            .and_then(|()| call(|e| duckdb_v2_table_function_set_exec_callback(raw, Some(fill::<F>), e)))
            .and_then(|()| {
                call(|e| duckdb_v2_table_function_set_progress_callback(raw, Some(progress::<F>), e))
            })
            .and_then(|()| call(|e| duckdb_v2_extension_register_table_function(to.raw, raw, e)))
    };
    // SAFETY: as above; what was registered is a copy.
    unsafe { duckdb_v2_table_function_destroy(&mut raw) };
    done.map_err(|error| format!("DuckDB does not take the table function {}: {error}", F::NAME))
}

/// Says what a function takes. Arguments that go by name need not be given.
fn declare(
    factory: duckdb_v2_factory_handle,
    function: duckdb_v2_table_function_handle,
    parameters: &[Parameter],
) -> Result<(), String> {
    use DUCKDB_V2_FUNCTION_PARAMETER_KIND as Kind;
    let signature = given(std::ptr::null_mut(), |signature, error| {
        // SAFETY: the function lives, and its signature as long.
        unsafe { duckdb_v2_table_function_get_signature(function, signature, error) }
    })?;
    // SAFETY: the value that comes is ours.
    let null = unsafe { Value::take(duckdb_create_null_value()) };
    let null = null.as_ref().map_or(std::ptr::null_mut(), |null| second_value(null.raw()));
    for parameter in parameters {
        let of = logical(factory, &parameter.of)?;
        let (name, default, kind) = match parameter.name {
            Some(name) => (name, null, Kind::DUCKDB_V2_FUNCTION_PARAMETER_KIND_NAMED_ONLY),
            None => ("files", std::ptr::null_mut(), Kind::DUCKDB_V2_FUNCTION_PARAMETER_KIND_POSITIONAL_ONLY),
        };
        let name = duckdb_v2_identifier_t::from(name);
        // SAFETY: all of it lives until the call returns, which copies it.
        call(|error| unsafe {
            duckdb_v2_function_signature_add_parameter(signature, &name, of.raw(), default, kind, error)
        })?;
    }
    Ok(())
}
