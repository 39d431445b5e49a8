//! DuckDB's types.

use std::ffi::c_char;

use libduckdb_sys::*;

use super::ffi::{c_string, take};

/// Constant from which DuckDB subtracts a time zone's offset in seconds, in the lower 24 bits of a
/// TIME WITH TIME ZONE: its `dtime_tz_t::MAX_OFFSET`.
pub const MAX_OFFSET: i64 = 16 * 60 * 60 - 1;

/// Microseconds of a day.
pub const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

/// A type of DuckDB's that Pelton gives or takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// One byte.
    Boolean,
    /// 8 bits.
    TinyInt,
    /// 16 bits.
    SmallInt,
    /// 32 bits.
    Integer,
    /// 64 bits.
    BigInt,
    /// 8 bits without a sign.
    UTinyInt,
    /// 16 bits without a sign.
    USmallInt,
    /// 32 bits without a sign.
    UInteger,
    /// 64 bits without a sign.
    UBigInt,
    /// 32 bits.
    Float,
    /// 64 bits.
    Double,
    /// Width 1 to 38, and scale.
    Decimal(u8, u8),
    /// UTF-8.
    Varchar,
    /// VARCHAR by the name JSON.
    Json,
    /// Bytes.
    Blob,
    /// 128 bits; the uppermost is flipped so that they sort as signed numbers.
    Uuid,
    /// Days since 1970.
    Date,
    /// Microseconds of the day.
    Time,
    /// Nanoseconds of the day.
    TimeNs,
    /// Microseconds of the day in the upper 40 bits, and an offset in the lower 24.
    TimeTz,
    /// Microseconds since 1970.
    Timestamp,
    /// Nanoseconds since 1970.
    TimestampNs,
    /// Microseconds since 1970, of UTC.
    TimestampTz,
    /// Nanoseconds since 1970, of UTC.
    TimestampTzNs,
    /// Months, days and microseconds.
    Interval,
    /// Nothing but NULL.
    Null,
    /// Lists of a type.
    List(Box<Type>),
    /// Fields by name.
    Struct(Vec<(String, Type)>),
    /// Keys and values.
    Map(Box<Type>, Box<Type>),
    /// Any type, for parameters only.
    Any,
}

impl Type {
    /// Returns whether the running DuckDB has the type.
    pub fn exists(&self) -> bool {
        // SAFETY: a type that lives during the call.
        let id = unsafe { duckdb_get_type_id(LogicalType::from(self).raw()) };
        id != DUCKDB_TYPE_DUCKDB_TYPE_INVALID
    }

    /// Bytes that a value takes in a vector of the type; 0: it has none of its own.
    pub fn width(&self) -> usize {
        match self {
            Type::Boolean | Type::TinyInt | Type::UTinyInt => 1,
            Type::SmallInt | Type::USmallInt => 2,
            Type::Integer | Type::UInteger | Type::Float | Type::Date => 4,
            Type::BigInt | Type::UBigInt | Type::Double => 8,
            Type::Time | Type::TimeNs | Type::TimeTz => 8,
            Type::Timestamp | Type::TimestampNs | Type::TimestampTz | Type::TimestampTzNs => 8,
            // Widths of DuckDB's `DecimalType`.
            Type::Decimal(..=4, _) => 2,
            Type::Decimal(..=9, _) => 4,
            Type::Decimal(..=18, _) => 8,
            Type::Decimal(..) => 16,
            Type::Varchar | Type::Json | Type::Blob | Type::Uuid | Type::Interval => 16,
            // An offset and a length.
            Type::List(_) | Type::Map(..) => 16,
            Type::Struct(_) | Type::Null | Type::Any => 0,
        }
    }
}

/// Handle of a DuckDB type.
pub struct LogicalType(duckdb_logical_type);

impl LogicalType {
    /// Returns the raw handle, for a call that does not keep it.
    pub(in crate::sys) fn raw(&self) -> duckdb_logical_type {
        self.0
    }
}

impl Drop for LogicalType {
    fn drop(&mut self) {
        // SAFETY: it was made by one of DuckDB's functions and is destroyed once; null is let be.
        unsafe { duckdb_destroy_logical_type(&mut self.0) }
    }
}

