//! Small tables: columns, their values, and their layout in Parquet files.

mod arrays;
mod empty_pages;
mod int96;
mod layout;
mod random;
mod write;

use std::fmt::{self, Display};
use std::str::FromStr;

pub use layout::{Encoding, Layout};
pub use random::{WORDS, tables};
use serde::{Deserialize, Serialize};
pub use write::write;

use crate::tree::Type;

/// A table with all of its rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Its name in SQL.
    pub name: String,
    /// Layout of its files.
    pub layout: Layout,
    /// Columns of one length. The first, `id`, numbers the rows.
    pub columns: Vec<Column>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The type in the file.
    pub storage: Storage,
    /// Nulls may be there; otherwise the column is required.
    pub nullable: bool,
    /// Its encoding, in addition to a dictionary.
    pub encoding: Encoding,
    /// A dictionary is tried first.
    pub dictionary: bool,
    /// A value a row.
    pub values: Vec<Option<Value>>,
}

/// The resolution of a time of day or a timestamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// Milliseconds.
    Millis,
    /// Microseconds.
    Micros,
    /// Nanoseconds.
    Nanos,
}

/// The type of a column in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Storage {
    /// BOOLEAN.
    Bool,
    /// Signed, with this number of bits.
    Int(u8),
    /// Unsigned, with this number of bits.
    UInt(u8),
    /// FLOAT.
    Float,
    /// DOUBLE.
    Double,
    /// Precision and scale.
    Decimal(u8, i8),
    /// UTF-8.
    Text,
    /// BYTE_ARRAY.
    Bytes,
    /// FIXED_LEN_BYTE_ARRAY.
    Fixed(i32),
    /// Days.
    Date,
    /// Time of day.
    Time(Unit),
    /// Timestamp, and whether it is adjusted to UTC.
    Stamp(Unit, bool),
    /// A list.
    List(Box<Storage>),
    /// Named fields.
    Struct(Vec<(String, Storage)>),
}

/// A value that is not null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// Value of [`Storage::Bool`].
    Bool(bool),
    /// Whole number; decimal without its point; day, time or timestamp in its unit.
    #[serde(with = "as_text")]
    Whole(i128),
    /// Float.
    #[serde(with = "as_text")]
    Float(f64),
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Parts of a list or struct.
    Parts(Vec<Option<Value>>),
}

/// Numbers that JSON has no words for.
mod as_text {
    use super::{Display, FromStr};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub fn deserialize<'de, T: FromStr, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error>
    where
        T::Err: Display,
    {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl Storage {
    /// Returns the class that expressions see.
    pub fn class(&self) -> Type {
        match self {
            Storage::Bool => Type::Bool,
            Storage::Int(_) | Storage::UInt(_) => Type::Whole,
            Storage::Float | Storage::Double => Type::Double,
            Storage::Decimal(..) => Type::Decimal,
            Storage::Text => Type::Text,
            Storage::Bytes | Storage::Fixed(_) => Type::Bytes,
            Storage::Date => Type::Date,
            Storage::Time(_) => Type::Time,
            Storage::Stamp(_, false) => Type::Stamp,
            Storage::Stamp(_, true) => Type::Zoned,
            Storage::List(element) => Type::List(Box::new(element.class())),
            Storage::Struct(fields) => {
                Type::Struct(fields.iter().map(|(name, storage)| (name.clone(), storage.class())).collect())
            }
        }
    }

    /// Arithmetic on it is of fewer bits than its class says, or unsigned.
    pub fn is_narrow(&self) -> bool {
        matches!(self, Storage::Int(8 | 16 | 32) | Storage::UInt(_) | Storage::Float)
    }
}

impl Table {
    /// Rows in the table.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }
}

impl Display for Table {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{}: {} rows, {}", self.name, self.rows(), self.layout)?;
        for column in &self.columns {
            let Column { name, storage, nullable, encoding, dictionary, values } = column;
            let required = if *nullable { "" } else { " required" };
            let dictionary = if *dictionary { " with a dictionary" } else { "" };
            write!(out, "  {name} {storage:?}{required}, {encoding:?}{dictionary}:")?;
            for value in values.iter().take(30) {
                write!(out, " {}", value.as_ref().map_or("NULL".to_owned(), Value::to_string))?;
            }
            writeln!(out, "{}", if values.len() > 30 { " …" } else { "" })?;
        }
        Ok(())
    }
}

impl Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(value) => write!(out, "{value}"),
            Value::Whole(value) => write!(out, "{value}"),
            Value::Float(value) => write!(out, "{value:?}"),
            Value::Text(value) => write!(out, "{value:?}"),
            Value::Bytes(value) => write!(out, "x{value:02x?}"),
            Value::Parts(parts) => {
                let text = |part: &Option<Value>| part.as_ref().map_or("NULL".to_owned(), Value::to_string);
                write!(out, "[{}]", parts.iter().map(text).collect::<Vec<_>>().join(", "))
            }
        }
    }
}
