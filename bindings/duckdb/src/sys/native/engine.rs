//! The table of functions that the native layer calls: `PeltonEngine` of `native/engine.h`.

use std::ffi::{CStr, CString, c_char, c_void};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::sync::{Mutex, PoisonError};

use libduckdb_sys::{duckdb_data_chunk, duckdb_logical_type, duckdb_value};

use super::conditions::{Conditions, RawConditions};
use super::source::{RawSource, Source};
use crate::sys::ffi::{c_string, free, guarded};
use crate::sys::function::{Column, Settings};
use crate::sys::types::LogicalType;
use crate::sys::value::Value;
use crate::sys::vector::{Chunk, VECTOR_ROWS};

/// Number of the interface; `PELTON_NATIVE_INTERFACE` in the header.
const INTERFACE: u64 = 3;

/// Null counts of a row group.
#[repr(u8)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nulls {
    /// The file does not say.
    Unknown = 0,
    /// No value is null.
    None = 1,
    /// All values are null.
    All = 2,
}

/// Treatment of a condition by a scan.
#[repr(u8)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(dead_code, reason = "the layer makes them")]
pub enum Duty {
    /// Rows that fail must not come out.
    MustHold = 0,
    /// Rows that fail may come out: it is evaluated as long as it leaves out enough of them.
    MayHold = 1,
    /// Only bounds of rows are compared with it; no row fails in an evaluation.
    BoundsOnly = 2,
}

/// A condition that DuckDB evaluates, and the column of the file that it is on; `None` is the row
/// number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OnColumn {
    /// The column.
    pub column: Option<usize>,
    /// Number of the condition, for DuckDB.
    pub condition: u64,
    /// Its treatment.
    pub duty: Duty,
}

/// Facts on a column in a row group.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// Its null count.
    pub nulls: Nulls,
    /// Both bounds are values of the row group, not only limits.
    pub has_exact_bounds: bool,
}

/// Lower and upper bounds of the values of row groups.
pub struct Bounds<'a, 'b> {
    /// Two columns of the values' type, for the minima and the maxima; null is unknown.
    pub chunk: &'a mut Chunk<'b>,
    /// Facts on the row groups.
    pub facts: &'a mut [Facts],
}

/// A scan of single files; lists of files are DuckDB's part.
pub trait FileScan: 'static {
    /// An open file.
    type File: Send + Sync;
    /// A scan of a file, which threads share.
    type Running: Send + Sync;
    /// State of one thread.
    type Stream: Send + Default;

    /// Opens a file, which is local without a source, with the arguments `device` and `ranges`.
    ///
    /// # Errors
    /// An error text for the user.
    fn open(
        settings: &dyn Settings,
        path: &str,
        source: Option<Source>,
        device: Option<String>,
        ranges: Option<&Value>,
    ) -> Result<Self::File, String>;

    /// Returns the file's columns.
    ///
    /// # Errors
    /// An error text for the user.
    fn columns(file: &Self::File) -> Result<Vec<Column>, String>;

    /// Returns the numbers of rows and of row groups.
    fn size(file: &Self::File) -> (u64, u64);

    /// Returns the number of rows of each row group.
    fn group_rows(file: &Self::File) -> impl Iterator<Item = u64>;

    /// Returns the number of threads that have enough memory for their scan ranges.
    fn threads(file: &Self::File) -> u64;

    /// Writes bounds of the row groups from `from` on, at most as many as there is room for.
    /// Returns their number; `None` if the column has no statistics.
    ///
    /// # Errors
    /// The statistics can't be converted.
    fn statistics(
        file: &Self::File,
        column: usize,
        from: usize,
        bounds: Bounds,
    ) -> Result<Option<usize>, String>;

    /// Starts a scan for columns of the file and for conditions, each on a column. `None` is the
    /// row number.
    ///
    /// # Errors
    /// An error text for the user.
    fn start(
        file: &Self::File,
        columns: Vec<Option<usize>>,
        on: Vec<OnColumn>,
        conditions: Conditions,
    ) -> Result<Self::Running, String>;

    /// Returns the share of the rows that threads have claimed, from 0 to 1.
    fn progress(running: &Self::Running) -> f64;

    /// Assigns the next scan ranges to a thread. Returns false if there are none.
    ///
    /// # Errors
    /// An error text for the user.
    fn claim(
        running: &Self::Running,
        stream: &mut Self::Stream,
        conditions: Conditions,
    ) -> Result<bool, String>;

    /// Fills a chunk with the next rows that the thread claimed.
    ///
    /// # Errors
    /// An error text for the user.
    fn fill(running: &Self::Running, stream: &mut Self::Stream, chunk: &mut Chunk) -> Result<usize, String>;
}

