//! Single values: parameters and settings.

use libduckdb_sys::*;

use super::ffi::{c_string, take};

/// A value of DuckDB's.
pub struct Value(duckdb_value);

impl Value {
    /// Takes over a value; `None` for null pointers.
    ///
    /// # Safety
    /// `raw` is null, or a value without another owner.
    pub(in crate::sys) unsafe fn take(raw: duckdb_value) -> Option<Value> {
        (!raw.is_null()).then_some(Value(raw))
    }

    /// Returns the raw handle, for a call that does not keep it.
    pub(in crate::sys) fn raw(&self) -> duckdb_value {
        self.0
    }

    /// Returns a VARCHAR.
    pub fn text(text: &str) -> Value {
        let text = c_string(text);
        // SAFETY: the call copies the text.
        Value(unsafe { duckdb_create_varchar(text.as_ptr()) })
    }

    /// Returns a BIGINT.
    pub fn integer(value: i64) -> Value {
        // SAFETY: the call takes any number.
        Value(unsafe { duckdb_create_int64(value) })
    }

    /// Returns a BOOLEAN.
    pub fn boolean(value: bool) -> Value {
        // SAFETY: the call takes any boolean.
        Value(unsafe { duckdb_create_bool(value) })
    }

    /// Returns whether it is NULL.
    pub fn is_null(&self) -> bool {
        // SAFETY: a value that lives.
        unsafe { duckdb_is_null_value(self.0) }
    }

    /// Returns the id of its type.
    fn type_id(&self) -> DUCKDB_TYPE {
        // SAFETY: the type of a value is the value's own, and not to be destroyed.
        unsafe { duckdb_get_type_id(duckdb_get_value_type(self.0)) }
    }

    /// Returns whether it is a string that is not NULL.
    pub fn is_text(&self) -> bool {
        let strings = [DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_DUCKDB_TYPE_STRING_LITERAL];
        !self.is_null() && strings.contains(&self.type_id())
    }

    /// Returns whether it is a TIMESTAMP WITH TIME ZONE.
    pub fn is_moment(&self) -> bool {
        !self.is_null() && self.type_id() == DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_TZ
    }

    /// Returns whether it is a DOUBLE.
    pub fn is_double(&self) -> bool {
        !self.is_null() && self.type_id() == DUCKDB_TYPE_DUCKDB_TYPE_DOUBLE
    }

    /// Returns the result of a cast to VARCHAR.
    pub fn as_text(&self) -> Option<String> {
        if self.is_null() {
            return None;
        }
        // SAFETY: a value that lives; the string that comes is ours.
        unsafe { take(duckdb_get_varchar(self.0)) }
    }

    /// Returns the value as a boolean, cast if it has another type.
    pub fn as_boolean(&self) -> Option<bool> {
        // SAFETY: a value that lives; the call casts it, or gives false.
        (!self.is_null()).then(|| unsafe { duckdb_get_bool(self.0) })
    }

    /// Returns the value as an integer. DuckDB returns the smallest integer for values that it
    /// cannot cast.
    pub fn as_integer(&self) -> Option<i64> {
        // SAFETY: a value that lives; the call casts it, or gives the smallest integer.
        (!self.is_null()).then(|| unsafe { duckdb_get_int64(self.0) })
    }

    /// Returns the elements of a list; `None` for other types.
    pub fn elements(&self) -> Option<Vec<Value>> {
        if self.is_null() || self.type_id() != DUCKDB_TYPE_DUCKDB_TYPE_LIST {
            return None;
        }
        // SAFETY: a list value that lives.
        let count = unsafe { duckdb_get_list_size(self.0) };
        // SAFETY: the index is below the list's size, and each element that comes is ours.
        (0..count).map(|index| unsafe { Value::take(duckdb_get_list_child(self.0, index)) }).collect()
    }

    /// Returns the fields of a struct, by name; `None` for other types.
    pub fn fields(&self) -> Option<Vec<(String, Value)>> {
        if self.is_null() || self.type_id() != DUCKDB_TYPE_DUCKDB_TYPE_STRUCT {
            return None;
        }
        // SAFETY: the type of a value is the value's own, and lives as long.
        let of = unsafe { duckdb_get_value_type(self.0) };
        // SAFETY: a struct's type that lives.
        let count = unsafe { duckdb_struct_type_child_count(of) };
        let field = |index| {
            // SAFETY: the index is below the number of fields; the name that comes is ours.
            let name = unsafe { take(duckdb_struct_type_child_name(of, index)) }?;
            // SAFETY: the index is below the number of fields, and the value that comes is ours.
            let value = unsafe { Value::take(duckdb_get_struct_child(self.0, index)) }?;
            Some((name, value))
        };
        (0..count).map(field).collect()
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        // SAFETY: it was made by one of DuckDB's functions and is destroyed once.
        unsafe { duckdb_destroy_value(&mut self.0) }
    }
}
