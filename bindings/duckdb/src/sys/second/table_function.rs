//! Table functions in the second interface: registration and callbacks.

use std::sync::{Mutex, PoisonError};

use libduckdb_sys::duckdb_create_null_value;
use libduckdb_sys::v2::*;

use super::bind::{Binding, Context, Starting};
use super::call::{FAILED, Slot, UNBOUND, answer, call, given, keep, kept};
use super::condition::offered;
use super::handles::{chunk, second_value};
use super::load::Extension;
use super::types::logical;
use crate::sys::ffi::guarded;
use crate::sys::function::{Parameter, ScanFunction};
use crate::sys::value::Value;
use crate::sys::vector::Chunk;

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
    // SAFETY: as above; the registered function is a copy.
    unsafe { duckdb_v2_table_function_destroy(&mut raw) };
    done.map_err(|error| format!("DuckDB does not take the table function {}: {error}", F::NAME))
}

/// Declares the parameters of a function. Named ones are optional.
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

/// Binds a call.
///
/// # Safety
/// For DuckDB to call.
unsafe extern "C" fn bind<F: ScanFunction>(
    raw: duckdb_v2_function_bind_info_handle,
    result: duckdb_v2_table_function_bind_info_handle,
    context: duckdb_v2_context_handle,
    slot: Slot,
) {
    let work = || {
        // SAFETY: DuckDB gave the context for this call.
        let binding = Binding { raw, result, context: unsafe { Context::new(context) } };
        let bound = F::bind(&binding)?;
        // SAFETY: `raw` lives; DuckDB keeps the value until it frees it.
        keep(bound, |bound, error| unsafe { duckdb_v2_function_bind_set_bind_data(raw, bound, error) })
    };
    // SAFETY: the slot is this callback's.
    unsafe { answer(slot, UNBOUND, work) };
}

/// Passes the offered conditions on and accepts none. DuckDB would no longer check accepted ones,
/// but 2.0.0 then merges scans with the same arguments whatever each accepted
/// (`CommonSubplanOptimizer`), and binds a copied scan anew without them (`LogicalOperator::Copy`).
///
/// # Safety
/// For DuckDB to call.
unsafe extern "C" fn narrow<F: ScanFunction>(
    raw: duckdb_v2_table_function_filter_pushdown_info_handle,
    _: duckdb_v2_context_handle,
    _: Slot,
) {
    // A condition that is not understood is no error.
    let _ = guarded(|| {
        // SAFETY: `bind` stored it, and it lives as long as the plan.
        let bound = unsafe {
            kept::<F::Bound>(|to, e| duckdb_v2_table_function_filter_pushdown_get_bind_data(raw, to, e))
        }?;
        // SAFETY: DuckDB gave `raw` for this call.
        F::narrow(bound, unsafe { offered(raw) }?);
        Ok(())
    });
}

/// Starts a run.
///
/// # Safety
/// For DuckDB to call.
unsafe extern "C" fn start<F: ScanFunction>(
    raw: duckdb_v2_table_function_init_global_info_handle,
    _: duckdb_v2_context_handle,
    slot: Slot,
) {
    let work = || {
        // SAFETY: `bind` stored it, and it lives as long as the plan.
        let bound = unsafe {
            kept::<F::Bound>(|to, e| duckdb_v2_table_function_init_global_get_bind_data(raw, to, e))
        }?;
        // SAFETY: DuckDB gave `raw` for this call.
        let running = F::start(bound, &unsafe { Starting::new(raw) }?)?;
        // SAFETY: as in `bind`.
        keep(running, |running, error| unsafe {
            duckdb_v2_table_function_init_global_set_global_state(raw, running, error)
        })
    };
    // SAFETY: the slot is this callback's.
    unsafe { answer(slot, FAILED, work) };
}

/// Makes the state of one thread.
///
/// # Safety
/// For DuckDB to call.
unsafe extern "C" fn local<F: ScanFunction>(
    raw: duckdb_v2_table_function_init_local_info_handle,
    _: duckdb_v2_context_handle,
    slot: Slot,
) {
    let work = || {
        // SAFETY: as in `bind`.
        keep(Mutex::new(F::Local::default()), |local, error| unsafe {
            duckdb_v2_table_function_init_local_set_local_state(raw, local, error)
        })
    };
    // SAFETY: the slot is this callback's.
    unsafe { answer(slot, FAILED, work) };
}

/// Fills a chunk.
///
/// # Safety
/// For DuckDB to call.
unsafe extern "C" fn fill<F: ScanFunction>(
    raw: duckdb_v2_table_function_exec_info_handle,
    _: duckdb_v2_context_handle,
    slot: Slot,
) {
    let work = || {
        // SAFETY: `bind` stored it, and it lives as long as the plan.
        let bound =
            unsafe { kept::<F::Bound>(|to, e| duckdb_v2_table_function_exec_get_bind_data(raw, to, e)) }?;
        // SAFETY: `start` stored it, and threads share it.
        let running = unsafe {
            kept::<F::Running>(|to, e| duckdb_v2_table_function_exec_get_global_state(raw, to, e))
        }?;
        // SAFETY: `local` stored it, one for each thread.
        let local = unsafe {
            kept::<Mutex<F::Local>>(|to, e| duckdb_v2_table_function_exec_get_local_state(raw, to, e))
        }?;
        let rows = given(std::ptr::null_mut(), |rows, error| {
            // SAFETY: `raw` lives.
            unsafe { duckdb_v2_table_function_exec_get_output_chunk(raw, rows, error) }
        })?;
        let mut local = local.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the chunk is lent for this call, and its vectors have been reset.
        F::fill(bound, running, &mut local, &mut unsafe { Chunk::new(chunk(rows)) })
    };
    // SAFETY: the slot is this callback's.
    unsafe { answer(slot, FAILED, work) };
}

/// Reports the progress of a run.
///
/// # Safety
/// For DuckDB to call.
unsafe extern "C" fn progress<F: ScanFunction>(
    raw: duckdb_v2_table_function_progress_info_handle,
    _: duckdb_v2_context_handle,
    slot: Slot,
) {
    let work = || {
        // SAFETY: `start` stored it, and threads share it.
        let running = unsafe {
            kept::<F::Running>(|to, e| duckdb_v2_table_function_progress_get_global_state(raw, to, e))
        }?;
        // SAFETY: `raw` lives.
        call(|error| unsafe {
            duckdb_v2_table_function_progress_set_progress(raw, F::progress(running), error)
        })
    };
    // SAFETY: the slot is this callback's.
    unsafe { answer(slot, FAILED, work) };
}