pub(super) type ErrorSlot = *mut *mut c_char;
type AddColumn = unsafe extern "C" fn(*mut c_void, *const c_char, u64, duckdb_logical_type);
pub(super) type GetSetting = unsafe extern "C" fn(*mut c_void, *const c_char) -> duckdb_value;

/// `PeltonCondition`.
#[repr(C)]
pub struct RawCondition {
    column: i64,
    condition: u64,
    duty: Duty,
}

/// `PeltonEngine`.
#[repr(C)]
pub struct Engine {
    interface: u64,
    free_error: unsafe extern "C" fn(*mut c_char),
    open: unsafe extern "C" fn(
        *mut c_void,
        GetSetting,
        *const c_char,
        u64,
        *const RawSource,
        *const c_char,
        duckdb_value,
        ErrorSlot,
    ) -> *mut c_void,
    close: unsafe extern "C" fn(*mut c_void),
    columns: unsafe extern "C" fn(*mut c_void, *mut c_void, AddColumn, ErrorSlot) -> i32,
    rows: unsafe extern "C" fn(*mut c_void) -> u64,
    row_groups: unsafe extern "C" fn(*mut c_void) -> u64,
    group_rows: unsafe extern "C" fn(*mut c_void, *mut u64),
    threads: unsafe extern "C" fn(*mut c_void) -> u64,
    statistics: unsafe extern "C" fn(
        *mut c_void,
        u64,
        u64,
        duckdb_data_chunk,
        *mut Facts,
        *mut u64,
        ErrorSlot,
    ) -> i32,
    start: unsafe extern "C" fn(
        *mut c_void,
        *const i64,
        u64,
        *const RawCondition,
        u64,
        *const RawConditions,
        ErrorSlot,
    ) -> *mut c_void,
    stop: unsafe extern "C" fn(*mut c_void),
    progress: unsafe extern "C" fn(*mut c_void) -> f64,
    stream: unsafe extern "C" fn() -> *mut c_void,
    end: unsafe extern "C" fn(*mut c_void),
    claim: unsafe extern "C" fn(*mut c_void, *mut c_void, *const RawConditions, ErrorSlot) -> i32,
    fill: unsafe extern "C" fn(*mut c_void, *mut c_void, duckdb_data_chunk, ErrorSlot) -> i64,
}

impl Engine {
    /// Returns the functions of a scan.
    pub fn of<F: FileScan>() -> &'static Engine {
        &Functions::<F>::ENGINE
    }
}

struct Functions<F>(PhantomData<F>);

impl<F: FileScan> Functions<F> {
    const ENGINE: Engine = Engine {
        interface: INTERFACE,
        free_error,
        open: open::<F>,
        close: free::<F::File>,
        columns: columns::<F>,
        rows: rows::<F>,
        row_groups: row_groups::<F>,
        group_rows: group_rows::<F>,
        threads: threads::<F>,
        statistics: statistics::<F>,
        start: start::<F>,
        stop: free::<F::Running>,
        progress: progress::<F>,
        stream: stream::<F>,
        end: free::<Mutex<F::Stream>>,
        claim: claim::<F>,
        fill: fill::<F>,
    };
}

/// Frees the text of an error.
///
/// # Safety
/// `error` came from one of the other functions, and is freed once.
pub(super) unsafe extern "C" fn free_error(error: *mut c_char) {
    if !error.is_null() {
        // SAFETY: the caller's: `CString::into_raw` made it.
        drop(unsafe { CString::from_raw(error) });
    }
}

/// Runs a callback's work; an error and a panic go to the slot.
///
/// # Safety
/// `slot` is to be written.
pub(super) unsafe fn answer<T>(slot: ErrorSlot, failed: T, work: impl FnOnce() -> Result<T, String>) -> T {
    guarded(work).unwrap_or_else(|error| {
        // SAFETY: the caller's.
        unsafe { *slot = c_string(&error).into_raw() };
        failed
    })
}

/// Settings of a connection, by a function of the layer's.
pub(super) struct Connection {
    pub raw: *mut c_void,
    pub get: GetSetting,
}

