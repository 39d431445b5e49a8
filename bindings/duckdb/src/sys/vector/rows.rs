//! Chunks and vectors that Pelton reads.

use std::marker::PhantomData;

use libduckdb_sys::*;

use super::Pod;

/// A chunk of flat vectors.
pub struct Rows<'a> {
    raw: duckdb_data_chunk,
    lent: PhantomData<&'a ()>,
}

impl Rows<'_> {
    /// # Safety
    /// `raw` is a chunk of flat vectors, which no other code changes while this lives.
    pub(in crate::sys) unsafe fn new(raw: duckdb_data_chunk) -> Self {
        Self { raw, lent: PhantomData }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        // SAFETY: the chunk lives.
        unsafe { duckdb_data_chunk_get_size(self.raw) as usize }
    }

    /// Returns a column.
    ///
    /// # Panics
    /// There is no such column.
    pub fn column(&self, index: usize) -> Values<'_> {
        // SAFETY: the chunk lives, and the call says null where it has no such column.
        let raw = unsafe { duckdb_data_chunk_get_vector(self.raw, index as idx_t) };
        assert!(!raw.is_null(), "DuckDB's chunk has no column {index}");
        Values { raw, from: 0, rows: self.len(), lent: PhantomData }
    }
}

/// Some rows of a flat vector.
#[derive(Clone, Copy)]
pub struct Values<'a> {
    raw: duckdb_vector,
    from: usize,
    rows: usize,
    lent: PhantomData<&'a ()>,
}

/// Validity of rows.
#[derive(Clone, Copy)]
pub struct Validity<'a> {
    /// A bit for each row, from the lowest; the first `from` are of rows before.
    pub words: &'a [u64],
    /// Bits to pass over.
    pub from: usize,
}

impl Validity<'_> {
    /// Returns whether a row is not null.
    pub fn is_valid(&self, row: usize) -> bool {
        let bit = self.from + row;
        self.words[bit / 64] >> (bit % 64) & 1 == 1
    }
}

impl<'a> Values<'a> {
    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Returns some of the rows.
    ///
    /// # Panics
    /// There are fewer rows.
    pub fn slice(&self, from: usize, rows: usize) -> Self {
        assert!(
            from.checked_add(rows).is_some_and(|end| end <= self.rows),
            "{from} + {rows} of {} rows",
            self.rows
        );
        Values { from: self.from + from, rows, ..*self }
    }

