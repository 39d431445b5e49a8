//! Expressions of the conditions that DuckDB offers.

/// Kind of an expression.
pub use libduckdb_sys::v2::DUCKDB_V2_EXPRESSION_TYPE as Is;
use libduckdb_sys::v2::*;

use super::call::{copied, given};
use super::handles::{second_value, value};
use super::types::Logical;
use crate::sys::value::Value;

/// An expression of a filter. Lives as long as the callback runs.
#[derive(Clone, Copy)]
pub struct Expression {
    pub raw: duckdb_v2_expression_handle,
    pub offer: duckdb_v2_table_function_filter_pushdown_info_handle,
}

impl Expression {
    /// Returns its kind.
    ///
    /// # Errors
    /// DuckDB returns an error.
    pub fn is(self) -> Result<Is, String> {
        // SAFETY: the expression lives.
        given(Is::DUCKDB_V2_EXPRESSION_TYPE_INVALID, |is, error| unsafe {
            duckdb_v2_expression_get_type(self.raw, is, error)
        })
    }

    /// Returns its children.
    ///
    /// # Errors
    /// DuckDB returns an error.
    pub fn children(self) -> Result<Vec<Self>, String> {
        // SAFETY: the expression lives.
        let count =
            given(0, |count, error| unsafe { duckdb_v2_expression_get_child_count(self.raw, count, error) })?;
        let child = |index| {
            let raw = given(std::ptr::null_mut(), |child, error| {
                // SAFETY: the index is below the count, and children live as long as their parents.
                unsafe { duckdb_v2_expression_get_child(self.raw, index, child, error) }
            })?;
            Ok(Self { raw, ..self })
        };
        (0..count).map(child).collect()
    }

    fn of(self) -> Result<Logical, String> {
        let of = given(std::ptr::null_mut(), |of, error| {
            // SAFETY: the expression lives.
            unsafe { duckdb_v2_expression_get_return_type(self.raw, of, error) }
        })?;
        // SAFETY: the type that came is ours.
        Ok(unsafe { Logical::take(of) })
    }

    /// Returns the column's index, if the expression is a column.
    ///
    /// # Errors
    /// DuckDB returns an error.
    pub fn column(self) -> Result<Option<usize>, String> {
        if self.is()? != Is::DUCKDB_V2_EXPRESSION_TYPE_BOUND_COLUMN_REF {
            return Ok(None);
        }
        // SAFETY: the expression lives and is a column.
        let index = given(0, |index, error| unsafe {
            duckdb_v2_expression_column_ref_get_index(self.raw, index, error)
        })?;
        // SAFETY: the offer lives, and the call returns an error for an unknown index.
        let column = given(0, |column, error| unsafe {
            duckdb_v2_table_function_filter_pushdown_get_column_index(self.offer, index, column, error)
        })?;
        Ok(Some(column as usize))
    }

    /// Returns the constant's value, if the expression is a constant. Excludes NULL, values of
    /// another type than `beside`, and texts with a zero, where C's strings end.
    ///
    /// # Errors
    /// DuckDB returns an error.
    pub fn constant(self, beside: Self) -> Result<Option<Value>, String> {
        if self.is()? != Is::DUCKDB_V2_EXPRESSION_TYPE_VALUE_CONSTANT {
            return Ok(None);
        }
        let (own, other) = (self.of()?, beside.of()?);
        let is_same = given(false, |is_same, error| {
            // SAFETY: both types live.
            unsafe { duckdb_v2_logical_type_is_equal(own.raw(), other.raw(), is_same, error) }
        })?;
        let found = given(std::ptr::null_mut(), |found, error| {
            // SAFETY: the expression lives and is a constant.
            unsafe { duckdb_v2_expression_constant_get_value(self.raw, found, error) }
        })?;
        // SAFETY: the value that came is ours.
        let found = unsafe { Value::take(value(found)) };
        let has_zero = |found: &Value| {
            let text = given(duckdb_v2_str::default(), |text, error| {
                // SAFETY: the value lives, and the call says no if it is no text.
                unsafe { duckdb_v2_value_get_varchar(second_value(found.raw()), text, error) }
            });
            // SAFETY: the text lives as long as the value.
            text.is_ok_and(|text| unsafe { copied(text) }.contains('\0'))
        };
        Ok(found.filter(|found| is_same && !found.is_null() && !(found.is_text() && has_zero(found))))
    }
}
