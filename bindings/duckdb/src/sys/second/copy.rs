//! COPY formats in the second interface, which gives names of columns, and rows by several threads.

use std::sync::{Mutex, PoisonError};

use libduckdb_sys::v2::*;

use super::bind::Context;
use super::call::{FAILED, Slot, UNBOUND, answer, call, copied, given, keep, kept};
use super::collection::Collection;
use super::handles::value;
use super::load::Extension;
use super::types::{Logical, kind};
use crate::sys::function::{CopyBind, CopyFunction, FINISHED, Settings};
use crate::sys::types::Kind;
use crate::sys::value::Value;
use crate::sys::vector::VECTOR_ROWS;

/// Rows in a thread's batch.
const BATCH_ROWS: usize = 8 * VECTOR_ROWS;

/// A statement that is being bound.
struct Binding {
    raw: duckdb_v2_copy_to_bind_info_handle,
    context: Context,
}

impl Settings for Binding {
    fn setting(&self, name: &str) -> Option<Value> {
        self.context.setting(name)
    }
}

impl Binding {
    /// Returns the types of the columns.
    ///
    /// # Errors
    /// DuckDB returns an error.
    fn types(&self) -> Result<Vec<Logical>, String> {
        // SAFETY: `raw` lives while this does.
        let count = given(0, |count, error| unsafe {
            duckdb_v2_copy_to_bind_get_column_count(self.raw, count, error)
        })?;
        let of = |index| {
            let of = given(std::ptr::null_mut(), |of, error| {
                // SAFETY: the index is below the count.
                unsafe { duckdb_v2_copy_to_bind_get_column_type(self.raw, index, of, error) }
            })?;
            // SAFETY: the type that came is ours.
            Ok(unsafe { Logical::take(of) })
        };
        (0..count).map(of).collect()
    }
}

impl CopyBind for Binding {
    fn columns(&self) -> Result<Vec<(Option<String>, Kind)>, String> {
        let factory = self.context.factory()?;
        let named = |(index, of): (usize, Logical)| {
            let name = given(duckdb_v2_identifier_t::default(), |name, error| {
                // SAFETY: there is a name for each type.
                unsafe { duckdb_v2_copy_to_bind_get_column_name(self.raw, index as idx_t, name, error) }
            })?;
            // SAFETY: the name lives as long as the callback runs.
            Ok((Some(unsafe { copied(name) }), kind(factory, &of)?))
        };
        self.types()?.into_iter().enumerate().map(named).collect()
    }

    fn options(&self) -> Result<Vec<(String, Value)>, String> {
        // SAFETY: `raw` lives while this does.
        let count = given(0, |count, error| unsafe {
            duckdb_v2_copy_to_bind_get_option_count(self.raw, count, error)
        })?;
        let option = |index| {
            let name = given(duckdb_v2_identifier_t::default(), |name, error| {
                // SAFETY: the index is below the count.
                unsafe { duckdb_v2_copy_to_bind_get_option_name(self.raw, index, name, error) }
            })?;
            let found = given(std::ptr::null_mut(), |found, error| {
                // SAFETY: the same.
                unsafe { duckdb_v2_copy_to_bind_get_option_value(self.raw, index, found, error) }
            })?;
            // SAFETY: the name lives as long as the callback runs, and the value that came is ours.
            let (name, found) = unsafe { (copied(name), Value::take(value(found))) };
            Ok((name, found.ok_or("DuckDB gives no value for an option")?))
        };
        (0..count).map(option).collect()
    }
}