/// Returns a text of the layer's.
///
/// # Safety
/// The text has `length` bytes.
pub(super) unsafe fn text(from: *const c_char, length: u64) -> String {
    if from.is_null() {
        return String::new();
    }
    // SAFETY: the caller's.
    let bytes = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), length as usize) };
    String::from_utf8_lossy(bytes).into_owned()
}

impl Settings for Connection {
    fn setting(&self, name: &str) -> Option<Value> {
        let name = c_string(name);
        // SAFETY: the connection lives during the call that made this; the value that comes is
        // ours.
        unsafe { Value::take((self.get)(self.raw, name.as_ptr())) }
    }
}

/// # Safety
/// For the layer to call: `path` has `length` bytes; `device` is null or a string; `ranges` is null
/// or a value.
unsafe extern "C" fn open<F: FileScan>(
    connection: *mut c_void,
    get: GetSetting,
    path: *const c_char,
    length: u64,
    source: *const RawSource,
    device: *const c_char,
    ranges: duckdb_value,
    slot: ErrorSlot,
) -> *mut c_void {
    let work = || {
        // SAFETY: the caller's.
        let path = unsafe { std::slice::from_raw_parts(path.cast::<u8>(), length as usize) };
        let name = String::from_utf8_lossy(path);
        // SAFETY: the caller's: a source that is there is ours now.
        let source = unsafe { source.as_ref().map(|source| Source::take(*source, &name)) };
        let path = std::str::from_utf8(path).map_err(|e| format!("the name of a file is no UTF-8: {e}"))?;
        // SAFETY: the caller's.
        let device = (!device.is_null()).then(|| unsafe { CStr::from_ptr(device) });
        let device = device.map(|device| device.to_string_lossy().into_owned());
        // SAFETY: the caller's; the value is lent, and so not destroyed here.
        let ranges = unsafe { Value::take(ranges) }.map(ManuallyDrop::new);
        let connection = Connection { raw: connection, get };
        let file = F::open(&connection, path, source, device, ranges.as_deref())?;
        Ok(Box::into_raw(Box::new(file)).cast())
    };
    // SAFETY: the slot is this call's.
    unsafe { answer(slot, std::ptr::null_mut(), work) }
}

/// # Safety
/// For the layer to call, with an open file.
unsafe extern "C" fn columns<F: FileScan>(
    file: *mut c_void,
    to: *mut c_void,
    add: AddColumn,
    slot: ErrorSlot,
) -> i32 {
    let work = || {
        // SAFETY: the caller's.
        let file = unsafe { &*file.cast::<F::File>() };
        for column in F::columns(file)? {
            let of = LogicalType::from(&column.of);
            // SAFETY: name and type live until the call returns, which copies them.
            unsafe { add(to, column.name.as_ptr().cast(), column.name.len() as u64, of.raw()) };
        }
        Ok(0)
    };
    // SAFETY: the slot is this call's.
    unsafe { answer(slot, -1, work) }
}

/// # Safety
/// As [`columns`].
unsafe extern "C" fn rows<F: FileScan>(file: *mut c_void) -> u64 {
    // SAFETY: the caller's.
    F::size(unsafe { &*file.cast::<F::File>() }).0
}

/// # Safety
/// As [`columns`].
unsafe extern "C" fn row_groups<F: FileScan>(file: *mut c_void) -> u64 {
    // SAFETY: the caller's.
    F::size(unsafe { &*file.cast::<F::File>() }).1
}

/// # Safety
/// As [`columns`]; `to` has an entry for each row group.
unsafe extern "C" fn group_rows<F: FileScan>(file: *mut c_void, to: *mut u64) {
    // SAFETY: the caller's.
    for (index, rows) in F::group_rows(unsafe { &*file.cast::<F::File>() }).enumerate() {
        // SAFETY: the caller's.
        unsafe { to.add(index).write(rows) };
    }
}

/// # Safety
/// As [`columns`].
unsafe extern "C" fn threads<F: FileScan>(file: *mut c_void) -> u64 {
    // SAFETY: the caller's.
    F::threads(unsafe { &*file.cast::<F::File>() })
}

