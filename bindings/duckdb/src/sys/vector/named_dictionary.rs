//! Dictionaries with a name.
//!
//! DuckDB hashes the strings of a dictionary once, groups by its indexes, and computes functions of
//! its entries once, if the dictionary has a name, as dictionaries of its own Parquet reader do.
//! Neither C interface gives names; the native layer does.

use std::sync::OnceLock;

use libduckdb_sys::*;

use crate::sys::types::LogicalType;

/// `pelton_native_name_entries`: makes a vector of a type refer to a number of new entries, and
/// returns their vector, or null.
pub(in crate::sys) type NameEntries =
    unsafe extern "C" fn(duckdb_vector, duckdb_logical_type, idx_t) -> duckdb_vector;

/// The layer's function. Every DuckDB of a process has a copy of the extension for itself.
static FUNCTION: OnceLock<NameEntries> = OnceLock::new();

/// Gives dictionaries names from now on, by the function of the native layer.
pub(in crate::sys) fn name_by(function: NameEntries) {
    FUNCTION.get_or_init(|| function);
}

/// Returns whether dictionaries have names.
pub fn has_names() -> bool {
    FUNCTION.get().is_some()
}

/// Makes a vector refer to `len` new entries with a name, its first row to the first, and so on.
/// Returns the entries, which live as long as any vector refers to them; `None`: there is no native
/// layer, or no memory.
///
/// # Safety
/// `vector` is a vector of the type, strings or bytes, without another user.
pub(super) unsafe fn name_entries(
    vector: duckdb_vector,
    of: &LogicalType,
    len: usize,
) -> Option<duckdb_vector> {
    let function = *FUNCTION.get()?;
    // SAFETY: the caller's; the type lives until the call returns.
    let entries = unsafe { function(vector, of.raw(), len as idx_t) };
    (!entries.is_null()).then_some(entries)
}