/// Adds a format to DuckDB. `extension` is the extension of files that DuckDB names.
///
/// # Errors
/// DuckDB rejects it.
pub fn register_copy<C: CopyFunction>(to: &Extension, extension: &str) -> Result<(), String> {
    let (name, extension) = (duckdb_v2_identifier_t::from(C::NAME), duckdb_v2_str::from(extension));
    let mut raw = given(std::ptr::null_mut(), |function, error| {
        // SAFETY: the factory lives; the function is ours, and destroyed below.
        unsafe { duckdb_v2_copy_function_create(to.factory, function, error) }
    })?;
    // SAFETY: all of it lives until the calls return, which copy the names. The callbacks are
    // functions, which live as long as the library, and DuckDB never unloads one.
    let done = unsafe {
        call(|e| duckdb_v2_copy_function_set_name(raw, &name, e))
            .and_then(|()| call(|e| duckdb_v2_copy_function_set_file_extension(raw, &extension, e)))
            .and_then(|()| call(|e| duckdb_v2_copy_to_set_bind_callback(raw, Some(bind::<C>), e)))
            .and_then(|()| call(|e| duckdb_v2_copy_to_set_batch_size_callback(raw, Some(batch_size), e)))
            .and_then(|()| call(|e| duckdb_v2_copy_to_set_init_callback(raw, Some(open::<C>), e)))
            .and_then(|()| call(|e| duckdb_v2_copy_to_set_batch_callback(raw, Some(gather::<C>), e)))
            .and_then(|()| call(|e| duckdb_v2_copy_to_set_flush_callback(raw, Some(write::<C>), e)))
            .and_then(|()| call(|e| duckdb_v2_copy_to_set_finalize_callback(raw, Some(finish::<C>), e)))
            .and_then(|()| call(|e| duckdb_v2_extension_register_copy_function(to.raw, raw, e)))
    };
    // SAFETY: as above; the registered function is a copy.
    unsafe { duckdb_v2_copy_function_destroy(&mut raw) };
    done.map_err(|error| format!("DuckDB does not take the COPY format {}: {error}", C::NAME))
}

/// State of a bound statement, kept by DuckDB.
struct Bound<C: CopyFunction> {
    own: C::Bound,
    /// Types of the chunks that DuckDB gives.
    types: Vec<Logical>,
}

// SAFETY: types are bound to no thread, are only read, and their references are counted atomically
// (`LogicalTypeInfo::ref_count`).
unsafe impl<C: CopyFunction> Send for Bound<C> {}
// SAFETY: the same.
unsafe impl<C: CopyFunction> Sync for Bound<C> {}

/// A file, kept by DuckDB; `None` inside once it is finished.
struct Open<C: CopyFunction> {
    path: String,
    file: Mutex<Option<C::File>>,
}

unsafe extern "C" fn bind<C: CopyFunction>(
    raw: duckdb_v2_copy_to_bind_info_handle,
    context: duckdb_v2_context_handle,
    slot: Slot,
) {
    let work = || {
        // SAFETY: DuckDB gave the context for this call.
        let binding = Binding { raw, context: unsafe { Context::new(context) } };
        let bound = Bound::<C> { own: C::bind(&binding)?, types: binding.types()? };
        // SAFETY: `raw` lives; DuckDB keeps the value until it frees it.
        keep(bound, |bound, error| unsafe { duckdb_v2_copy_to_bind_set_bind_data(raw, bound, error) })
    };
    // SAFETY: the slot is this callback's.
    unsafe { answer(slot, UNBOUND, work) };
}

unsafe extern "C" fn batch_size(
    raw: duckdb_v2_copy_to_batch_size_info_handle,
    _: duckdb_v2_context_handle,
    slot: Slot,
) {
    // SAFETY: DuckDB gave `raw` for this call.
    let work =
        || call(|error| unsafe { duckdb_v2_copy_to_batch_size_set_target(raw, BATCH_ROWS as idx_t, error) });
    // SAFETY: the slot is this callback's.
    unsafe { answer(slot, FAILED, work) };
}

