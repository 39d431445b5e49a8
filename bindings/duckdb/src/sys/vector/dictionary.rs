//! Vectors that say for each row which entry of a dictionary it is.

use libduckdb_sys::*;

use super::chunk::Vector;
use super::named_dictionary::name_entries;
use crate::sys::types::{LogicalType, Type};

/// Entries that the rows of several vectors refer to. DuckDB counts the references: the entries,
/// and the memory of their strings, live until the last vector that refers to them is gone, whether
/// or not this is.
pub struct Dictionary {
    /// A vector that refers to the entries, or, where these have no name, one of lists whose
    /// elements they are: the C interface can say how many values a vector has only of a chunk's,
    /// which has room for 2048 at most, and of a list's.
    owner: duckdb_vector,
    /// What other vectors share: the owner, or the elements of its lists.
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
        // SAFETY: a vector of that type, which nobody else has.
        if let Some(entries) = unsafe { name_entries(owner, &logical, len) } {
            dictionary.entries = owner;
            // SAFETY: it is flat, of the type, has that many rows, and nobody else knows it.
            let mut entries = unsafe { Vector::new(entries, of, len) };
            return Some(write(&mut entries).map(|()| dictionary));
        }
        let list = Type::List(Box::new(of.clone()));
        let mut dictionary = Dictionary::empty(&list, len)?;
        let owner = dictionary.owner;
        // SAFETY: `owner` is a vector of that type, which nobody else has.
        let mut lists = unsafe { Vector::new(owner, &list, 1) };
        let mut entries = lists.elements(len, of);
        dictionary.entries = entries.raw();
        Some(write(&mut entries).map(|()| dictionary))
    }

    /// One whose owner is a vector of this type with room for a row.
    fn empty(of: &Type, len: usize) -> Option<Self> {
        let logical = LogicalType::from(of);
        // SAFETY: the type lives until the call returns, which copies it.
        let owner = unsafe { duckdb_create_vector(logical.raw(), 1) };
        (!owner.is_null()).then_some(Dictionary { owner, entries: std::ptr::null_mut(), len })
    }
}

impl Drop for Dictionary {
    fn drop(&mut self) {
        // SAFETY: it was made by us and is destroyed once; what refers to the entries holds them.
        unsafe { duckdb_destroy_vector(&mut self.owner) }
    }
}

impl Vector<'_> {
    /// Has each row refer to an entry, which has to be of this vector's type. The vector can't be
    /// written after that.
    ///
    /// # Panics
    /// There is no such entry.
    pub fn refer(self, dictionary: &Dictionary, codes: &[u32]) {
        let largest = codes.iter().fold(0, |largest, &code| largest.max(code));
        assert!((largest as usize) < dictionary.len, "entry {largest} of {}", dictionary.len);
        // SAFETY: makes a selection with room for so many.
        let selection = unsafe { duckdb_create_selection_vector(codes.len() as idx_t) };
        // SAFETY: it was just made, and has memory for as many numbers of 32 bits.
        let to = unsafe {
            std::slice::from_raw_parts_mut(duckdb_selection_vector_get_data_ptr(selection), codes.len())
        };
        to.copy_from_slice(codes);
        // SAFETY: all three live; the first call has the vector share the entries' memory, the
        // second makes of it a dictionary of these (`Vector::Slice`,
        // `StandardVectorBuffer::SliceInternal`), for which it shares the memory of the selection,
        // or of the entries that it referred to already a dictionary of those
        // (`DictionaryBuffer::SliceInternal`). Every number is below that of the entries. Ours can
        // go.
        unsafe {
            duckdb_vector_reference_vector(self.raw(), dictionary.entries);
            duckdb_slice_vector(self.raw(), selection, codes.len() as idx_t);
            duckdb_destroy_selection_vector(selection);
        }
    }
}
