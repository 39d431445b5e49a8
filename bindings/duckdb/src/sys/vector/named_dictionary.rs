//! Dictionaries with a name.
//!
//! DuckDB hashes the strings of a dictionary once, groups by its indexes, and computes functions of
//! its entries once, if the dictionary has a name (`DictionaryEntry::id`), as dictionaries of its
//! own Parquet reader do. Neither C interface gives names. DuckDB's libraries and its Python module
//! export the two C++ functions that do; they are looked up by their mangled names, which include
//! the types of all parameters.
//!
//! The following assumptions come from the source of 2.0.0, so that the functions are looked up in
//! that version alone, and [`check`] tries them first:
//! - A `duckdb_vector`, `duckdb_logical_type` and `duckdb_selection_vector` are pointers to
//!   `Vector`, `LogicalType` and `SelectionVector` (`main/capi/v1`).
//! - `DictionaryEntry` has no virtual function, and begins with `Vector data`
//!   (`common/vector/dictionary_vector.hpp`).
//! - `duckdb::shared_ptr` is a `std::shared_ptr` and nothing else (`common/shared_ptr_ipp.hpp`), so
//!   in all standard libraries a pointer to the object and one to its count.
//!
//! The Itanium C++ ABI (3.1.2, 3.1.3) defines how these are passed: a non-trivial result goes to
//! memory that the caller provides; a non-trivial argument lies in memory of the caller, which
//! destroys it after the call.

use std::ffi::{CStr, c_void};
use std::sync::OnceLock;

use libduckdb_sys::*;
use libloading::os::unix::{Library, RTLD_LAZY};

use crate::sys::connection::VERSION;
use crate::sys::types::{LogicalType, Type};

/// `DictionaryVector::CreateReusableDictionary(const LogicalType &, const idx_t &)`. On macOS
/// `idx_t` is mangled differently, so that the function is not found there.
const CREATE: &CStr = c"_ZN6duckdb16DictionaryVector24CreateReusableDictionaryERKNS_11LogicalTypeERKm";
type Create = unsafe extern "C-unwind" fn(duckdb_logical_type, *const idx_t) -> Shared;

/// `Vector::Dictionary(buffer_ptr<DictionaryEntry>, const SelectionVector &, idx_t)`.
const REFER: &CStr =
    c"_ZN6duckdb6Vector10DictionaryENS_10shared_ptrINS_15DictionaryEntryELb1EEERKNS_15SelectionVectorEm";
type Refer = unsafe extern "C-unwind" fn(duckdb_vector, *mut Shared, duckdb_selection_vector, idx_t);

/// `duckdb::shared_ptr<DictionaryEntry>` and an unused word. A C result of three words goes to
/// memory that the caller provides, like a non-trivial C++ result, on x86-64 and on AArch64.
#[repr(C)]
struct Shared {
    entry: *mut c_void,
    count: *mut c_void,
    unused: *mut c_void,
}

/// The two functions.
#[derive(Clone, Copy)]
struct Functions {
    create: Create,
    refer: Refer,
}

/// Returns the reason why dictionaries have no names; `None` if they have.
pub fn without_names() -> Option<String> {
    functions().as_ref().err().cloned()
}

/// Makes a vector refer to `len` new entries with a name, its first row to the first, and so on.
/// Returns the entries, which live as long as any vector refers to them; `None`: DuckDB makes none
/// with a name.
///
/// # Safety
/// `vector` is a vector of the type, strings or bytes, without another user.
pub(super) unsafe fn name_entries(
    vector: duckdb_vector,
    of: &LogicalType,
    len: usize,
) -> Option<duckdb_vector> {
    let functions = *functions().as_ref().ok()?;
    // SAFETY: the caller's.
    Some(unsafe { functions.make(vector, of, len) })
}

fn functions() -> &'static Result<Functions, String> {
    static FOUND: OnceLock<Result<Functions, String>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let functions = find()?;
        if check(functions) { Ok(functions) } else { Err("DuckDB's functions do something else".to_owned()) }
    })
}

