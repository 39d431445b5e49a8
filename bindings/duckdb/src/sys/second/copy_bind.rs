//! What the second interface says of a `COPY … TO`.

use libduckdb_sys::v2::*;

use super::call::{copied, given};
use super::context::Context;
use super::same::value;
use super::types::{Logical, kind};
use crate::sys::Settings;
use crate::sys::copy::CopyBind;
use crate::sys::describe::Kind;
use crate::sys::value::Value;

/// A statement that is being bound.
pub struct Binding {
    pub raw: duckdb_v2_copy_to_bind_info_handle,
    pub context: Context,
}

impl Settings for Binding {
    fn setting(&self, name: &str) -> Option<Value> {
        self.context.setting(name)
    }
}

impl Binding {
    /// The types of the columns.
    ///
    /// # Errors
    /// DuckDB does not say.
    pub fn types(&self) -> Result<Vec<Logical>, String> {
        // SAFETY: `raw` lives while this does.
        let count = given(0, |count, error| unsafe {
            duckdb_v2_copy_to_bind_get_column_count(self.raw, count, error)
        })?;
        let of = |index| {
            let of = given(std::ptr::null_mut(), |of, error| {
                // SAFETY: the index is below the count.
                unsafe { duckdb_v2_copy_to_bind_get_column_type(self.raw, index, of, error) }
            })?;
            // SAFETY: the type that came is ours.
            Ok(unsafe { Logical::take(of) })
        };
        (0..count).map(of).collect()
    }
}

impl CopyBind for Binding {
    fn columns(&self) -> Result<Vec<(Option<String>, Kind)>, String> {
        let factory = self.context.factory()?;
        let named = |(index, of): (usize, Logical)| {
            let name = given(duckdb_v2_identifier_t::default(), |name, error| {
                // SAFETY: there are as many names as types.
                unsafe { duckdb_v2_copy_to_bind_get_column_name(self.raw, index as idx_t, name, error) }
            })?;
            // SAFETY: the name lives as long as the callback runs.
            Ok((Some(unsafe { copied(name) }), kind(factory, &of)?))
        };
        self.types()?.into_iter().enumerate().map(named).collect()
    }

    fn options(&self) -> Result<Vec<(String, Value)>, String> {
        // SAFETY: `raw` lives while this does.
        let count = given(0, |count, error| unsafe {
            duckdb_v2_copy_to_bind_get_option_count(self.raw, count, error)
        })?;
        let option = |index| {
            let name = given(duckdb_v2_identifier_t::default(), |name, error| {
                // SAFETY: the index is below the count.
                unsafe { duckdb_v2_copy_to_bind_get_option_name(self.raw, index, name, error) }
            })?;
            let found = given(std::ptr::null_mut(), |found, error| {
                // SAFETY: the same.
                unsafe { duckdb_v2_copy_to_bind_get_option_value(self.raw, index, found, error) }
            })?;
            // SAFETY: the name lives as long as the callback runs, and the value that came is ours.
            let (name, found) = unsafe { (copied(name), Value::take(value(found))) };
            Ok((name, found.ok_or("DuckDB gives no value for an option")?))
        };
        (0..count).map(option).collect()
    }
}