unsafe extern "C" fn open<C: CopyFunction>(
    raw: duckdb_v2_copy_to_init_info_handle,
    _: duckdb_v2_context_handle,
    slot: Slot,
) {
    let work = || {
        // SAFETY: `bind` stored it, it lives for the statement and is only read.
        let bound = unsafe { kept::<Bound<C>>(|to, e| duckdb_v2_copy_to_init_get_bind_data(raw, to, e)) }?;
        let path = given(duckdb_v2_str::default(), |path, error| {
            // SAFETY: `raw` lives.
            unsafe { duckdb_v2_copy_to_init_get_file_path(raw, path, error) }
        })?;
        // SAFETY: the path lives as long as this callback runs.
        let path = unsafe { copied(path) };
        let file = Mutex::new(Some(C::open(&bound.own, &path)?));
        let open = Open::<C> { path, file };
        // SAFETY: as in `bind`.
        keep(open, |open, error| unsafe { duckdb_v2_copy_to_init_set_init_data(raw, open, error) })
    };
    // SAFETY: the slot is this callback's.
    unsafe { answer(slot, FAILED, work) };
}

unsafe extern "C" fn gather<C: CopyFunction>(
    raw: duckdb_v2_copy_to_batch_info_handle,
    context: duckdb_v2_context_handle,
    slot: Slot,
) {
    let work = || {
        // SAFETY: `bind` stored it, it lives for the statement and is only read.
        let bound = unsafe { kept::<Bound<C>>(|to, e| duckdb_v2_copy_to_batch_get_bind_data(raw, to, e)) }?;
        // SAFETY: `open` stored it, and threads share it.
        let open = unsafe { kept::<Open<C>>(|to, e| duckdb_v2_copy_to_batch_get_init_data(raw, to, e)) }?;
        let rows = given(std::ptr::null_mut(), |rows, error| {
            // SAFETY: `raw` lives.
            unsafe { duckdb_v2_copy_to_batch_take_input(raw, rows, error) }
        })?;
        // SAFETY: the collection has no other owner; DuckDB gave the context for this call.
        let (rows, context) = unsafe { (Collection::take(rows), Context::new(context)) };
        let mut gathered = C::gathering(&bound.own)?;
        rows.for_each(context.factory()?, &bound.types, |rows| C::gather(&bound.own, &mut gathered, rows))
            .map_err(|error| format!("{}: {error}", open.path))?;
        // SAFETY: as in `bind`.
        keep(Mutex::new(gathered), |gathered, error| unsafe {
            duckdb_v2_copy_to_batch_set_batch_data(raw, gathered, error)
        })
    };
    // SAFETY: the slot is this callback's.
    unsafe { answer(slot, FAILED, work) };
}

unsafe extern "C" fn write<C: CopyFunction>(
    raw: duckdb_v2_copy_to_flush_info_handle,
    _: duckdb_v2_context_handle,
    slot: Slot,
) {
    let work = || {
        // SAFETY: `open` stored it, and threads share it.
        let open = unsafe { kept::<Open<C>>(|to, e| duckdb_v2_copy_to_flush_get_init_data(raw, to, e)) }?;
        // SAFETY: `gather` stored it.
        let gathered = unsafe {
            kept::<Mutex<C::Gathered>>(|to, e| duckdb_v2_copy_to_flush_get_batch_data(raw, to, e))
        }?;
        let mut file = open.file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut gathered = gathered.lock().unwrap_or_else(PoisonError::into_inner);
        C::write(file.as_mut().ok_or(FINISHED)?, &mut gathered, true)
    };
    // SAFETY: the slot is this callback's.
    unsafe { answer(slot, FAILED, work) };
}

unsafe extern "C" fn finish<C: CopyFunction>(
    raw: duckdb_v2_copy_to_finalize_info_handle,
    _: duckdb_v2_context_handle,
    slot: Slot,
) {
    let work = || {
        // SAFETY: `open` stored it; all of its rows have arrived.
        let open = unsafe { kept::<Open<C>>(|to, e| duckdb_v2_copy_to_finalize_get_init_data(raw, to, e)) }?;
        let file = open.file.lock().unwrap_or_else(PoisonError::into_inner).take();
        file.map_or(Ok(()), C::finish)
    };
    // SAFETY: the slot is this callback's.
    unsafe { answer(slot, FAILED, work) };
}
