//! Conditions that DuckDB evaluates for a scan, a table of its functions for one thread.

use std::ffi::{c_char, c_void};
use std::ptr::null_mut;

use libduckdb_sys::{duckdb_create_vector, duckdb_destroy_vector, duckdb_vector, idx_t};

use crate::sys::ffi::take_error;
use crate::sys::types::{LogicalType, Type};
use crate::sys::vector::Vector;

/// `PeltonConditions` of `native/engine.h`.
#[repr(C)]
pub struct RawConditions {
    context: *mut c_void,
    evaluate: unsafe extern "C" fn(*mut c_void, u64, duckdb_vector, u64, *mut u32, *mut *mut c_char) -> i64,
    may_hold: unsafe extern "C" fn(
        *mut c_void,
        u64,
        duckdb_vector,
        duckdb_vector,
        u64,
        *mut u8,
        *mut *mut c_char,
    ) -> i32,
    free_error: unsafe extern "C" fn(*mut c_char),
}

/// The conditions of one thread on one file. The calls of one thread's stream alone use them.
#[derive(Debug, Clone, Copy)]
pub struct Conditions(*const RawConditions);

// SAFETY: the conditions lie in the state of one thread of DuckDB's, which makes all calls of a
// stream; DuckDB may hand that state to another thread between two calls, but not during one.
unsafe impl Send for Conditions {}
// SAFETY: the same: no two threads make calls at the same time.
unsafe impl Sync for Conditions {}

impl Conditions {
    /// # Safety
    /// `raw` lives until the stream that gets these conditions ends or gets others, and one thread
    /// at a time calls the stream.
    pub(super) unsafe fn new(raw: *const RawConditions) -> Self {
        Self(raw)
    }

    /// Returns the passing ones of the first `rows` values of a vector, ascending; `None` if all
    /// pass.
    ///
    /// # Errors
    /// DuckDB's error.
    pub fn evaluate(
        &self,
        condition: u64,
        values: &Scratch,
        rows: usize,
    ) -> Result<Option<Vec<u32>>, String> {
        assert!(rows <= values.capacity, "{rows} rows of {}", values.capacity);
        // SAFETY: the constructor's caller says that it lives.
        let raw = unsafe { &*self.0 };
        let mut passing = vec![0u32; rows];
        let mut error = null_mut();
        // SAFETY: the vector is flat and has this number of values, and there is room for as many
        // numbers of rows.
        let count = unsafe {
            (raw.evaluate)(raw.context, condition, values.raw, rows as u64, passing.as_mut_ptr(), &mut error)
        };
        let Ok(count) = usize::try_from(count) else {
            // SAFETY: the error that comes with a negative count.
            return Err(unsafe { take_error(error, raw.free_error) });
        };
        passing.truncate(count);
        Ok((count < rows).then_some(passing))
    }

    /// Returns for each pair of bounds whether a value between them may pass. NULL is unknown.
    ///
    /// # Errors
    /// DuckDB's error.
    pub fn may_hold(
        &self,
        condition: u64,
        mins: &Scratch,
        maxes: &Scratch,
        count: usize,
    ) -> Result<Vec<bool>, String> {
        assert!(count <= mins.capacity.min(maxes.capacity), "{count} bounds");
        // SAFETY: as in `evaluate`.
        let raw = unsafe { &*self.0 };
        let mut may = vec![1u8; count];
        let mut error = null_mut();
        // SAFETY: both vectors are flat and have this number of values, and so has the result.
        let done = unsafe {
            let (may, error) = (may.as_mut_ptr(), &mut error);
            (raw.may_hold)(raw.context, condition, mins.raw, maxes.raw, count as u64, may, error)
        };
        if done < 0 {
            // SAFETY: the error that comes with a negative result.
            return Err(unsafe { take_error(error, raw.free_error) });
        }
        Ok(may.into_iter().map(|may| may != 0).collect())
    }
}

/// A flat vector of ours, to be given to [`Conditions`].
pub struct Scratch {
    raw: duckdb_vector,
    of: Type,
    capacity: usize,
}

impl Scratch {
    /// Makes a vector without values.
    pub fn new(of: &Type, capacity: usize) -> Self {
        // SAFETY: makes a vector with this capacity, destroyed on drop.
        let raw = unsafe { duckdb_create_vector(LogicalType::from(of).raw(), capacity.max(1) as idx_t) };
        Self { raw, of: of.clone(), capacity }
    }

    /// Returns the vector, to be filled once.
    pub fn empty(&mut self) -> Vector<'_> {
        // SAFETY: a flat vector of the type and the capacity, borrowed from this.
        unsafe { Vector::new(self.raw, &self.of, self.capacity) }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // SAFETY: it was made by us and is destroyed once.
        unsafe { duckdb_destroy_vector(&mut self.raw) }
    }
}
