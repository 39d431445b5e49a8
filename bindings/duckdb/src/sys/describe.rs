//! DuckDB's types, as they describe themselves: more than those that Pelton gives.

use libduckdb_sys::*;

use super::string::take;

/// A type of DuckDB's, of a column that it gives us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// One that has no parts, by its id (`DUCKDB_TYPE`), and its alias, such as JSON.
    Plain(DUCKDB_TYPE, Option<String>),
    /// Width and scale.
    Decimal(u8, u8),
    /// Its words.
    Enum(Vec<String>),
    /// Lists of a type.
    List(Box<Kind>),
    /// Arrays of so many of a type.
    Array(Box<Kind>, usize),
    /// Keys and values.
    Map(Box<Kind>, Box<Kind>),
    /// Fields by name.
    Struct(Vec<(String, Kind)>),
}

/// A type that is ours to destroy.
struct Owned(duckdb_logical_type);

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: it is destroyed once; null is let be.
        unsafe { duckdb_destroy_logical_type(&mut self.0) }
    }
}

impl Kind {
    /// Takes a type over and looks at it.
    ///
    /// # Safety
    /// `raw` is null, or a type that nobody else destroys.
    pub(super) unsafe fn take(raw: duckdb_logical_type) -> Kind {
        let owned = Owned(raw);
        // SAFETY: the caller's.
        unsafe { Kind::of(owned.0) }
    }

    /// Looks at a type.
    ///
    /// # Safety
    /// `raw` is null, or a type.
    pub(super) unsafe fn of(raw: duckdb_logical_type) -> Kind {
        // SAFETY: for this call and all below, the type lives until the end of this function, the
        // functions for a type with parts are asked of such a type only, indices are below the
        // counts, and types and texts that come are ours.
        let id = unsafe { duckdb_get_type_id(raw) };
        match id {
            DUCKDB_TYPE_DUCKDB_TYPE_DECIMAL => {
                // SAFETY: as above.
                unsafe { Kind::Decimal(duckdb_decimal_width(raw), duckdb_decimal_scale(raw)) }
            }
            DUCKDB_TYPE_DUCKDB_TYPE_ENUM => {
                // SAFETY: as above.
                let count = idx_t::from(unsafe { duckdb_enum_dictionary_size(raw) });
                // SAFETY: as above.
                let word = |i| unsafe { take(duckdb_enum_dictionary_value(raw, i)) }.unwrap_or_default();
                Kind::Enum((0..count).map(word).collect())
            }
            DUCKDB_TYPE_DUCKDB_TYPE_LIST => {
                // SAFETY: as above.
                Kind::List(Box::new(unsafe { Kind::take(duckdb_list_type_child_type(raw)) }))
            }
            DUCKDB_TYPE_DUCKDB_TYPE_ARRAY => {
                // SAFETY: as above.
                let (item, size) =
                    unsafe { (duckdb_array_type_child_type(raw), duckdb_array_type_array_size(raw)) };
                // SAFETY: as above.
                Kind::Array(Box::new(unsafe { Kind::take(item) }), size as usize)
            }
            DUCKDB_TYPE_DUCKDB_TYPE_MAP => {
                // SAFETY: as above.
                let (key, value) =
                    unsafe { (duckdb_map_type_key_type(raw), duckdb_map_type_value_type(raw)) };
                // SAFETY: as above.
                let (key, value) = unsafe { (Kind::take(key), Kind::take(value)) };
                Kind::Map(Box::new(key), Box::new(value))
            }
            DUCKDB_TYPE_DUCKDB_TYPE_STRUCT => {
                // SAFETY: as above.
                let count = unsafe { duckdb_struct_type_child_count(raw) };
                let field = |i| {
                    // SAFETY: as above.
                    let name = unsafe { take(duckdb_struct_type_child_name(raw, i)) }.unwrap_or_default();
                    // SAFETY: as above.
                    (name, unsafe { Kind::take(duckdb_struct_type_child_type(raw, i)) })
                };
                Kind::Struct((0..count).map(field).collect())
            }
            // SAFETY: as above.
            _ => Kind::Plain(id, unsafe { take(duckdb_logical_type_get_alias(raw)) }),
        }
    }
}