    /// Returns the rows' validity; `None` if no row is null.
    pub fn validity(&self) -> Option<Validity<'a>> {
        // SAFETY: the vector lives and is flat.
        let words = unsafe { duckdb_vector_get_validity(self.raw) };
        if words.is_null() {
            return None;
        }
        let (from, end) = (self.from, self.from + self.rows);
        // SAFETY: a mask that exists has a word for every 64 rows, and does not change.
        let words = unsafe { std::slice::from_raw_parts(words, end.div_ceil(64)) };
        Some(Validity { words, from })
    }

    /// Returns the values; of null rows there may be any.
    ///
    /// # Safety
    /// The vector's values are of the width of `T`, and any bits are a value of it.
    pub(super) unsafe fn raw_values<T>(&self) -> &'a [T] {
        if self.rows == 0 {
            return &[];
        }
        // SAFETY: the vector lives and is flat.
        let data: *const T = unsafe { duckdb_vector_get_data(self.raw) }.cast();
        assert!(!data.is_null() && data.is_aligned(), "a vector without values");
        // SAFETY: the caller's: there are enough values of this width, which do not change.
        unsafe { std::slice::from_raw_parts(data.add(self.from), self.rows) }
    }

    /// Returns the values, as they lie in the vector; of null rows there may be any.
    ///
    /// # Panics
    /// The values do not have this width.
    pub fn values<T: Pod>(&self) -> &'a [T] {
        assert_eq!(self.width(), size_of::<T>(), "a vector of values of another width");
        // SAFETY: the width is that of `T`, for which every bit pattern is a value.
        unsafe { self.raw_values() }
    }

    /// Returns the elements of all lists.
    ///
    /// # Panics
    /// The type is no list or map.
    pub fn elements(&self) -> Values<'a> {
        let id = self.id();
        assert!([DUCKDB_TYPE_DUCKDB_TYPE_LIST, DUCKDB_TYPE_DUCKDB_TYPE_MAP].contains(&id), "no lists");
        // SAFETY: a vector of lists that lives.
        let (raw, rows) =
            unsafe { (duckdb_list_vector_get_child(self.raw), duckdb_list_vector_get_size(self.raw)) };
        Values { raw, from: 0, rows: rows as usize, lent: PhantomData }
    }

    /// Returns the elements of all arrays, which are of `size`.
    ///
    /// # Panics
    /// The type is no array.
    pub fn items(&self, size: usize) -> Values<'a> {
        assert_eq!(self.id(), DUCKDB_TYPE_DUCKDB_TYPE_ARRAY, "no arrays");
        // SAFETY: a vector of arrays that lives.
        let raw = unsafe { duckdb_array_vector_get_child(self.raw) };
        Values { raw, from: self.from * size, rows: self.rows * size, lent: PhantomData }
    }

    /// Returns a field of a struct.
    ///
    /// # Panics
    /// The type is no struct.
    pub fn field(&self, index: usize) -> Values<'a> {
        assert_eq!(self.id(), DUCKDB_TYPE_DUCKDB_TYPE_STRUCT, "no structs");
        // SAFETY: a vector of structs that lives; its type had this field when the statement was
        // bound.
        let raw = unsafe { duckdb_struct_vector_get_child(self.raw, index as idx_t) };
        assert!(!raw.is_null(), "no field {index}");
        Values { raw, ..*self }
    }

    /// Asks something of the vector's type.
    fn of<T>(&self, ask: impl FnOnce(duckdb_logical_type) -> T) -> T {
        // SAFETY: the vector lives; the type that comes is ours, and destroyed below.
        let mut of = unsafe { duckdb_vector_get_column_type(self.raw) };
        let answer = ask(of);
        // SAFETY: as above.
        unsafe { duckdb_destroy_logical_type(&mut of) };
        answer
    }

    pub(super) fn id(&self) -> DUCKDB_TYPE {
        // SAFETY: the type lives.
        self.of(|of| unsafe { duckdb_get_type_id(of) })
    }

    /// Returns the bytes of a value in the vector (DuckDB's `GetTypeIdSize` of its physical type);
    /// 0 for types without a value of their own.
    fn width(&self) -> usize {
        // SAFETY: the type lives.
        self.of(|of| match unsafe { duckdb_get_type_id(of) } {
            // SAFETY: it is a decimal.
            DUCKDB_TYPE_DUCKDB_TYPE_DECIMAL => width(unsafe { duckdb_decimal_internal_type(of) }),
            // SAFETY: it is an enum.
            DUCKDB_TYPE_DUCKDB_TYPE_ENUM => width(unsafe { duckdb_enum_internal_type(of) }),
            id => width(id),
        })
    }
}

fn width(id: DUCKDB_TYPE) -> usize {
    match id {
        DUCKDB_TYPE_DUCKDB_TYPE_BOOLEAN | DUCKDB_TYPE_DUCKDB_TYPE_TINYINT | DUCKDB_TYPE_DUCKDB_TYPE_UTINYINT => 1,
        DUCKDB_TYPE_DUCKDB_TYPE_SMALLINT | DUCKDB_TYPE_DUCKDB_TYPE_USMALLINT => 2,
        DUCKDB_TYPE_DUCKDB_TYPE_INTEGER
        | DUCKDB_TYPE_DUCKDB_TYPE_UINTEGER
        | DUCKDB_TYPE_DUCKDB_TYPE_FLOAT
        | DUCKDB_TYPE_DUCKDB_TYPE_DATE => 4,
        DUCKDB_TYPE_DUCKDB_TYPE_BIGINT
        | DUCKDB_TYPE_DUCKDB_TYPE_UBIGINT
        | DUCKDB_TYPE_DUCKDB_TYPE_DOUBLE
        | DUCKDB_TYPE_DUCKDB_TYPE_TIME
        | DUCKDB_TYPE_DUCKDB_TYPE_TIME_NS
        | DUCKDB_TYPE_DUCKDB_TYPE_TIME_TZ
        | DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP
        | DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_S
        | DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_MS
        | DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_NS
        | DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_TZ
        | DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_TZ_NS => 8,
        DUCKDB_TYPE_DUCKDB_TYPE_HUGEINT
        | DUCKDB_TYPE_DUCKDB_TYPE_UHUGEINT
        | DUCKDB_TYPE_DUCKDB_TYPE_UUID
        | DUCKDB_TYPE_DUCKDB_TYPE_INTERVAL
        // An offset and a length.
        | DUCKDB_TYPE_DUCKDB_TYPE_LIST
        | DUCKDB_TYPE_DUCKDB_TYPE_MAP => 16,
        _ => 0,
    }
}