fn find() -> Result<Functions, String> {
    // SAFETY: a text that lives as long as the process and ends in a zero.
    let version = unsafe { CStr::from_ptr(duckdb_library_version()) };
    if version.to_str() != Ok(VERSION) {
        let version = version.to_string_lossy();
        return Err(format!("DuckDB is {version}, and how names are given is {VERSION}'s"));
    }
    // SAFETY: zeroes are a value of this struct of pointers.
    let mut place: libc::Dl_info = unsafe { std::mem::zeroed() };
    // The text is in the file that contains DuckDB.
    // SAFETY: any address may be asked for, and `place` is written.
    let found = unsafe { libc::dladdr(version.as_ptr().cast(), &mut place) };
    if found == 0 || place.dli_fname.is_null() {
        return Err("the system does not say which file DuckDB is in".to_owned());
    }
    // SAFETY: a text of the loader's, which lives as long as the file is loaded.
    let path = unsafe { CStr::from_ptr(place.dli_fname) }.to_string_lossy();
    // SAFETY: nothing is loaded that is not loaded already, so that nothing runs.
    let library = unsafe { Library::open(Some(&*path), RTLD_LAZY | libc::RTLD_NOLOAD) };
    let library = library.map_err(|_| format!("{path}: the system has no library of this name loaded"))?;
    let missing = |_| format!("{path} does not export what gives dictionaries names");
    // SAFETY: the names are those of functions that take and return these, by the module's
    // description.
    let create = *unsafe { library.get::<Create>(CREATE.to_bytes_with_nul()) }.map_err(missing)?;
    // SAFETY: the same.
    let refer = *unsafe { library.get::<Refer>(REFER.to_bytes_with_nul()) }.map_err(missing)?;
    Ok(Functions { create, refer })
}

impl Functions {
    /// As [`name_entries`].
    ///
    /// # Safety
    /// As there.
    unsafe fn make(self, vector: duckdb_vector, of: &LogicalType, len: usize) -> duckdb_vector {
        let len = len as idx_t;
        // SAFETY: type and length live until the call returns.
        let mut shared = unsafe { (self.create)(of.raw(), &len) };
        let entries: duckdb_vector = shared.entry.cast();
        let selection = Selection::new(0..len as sel_t);
        // SAFETY: vector and selection live. The call copies the selection and moves out of
        // `shared`, which leaves null pointers that need not be destroyed.
        unsafe { (self.refer)(vector, &mut shared, selection.0, len) };
        entries
    }
}

/// Numbers of rows, gone when this is.
struct Selection(duckdb_selection_vector);

impl Selection {
    fn new(rows: impl ExactSizeIterator<Item = sel_t>) -> Self {
        // SAFETY: makes a selection of this length.
        let selection = Self(unsafe { duckdb_create_selection_vector(rows.len() as idx_t) });
        // SAFETY: it has memory for this number of rows, and no other writer.
        let to = unsafe { duckdb_selection_vector_get_data_ptr(selection.0) };
        // SAFETY: the same.
        rows.enumerate().for_each(|(at, row)| unsafe { to.add(at).write(row) });
        selection
    }
}

impl Drop for Selection {
    fn drop(&mut self) {
        // SAFETY: it was made by us and is destroyed once.
        unsafe { duckdb_destroy_selection_vector(self.0) }
    }
}

/// Returns whether a vector has the entries that were written to its dictionary.
fn check(functions: Functions) -> bool {
    const ENTRIES: [&[u8]; 2] = [b"one", b"longer than what a value itself has room for"];
    let of = LogicalType::from(&Type::Varchar);
    // SAFETY: makes a vector, destroyed below.
    let mut vector = unsafe { duckdb_create_vector(of.raw(), 1) };
    // SAFETY: the same.
    let mut copy = unsafe { duckdb_create_vector(of.raw(), ENTRIES.len() as idx_t) };
    // SAFETY: a vector of ours, of strings.
    let entries = unsafe { functions.make(vector, &of, ENTRIES.len()) };
    for (entry, row) in ENTRIES.iter().zip(0..) {
        // SAFETY: the row is one of the entries; the call copies the bytes.
        unsafe {
            duckdb_vector_assign_string_element_len(
                entries,
                row,
                entry.as_ptr().cast(),
                entry.len() as idx_t,
            );
        }
    }
    let selection = Selection::new([1, 0].into_iter());
    // SAFETY: all three live; there are two rows, and capacity for them.
    let data = unsafe {
        duckdb_vector_copy_sel(vector, copy, selection.0, ENTRIES.len() as idx_t, 0, 0);
        duckdb_vector_get_data(copy)
    };
    let is_sound = ENTRIES.iter().rev().enumerate().all(|(row, entry)| {
        // SAFETY: the copy is flat and has a string in each row.
        let string = unsafe { &mut *data.cast::<duckdb_string_t>().add(row) };
        // SAFETY: the same.
        let (length, data) = unsafe { (duckdb_string_t_length(*string), duckdb_string_t_data(string)) };
        // SAFETY: the string has this number of bytes.
        entry == &unsafe { std::slice::from_raw_parts(data.cast::<u8>(), length as usize) }
    });
    // SAFETY: both were made by us and are destroyed once.
    unsafe {
        duckdb_destroy_vector(&mut vector);
        duckdb_destroy_vector(&mut copy);
    }
    is_sound
}
