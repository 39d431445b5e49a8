//! The table of functions that the native layer calls for COPY: `PeltonCopyEngine` of
//! `native/engine.h`.

use std::cell::RefCell;
use std::ffi::{c_char, c_void};
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

use libduckdb_sys::{duckdb_data_chunk, duckdb_logical_type, duckdb_value};

use super::engine::{Connection, ErrorSlot, GetSetting, answer, free_error, text};
use crate::sys::ffi::free;
use crate::sys::function::{CopyBind, CopyFunction, FINISHED, Settings};
use crate::sys::types::Kind;
use crate::sys::value::Value;
use crate::sys::vector::Rows;

/// `PeltonCopyColumn`.
#[repr(C)]
pub struct RawColumn {
    name: *const c_char,
    length: u64,
    of: duckdb_logical_type,
}

/// `PeltonCopyOption`.
#[repr(C)]
pub struct RawOption {
    name: *const c_char,
    length: u64,
    value: duckdb_value,
}

/// `PeltonCopyEngine`.
#[repr(C)]
pub struct CopyEngine {
    free_error: unsafe extern "C" fn(*mut c_char),
    bind: unsafe extern "C" fn(
        *mut c_void,
        GetSetting,
        *const RawColumn,
        u64,
        *const RawOption,
        u64,
        ErrorSlot,
    ) -> *mut c_void,
    unbind: unsafe extern "C" fn(*mut c_void),
    open: unsafe extern "C" fn(*mut c_void, *const c_char, u64, ErrorSlot) -> *mut c_void,
    abandon: unsafe extern "C" fn(*mut c_void),
    gathering: unsafe extern "C" fn(*mut c_void, ErrorSlot) -> *mut c_void,
    drop: unsafe extern "C" fn(*mut c_void),
    gather: unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void, duckdb_data_chunk, ErrorSlot) -> i32,
    write: unsafe extern "C" fn(*mut c_void, *mut c_void, i32, ErrorSlot) -> i32,
    finish: unsafe extern "C" fn(*mut c_void, ErrorSlot) -> i32,
}

impl CopyEngine {
    /// Returns the functions of a format.
    pub fn of<C: CopyFunction>() -> &'static CopyEngine {
        &Functions::<C>::ENGINE
    }
}

struct Functions<C>(PhantomData<C>);

impl<C: CopyFunction> Functions<C> {
    const ENGINE: CopyEngine = CopyEngine {
        free_error,
        bind: bind::<C>,
        unbind: free::<C::Bound>,
        open: open::<C>,
        abandon: free::<Open<C>>,
        gathering: gathering::<C>,
        drop: free::<Mutex<C::Gathered>>,
        gather: gather::<C>,
        write: write::<C>,
        finish: finish::<C>,
    };
}

/// A statement that is being bound.
struct Binding {
    connection: Connection,
    columns: Vec<(Option<String>, Kind)>,
    /// Until they are asked for.
    options: RefCell<Vec<(String, Value)>>,
}

impl Settings for Binding {
    fn setting(&self, name: &str) -> Option<Value> {
        self.connection.setting(name)
    }
}

impl CopyBind for Binding {
    fn columns(&self) -> Result<Vec<(Option<String>, Kind)>, String> {
        Ok(self.columns.clone())
    }

    fn options(&self) -> Result<Vec<(String, Value)>, String> {
        Ok(self.options.take())
    }
}

/// A file, kept by the layer; `None` inside once it is finished.
struct Open<C: CopyFunction> {
    path: String,
    file: Mutex<Option<C::File>>,
}

/// # Safety
/// For the layer to call: both lists have as many entries as their counts say.
unsafe extern "C" fn bind<C: CopyFunction>(
    connection: *mut c_void,
    get: GetSetting,
    columns: *const RawColumn,
    column_count: u64,
    options: *const RawOption,
    option_count: u64,
    slot: ErrorSlot,
) -> *mut c_void {
    let work = || {
        let columns = (0..column_count as usize).map(|index| {
            // SAFETY: the caller's.
            let column = unsafe { &*columns.add(index) };
            // SAFETY: the caller's: a name of this length, and a type, which live during the call.
            unsafe { (Some(text(column.name, column.length)), Kind::of(column.of)) }
        });
        let columns = columns.collect();
        let options = (0..option_count as usize).filter_map(|index| {
            // SAFETY: the caller's.
            let option = unsafe { &*options.add(index) };
            // SAFETY: the caller's: the value is ours.
            let value = unsafe { Value::take(option.value) }?;
            // SAFETY: the caller's: a name of this length.
            Some((unsafe { text(option.name, option.length) }, value))
        });
        let options = RefCell::new(options.collect());
        let connection = Connection { raw: connection, get };
        let bound = C::bind(&Binding { connection, columns, options })?;
        Ok(Box::into_raw(Box::new(bound)).cast())
    };
    // SAFETY: the slot is this call's.
    unsafe { answer(slot, std::ptr::null_mut(), work) }
}

