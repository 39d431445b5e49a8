//! Chunks and vectors that Pelton fills.

use std::marker::PhantomData;

use libduckdb_sys::*;

use super::{INLINE, Pod, VECTOR_ROWS};
use crate::sys::types::Type;

/// Some columns of up to [`VECTOR_ROWS`] rows.
pub struct Chunk<'a> {
    raw: duckdb_data_chunk,
    lent: PhantomData<&'a mut ()>,
}

impl Chunk<'_> {
    /// # Safety
    /// `raw` is a chunk of empty vectors, which no other code touches while this lives.
    pub(in crate::sys) unsafe fn new(raw: duckdb_data_chunk) -> Self {
        Self { raw, lent: PhantomData }
    }

    /// Returns a column. `of` is the type that was declared when the function was bound.
    ///
    /// # Panics
    /// There is no such column.
    pub fn column<'b>(&'b mut self, index: usize, of: &'b Type) -> Vector<'b> {
        // SAFETY: the chunk lives, and the call says null where it has no such column.
        let raw = unsafe { duckdb_data_chunk_get_vector(self.raw, index as idx_t) };
        assert!(!raw.is_null(), "DuckDB's chunk has no column {index}");
        Vector { raw, of, capacity: VECTOR_ROWS, lent: PhantomData }
    }

    /// Sets the number of rows that were written.
    ///
    /// # Panics
    /// The number exceeds the capacity.
    pub fn set_rows(&mut self, rows: usize) {
        assert!(rows <= VECTOR_ROWS, "{rows} rows in a chunk");
        // SAFETY: the chunk lives, and its vectors have that much capacity.
        unsafe { duckdb_data_chunk_set_size(self.raw, rows as idx_t) };
    }
}

/// A vector of a type, with capacity for some rows.
pub struct Vector<'a> {
    raw: duckdb_vector,
    of: &'a Type,
    capacity: usize,
    lent: PhantomData<&'a mut ()>,
}

impl<'a> Vector<'a> {
    /// # Safety
    /// `raw` is a flat vector of the type with a capacity of `capacity` rows, which no other code
    /// touches while this lives.
    pub(in crate::sys) unsafe fn new(raw: duckdb_vector, of: &'a Type, capacity: usize) -> Self {
        Self { raw, of, capacity, lent: PhantomData }
    }

    /// Its type.
    pub fn of(&self) -> &'a Type {
        self.of
    }

    /// Returns the raw handle, for calls that don't keep it.
    pub(in crate::sys) fn raw(&self) -> duckdb_vector {
        self.raw
    }

    /// Its first `rows` values, to be written.
    ///
    /// # Panics
    /// The type's values do not have the width of `T`, or the capacity is exceeded.
    pub fn values<T: Pod>(&mut self, rows: usize) -> &mut [T] {
        assert!(self.of.width() == size_of::<T>() && rows <= self.capacity, "{:?}: {rows} rows", self.of);
        // SAFETY: the vector lives and is flat, as nothing here makes it another.
        let data = unsafe { duckdb_vector_get_data(self.raw) }.cast::<T>();
        assert!(data.is_aligned() && !data.is_null(), "{:?} without memory", self.of);
        // SAFETY: the vector has memory for `capacity` values of the width of `T`, and every bit
        // pattern is a `T`. The memory may be uninitialised, but all callers only write to it. It
        // is lent to `self` alone for this borrow.
        unsafe { std::slice::from_raw_parts_mut(data, rows) }
    }

    /// Returns the validity, 64 rows a word, with a bit set for each value that is not null.
    /// Unwritten words are all set.
    pub fn validity(&mut self, rows: usize) -> &mut [u64] {
        assert!(rows <= self.capacity, "{:?}: validity of {rows} rows", self.of);
        // SAFETY: the vector lives and is flat.
        unsafe { duckdb_vector_ensure_validity_writable(self.raw) };
        // SAFETY: the same.
        let words = unsafe { duckdb_vector_get_validity(self.raw) };
        assert!(!words.is_null(), "{:?} without a mask", self.of);
        // SAFETY: after the first call there is a word for every 64 rows that the vector has
        // capacity for, all of them initialised, and they are lent to us alone.
        unsafe { std::slice::from_raw_parts_mut(words, rows.div_ceil(64)) }
    }

    /// Copies bytes into the vector's string memory and returns their address. They live as long as
    /// any vector refers to this one's memory. Overwrites the value of row `row`.
    ///
    /// # Panics
    /// The bytes fit into a value itself or exceed 4 GiB, or there is no such row.
    pub fn keep(&mut self, row: usize, bytes: &[u8]) -> u64 {
        assert!(self.of.width() == 16 && row < self.capacity, "{:?}: row {row}", self.of);
        assert!(bytes.len() > INLINE && u32::try_from(bytes.len()).is_ok(), "{} bytes", bytes.len());
        // SAFETY: the row is one of a vector of strings, as only such are asked to keep bytes and
        // the width agrees; DuckDB copies the bytes into the vector's heap and writes a `string_t`
        // of that copy into the row.
        unsafe {
            duckdb_unsafe_vector_assign_string_element_len(
                self.raw,
                row as idx_t,
                bytes.as_ptr().cast(),
                bytes.len() as idx_t,
            );
        }
        let value = self.values::<[u8; 16]>(row + 1)[row];
        // A `string_t` that is not inlined: length, four bytes, pointer.
        u64::from_ne_bytes([
            value[8], value[9], value[10], value[11], value[12], value[13], value[14], value[15],
        ])
    }

    /// Returns the elements of all lists in this vector, with capacity for `rows`. Once.
    ///
    /// # Panics
    /// Its type is no list or map.
    pub fn elements<'b>(&'b mut self, rows: usize, of: &'b Type) -> Vector<'b> {
        assert!(matches!(self.of, Type::List(_) | Type::Map(..)), "{:?} has no elements", self.of);
        // SAFETY: a vector of lists that lives.
        unsafe { duckdb_list_vector_reserve(self.raw, rows as idx_t) };
        // SAFETY: a vector of lists that lives, with capacity for the elements.
        unsafe { duckdb_list_vector_set_size(self.raw, rows as idx_t) };
        // SAFETY: the same; the child is the list's own and lives as long.
        let raw = unsafe { duckdb_list_vector_get_child(self.raw) };
        Vector { raw, of, capacity: rows, lent: PhantomData }
    }

    /// Returns a field of a struct, with as much capacity.
    ///
    /// # Panics
    /// There is no such field.
    pub fn field<'b>(&'b mut self, index: usize, fields: &'b [(String, Type)]) -> Vector<'b> {
        // SAFETY: a vector of structs that lives, and the struct has the field, as the type says
        // that it was made of.
        let raw = unsafe { duckdb_struct_vector_get_child(self.raw, index as idx_t) };
        Vector { raw, of: &fields[index].1, capacity: self.capacity, lent: PhantomData }
    }
}