impl From<&Type> for LogicalType {
    fn from(from: &Type) -> Self {
        let simple = |id| {
            // SAFETY: the function takes any id.
            LogicalType(unsafe { duckdb_create_logical_type(id) })
        };
        match from {
            Type::Boolean => simple(DUCKDB_TYPE_DUCKDB_TYPE_BOOLEAN),
            Type::TinyInt => simple(DUCKDB_TYPE_DUCKDB_TYPE_TINYINT),
            Type::SmallInt => simple(DUCKDB_TYPE_DUCKDB_TYPE_SMALLINT),
            Type::Integer => simple(DUCKDB_TYPE_DUCKDB_TYPE_INTEGER),
            Type::BigInt => simple(DUCKDB_TYPE_DUCKDB_TYPE_BIGINT),
            Type::UTinyInt => simple(DUCKDB_TYPE_DUCKDB_TYPE_UTINYINT),
            Type::USmallInt => simple(DUCKDB_TYPE_DUCKDB_TYPE_USMALLINT),
            Type::UInteger => simple(DUCKDB_TYPE_DUCKDB_TYPE_UINTEGER),
            Type::UBigInt => simple(DUCKDB_TYPE_DUCKDB_TYPE_UBIGINT),
            Type::Float => simple(DUCKDB_TYPE_DUCKDB_TYPE_FLOAT),
            Type::Double => simple(DUCKDB_TYPE_DUCKDB_TYPE_DOUBLE),
            Type::Varchar => simple(DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR),
            Type::Blob => simple(DUCKDB_TYPE_DUCKDB_TYPE_BLOB),
            Type::Uuid => simple(DUCKDB_TYPE_DUCKDB_TYPE_UUID),
            Type::Date => simple(DUCKDB_TYPE_DUCKDB_TYPE_DATE),
            Type::Time => simple(DUCKDB_TYPE_DUCKDB_TYPE_TIME),
            Type::TimeNs => simple(DUCKDB_TYPE_DUCKDB_TYPE_TIME_NS),
            Type::TimeTz => simple(DUCKDB_TYPE_DUCKDB_TYPE_TIME_TZ),
            Type::Timestamp => simple(DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP),
            Type::TimestampNs => simple(DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_NS),
            Type::TimestampTz => simple(DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_TZ),
            Type::TimestampTzNs => simple(DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_TZ_NS),
            Type::Null => simple(DUCKDB_TYPE_DUCKDB_TYPE_SQLNULL),
            Type::Interval => simple(DUCKDB_TYPE_DUCKDB_TYPE_INTERVAL),
            Type::Any => simple(DUCKDB_TYPE_DUCKDB_TYPE_ANY),
            // SAFETY: the function checks width and scale.
            Type::Decimal(width, scale) => LogicalType(unsafe { duckdb_create_decimal_type(*width, *scale) }),
            Type::Json => {
                let json = simple(DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR);
                let name = c_string("JSON");
                // SAFETY: both live until the call returns, which copies the name.
                unsafe { duckdb_logical_type_set_alias(json.0, name.as_ptr()) };
                json
            }
            Type::List(item) => {
                let item = LogicalType::from(&**item);
                // SAFETY: the call copies the type.
                LogicalType(unsafe { duckdb_create_list_type(item.0) })
            }
            Type::Map(key, value) => {
                let (key, value) = (LogicalType::from(&**key), LogicalType::from(&**value));
                // SAFETY: the call copies the types.
                LogicalType(unsafe { duckdb_create_map_type(key.0, value.0) })
            }
            Type::Struct(fields) => {
                let names: Vec<_> = fields.iter().map(|(name, _)| c_string(name)).collect();
                let mut names: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
                let types: Vec<_> = fields.iter().map(|(_, field)| LogicalType::from(field)).collect();
                let mut raw: Vec<_> = types.iter().map(|field| field.0).collect();
                let count = fields.len() as idx_t;
                // SAFETY: both arrays have `count` elements, and the call copies names and types.
                LogicalType(unsafe { duckdb_create_struct_type(raw.as_mut_ptr(), names.as_mut_ptr(), count) })
            }
        }
    }
}

/// A type of DuckDB's, of a column that it gives us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A type without parts: its id (`DUCKDB_TYPE`), and its alias, such as JSON.
    Simple(DUCKDB_TYPE, Option<String>),
    /// Width and scale.
    Decimal(u8, u8),
    /// Its words.
    Enum(Vec<String>),
    /// Lists of a type.
    List(Box<Kind>),
    /// Arrays of this number of elements of a type.
    Array(Box<Kind>, usize),
    /// Keys and values.
    Map(Box<Kind>, Box<Kind>),
    /// Fields by name.
    Struct(Vec<(String, Kind)>),
}

/// A type handle without another owner.
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
    /// `raw` is null, or a type without another owner.
    pub(in crate::sys) unsafe fn take(raw: duckdb_logical_type) -> Kind {
        let owned = Owned(raw);
        // SAFETY: the caller's.
        unsafe { Kind::of(owned.0) }
    }

    /// Looks at a type.
    ///
    /// # Safety
    /// `raw` is null, or a type.
    pub(in crate::sys) unsafe fn of(raw: duckdb_logical_type) -> Kind {
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
            _ => Kind::Simple(id, unsafe { take(duckdb_logical_type_get_alias(raw)) }),
        }
    }
}