/// # Safety
/// As [`columns`]; the chunk has two columns of the column's type, and `facts` as many entries as
/// a chunk has rows.
unsafe extern "C" fn statistics<F: FileScan>(
    file: *mut c_void,
    column: u64,
    from: u64,
    chunk: duckdb_data_chunk,
    facts: *mut Facts,
    count: *mut u64,
    slot: ErrorSlot,
) -> i32 {
    let work = || {
        // SAFETY: the caller's.
        let file = unsafe { &*file.cast::<F::File>() };
        // SAFETY: the caller's; it is lent for this call, and its vectors were reset.
        let mut chunk = unsafe { Chunk::new(chunk) };
        for index in 0..VECTOR_ROWS {
            // SAFETY: the caller's; the entries may be uninitialised, and are written first.
            unsafe { facts.add(index).write(Facts { nulls: Nulls::Unknown, has_exact_bounds: false }) };
        }
        // SAFETY: the entries are initialised now.
        let facts = unsafe { std::slice::from_raw_parts_mut(facts, VECTOR_ROWS) };
        let found = F::statistics(file, column as usize, from as usize, Bounds { chunk: &mut chunk, facts })?;
        // SAFETY: the caller's.
        unsafe { *count = found.unwrap_or(0) as u64 };
        Ok(i32::from(found.is_some()))
    };
    // SAFETY: the slot is this call's.
    unsafe { answer(slot, -1, work) }
}

/// # Safety
/// As [`columns`]; the two lists have as many entries as their counts say.
unsafe extern "C" fn start<F: FileScan>(
    file: *mut c_void,
    columns: *const i64,
    count: u64,
    on: *const RawCondition,
    on_count: u64,
    conditions: *const RawConditions,
    slot: ErrorSlot,
) -> *mut c_void {
    let work = || {
        // SAFETY: the caller's.
        let file = unsafe { &*file.cast::<F::File>() };
        // SAFETY: the caller's.
        let columns = (0..count as usize).map(|index| usize::try_from(unsafe { *columns.add(index) }).ok());
        let on = (0..on_count as usize).map(|index| {
            // SAFETY: the caller's.
            let RawCondition { column, condition, duty } = unsafe { &*on.add(index) };
            OnColumn { column: usize::try_from(*column).ok(), condition: *condition, duty: *duty }
        });
        // SAFETY: they live during this call, and are not kept.
        let conditions = unsafe { Conditions::new(conditions) };
        let running = F::start(file, columns.collect(), on.collect(), conditions)?;
        Ok(Box::into_raw(Box::new(running)).cast())
    };
    // SAFETY: the slot is this call's.
    unsafe { answer(slot, std::ptr::null_mut(), work) }
}

/// # Safety
/// For the layer to call, with a running scan.
unsafe extern "C" fn progress<F: FileScan>(running: *mut c_void) -> f64 {
    // SAFETY: the caller's.
    F::progress(unsafe { &*running.cast::<F::Running>() })
}

/// # Safety
/// For the layer to call.
unsafe extern "C" fn stream<F: FileScan>() -> *mut c_void {
    Box::into_raw(Box::new(Mutex::new(F::Stream::default()))).cast()
}

/// # Safety
/// For the layer to call, with a running scan and a stream; the conditions live until the stream
/// ends or claims again.
unsafe extern "C" fn claim<F: FileScan>(
    running: *mut c_void,
    stream: *mut c_void,
    conditions: *const RawConditions,
    slot: ErrorSlot,
) -> i32 {
    let work = || {
        // SAFETY: the caller's.
        let running = unsafe { &*running.cast::<F::Running>() };
        // SAFETY: the caller's.
        let stream = unsafe { &*stream.cast::<Mutex<F::Stream>>() };
        let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the caller's.
        let conditions = unsafe { Conditions::new(conditions) };
        Ok(i32::from(F::claim(running, &mut stream, conditions)?))
    };
    // SAFETY: the slot is this call's.
    unsafe { answer(slot, -1, work) }
}

/// # Safety
/// As [`claim`]; the chunk has the columns of the scan.
unsafe extern "C" fn fill<F: FileScan>(
    running: *mut c_void,
    stream: *mut c_void,
    chunk: duckdb_data_chunk,
    slot: ErrorSlot,
) -> i64 {
    let work = || {
        // SAFETY: the caller's.
        let running = unsafe { &*running.cast::<F::Running>() };
        // SAFETY: the caller's.
        let stream = unsafe { &*stream.cast::<Mutex<F::Stream>>() };
        let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the chunk is lent for this call, and its vectors were reset.
        let rows = F::fill(running, &mut stream, &mut unsafe { Chunk::new(chunk) })?;
        Ok(rows as i64)
    };
    // SAFETY: the slot is this call's.
    unsafe { answer(slot, -1, work) }
}