/// # Safety
/// For the layer to call, with a bound statement; the path has `length` bytes.
unsafe extern "C" fn open<C: CopyFunction>(
    bound: *mut c_void,
    path: *const c_char,
    length: u64,
    slot: ErrorSlot,
) -> *mut c_void {
    let work = || {
        // SAFETY: the caller's.
        let bound = unsafe { &*bound.cast::<C::Bound>() };
        // SAFETY: the caller's.
        let path = unsafe { text(path, length) };
        let file = Mutex::new(Some(C::open(bound, &path)?));
        Ok(Box::into_raw(Box::new(Open::<C> { path, file })).cast())
    };
    // SAFETY: the slot is this call's.
    unsafe { answer(slot, std::ptr::null_mut(), work) }
}

/// # Safety
/// As [`open`].
unsafe extern "C" fn gathering<C: CopyFunction>(bound: *mut c_void, slot: ErrorSlot) -> *mut c_void {
    let work = || {
        // SAFETY: the caller's.
        let gathered = C::gathering(unsafe { &*bound.cast::<C::Bound>() })?;
        Ok(Box::into_raw(Box::new(Mutex::new(gathered))).cast())
    };
    // SAFETY: the slot is this call's.
    unsafe { answer(slot, std::ptr::null_mut(), work) }
}

/// # Safety
/// As [`open`], with an open file and gathered rows; the chunk's vectors are flat.
unsafe extern "C" fn gather<C: CopyFunction>(
    bound: *mut c_void,
    file: *mut c_void,
    gathered: *mut c_void,
    chunk: duckdb_data_chunk,
    slot: ErrorSlot,
) -> i32 {
    let work = || {
        // SAFETY: the caller's.
        let bound = unsafe { &*bound.cast::<C::Bound>() };
        // SAFETY: the caller's.
        let open = unsafe { &*file.cast::<Open<C>>() };
        // SAFETY: the caller's.
        let gathered = unsafe { &*gathered.cast::<Mutex<C::Gathered>>() };
        let mut gathered = gathered.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the caller's; the chunk does not change during the call.
        let rows = unsafe { Rows::new(chunk) };
        C::gather(bound, &mut gathered, &rows).map_err(|error| format!("{}: {error}", open.path))?;
        Ok(0)
    };
    // SAFETY: the slot is this call's.
    unsafe { answer(slot, -1, work) }
}

/// # Safety
/// For the layer to call, with an open file and gathered rows.
unsafe extern "C" fn write<C: CopyFunction>(
    file: *mut c_void,
    gathered: *mut c_void,
    are_all: i32,
    slot: ErrorSlot,
) -> i32 {
    let work = || {
        // SAFETY: the caller's.
        let open = unsafe { &*file.cast::<Open<C>>() };
        // SAFETY: the caller's.
        let gathered = unsafe { &*gathered.cast::<Mutex<C::Gathered>>() };
        let mut gathered = gathered.lock().unwrap_or_else(PoisonError::into_inner);
        let mut file = open.file.lock().unwrap_or_else(PoisonError::into_inner);
        C::write(file.as_mut().ok_or(FINISHED)?, &mut gathered, are_all != 0)?;
        Ok(0)
    };
    // SAFETY: the slot is this call's.
    unsafe { answer(slot, -1, work) }
}

/// # Safety
/// For the layer to call, with an open file.
unsafe extern "C" fn finish<C: CopyFunction>(file: *mut c_void, slot: ErrorSlot) -> i32 {
    let work = || {
        // SAFETY: the caller's.
        let open = unsafe { &*file.cast::<Open<C>>() };
        let file = open.file.lock().unwrap_or_else(PoisonError::into_inner).take();
        file.map_or(Ok(()), C::finish)?;
        Ok(0)
    };
    // SAFETY: the slot is this call's.
    unsafe { answer(slot, -1, work) }
}
