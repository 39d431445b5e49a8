//! Vectors of indexes into a dictionary.

use libduckdb_sys::*;

use super::chunk::Vector;
use super::named_dictionary::name_entries;
use crate::sys::types::{LogicalType, Type};

/// Entries that the rows of several vectors refer to. DuckDB counts the references: the entries,
/// and the memory of their strings, live until the last vector that refers to them is gone, whether
/// or not this is.
pub struct Dictionary {
    /// A vector that refers to the entries or, for entries without a name, a vector of lists that
    /// contain the entries: the C interface can set the length only of a chunk's vectors, which is
    /// too short, and of lists.
    owner: duckdb_vector,
    /// The vector that others share: the owner, or the elements of its lists.
    entries: duckdb_vector,
    len: usize,
}

// SAFETY: DuckDB's vectors are bound to no thread, and their references are counted atomically
// (`shared_ptr`).
unsafe impl Send for Dictionary {}

impl Dictionary {
    /// Makes a dictionary of `len` entries and has `write` write them. `None`: DuckDB has no memory
    /// for it.
    pub fn new<E>(
        of: &Type,
        len: usize,
        write: impl FnOnce(&mut Vector) -> Result<(), E>,
    ) -> Option<Result<Self, E>> {
        let mut dictionary = Dictionary::empty(of, len)?;
        let owner = dictionary.owner;
        let logical = LogicalType::from(of);
        // SAFETY: a vector of that type without another user.
        if let Some(entries) = unsafe { name_entries(owner, &logical, len) } {
            dictionary.entries = owner;
            // SAFETY: it is flat, of the type, has that many rows, and has no other user.
            let mut entries = unsafe { Vector::new(entries, of, len) };
            return Some(write(&mut entries).map(|()| dictionary));
        }
        let list = Type::List(Box::new(of.clone()));
        let mut dictionary = Dictionary::empty(&list, len)?;
        let owner = dictionary.owner;
        // SAFETY: `owner` is a vector of that type without another user.
        let mut lists = unsafe { Vector::new(owner, &list, 1) };
        let mut entries = lists.elements(len, of);
        dictionary.entries = entries.raw();
        Some(write(&mut entries).map(|()| dictionary))
    }

    /// Returns a dictionary that is owned by a vector of this type with capacity for a row.
    fn empty(of: &Type, len: usize) -> Option<Self> {
        let logical = LogicalType::from(of);
        // SAFETY: the type lives until the call returns, which copies it.
        let owner = unsafe { duckdb_create_vector(logical.raw(), 1) };
        (!owner.is_null()).then_some(Dictionary { owner, entries: std::ptr::null_mut(), len })
    }
}

impl Drop for Dictionary {
    fn drop(&mut self) {
        // SAFETY: it was made here and is destroyed once; vectors that refer to the entries hold
        // them.
        unsafe { duckdb_destroy_vector(&mut self.owner) }
    }
}

impl Vector<'_> {
    /// Has each row refer to an entry, which has to be of this vector's type. The vector can't be
    /// written after that.
    ///
    /// # Panics
    /// There is no such entry.
    pub fn refer(self, dictionary: &Dictionary, indexes: &[u32]) {
        let largest = indexes.iter().fold(0, |largest, &index| largest.max(index));
        assert!((largest as usize) < dictionary.len, "entry {largest} of {}", dictionary.len);
        // SAFETY: makes a selection of this length.
        let selection = unsafe { duckdb_create_selection_vector(indexes.len() as idx_t) };
        // SAFETY: it was just made, and has memory for this number of 32-bit integers.
        let to = unsafe {
            std::slice::from_raw_parts_mut(duckdb_selection_vector_get_data_ptr(selection), indexes.len())
        };
        to.copy_from_slice(indexes);
        // SAFETY: all three live. The first call shares the entries' memory with the vector; the
        // second makes it a dictionary vector (`Vector::Slice`,
        // `StandardVectorBuffer::SliceInternal`) that shares the selection's memory, or, if the
        // entries are a dictionary vector already, one of that dictionary
        // (`DictionaryBuffer::SliceInternal`). Every index is less than the number of entries. The
        // selection is destroyed once.
        unsafe {
            duckdb_vector_reference_vector(self.raw(), dictionary.entries);
            duckdb_slice_vector(self.raw(), selection, indexes.len() as idx_t);
            duckdb_destroy_selection_vector(selection);
        }
    }
}
