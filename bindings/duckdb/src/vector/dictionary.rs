//! Columns of dictionary indexes, in the file, in Arrow and in DuckDB.

use arrow::array::{Array, ArrayRef, AsArray, DictionaryArray};
use arrow::buffer::Buffer;
use arrow::datatypes::{DataType, Int32Type};

use super::write;
use crate::error::{Error, Result};
use crate::sys::{Dictionary, Type, Vector};

/// The dictionary that a column's last rows referred to: that of a column chunk, as long as its
/// rows last.
#[derive(Default)]
pub struct Cache(Option<Cached>);

struct Cached {
    /// The bytes that the dictionary was made of, held so that no other values get their memory.
    from: Buffer,
    len: usize,
    /// Whether a NULL follows the last entry. Without one, DuckDB's operators need not check each
    /// row.
    has_null: bool,
    dictionary: Dictionary,
    /// The indexes of a vector, to be reused.
    indexes: Vec<u32>,
}

/// As [`write`], for a whole column: the column's dictionary, if it has one, becomes a vector once.
///
/// # Errors
/// As [`write`].
pub fn write_column(
    array: &ArrayRef,
    from: usize,
    rows: usize,
    cache: &mut Cache,
    mut to: Vector,
) -> Result<()> {
    let DataType::Dictionary(..) = array.data_type() else { return write(array, from, rows, None, &mut to) };
    let array = array.as_dictionary::<Int32Type>();
    let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
    let cached = cache.of(array, nulls.is_some(), to.of())?;
    let null = cached.len as u32;
    let keys = &array.keys().values()[from..from + rows];
    cached.indexes.clear();
    match nulls {
        None => cached.indexes.extend(keys.iter().map(|key| *key as u32)),
        Some(nulls) => {
            let keys = keys.iter().enumerate();
            let index =
                |(row, key): (usize, &i32)| if nulls.is_null(from + row) { null } else { *key as u32 };
            cached.indexes.extend(keys.map(index));
        }
    }
    to.refer(&cached.dictionary, &cached.indexes);
    Ok(())
}

impl Cache {
    /// Returns the dictionary of an array, with a NULL if rows refer to one.
    fn of(&mut self, array: &DictionaryArray<Int32Type>, has_null: bool, of: &Type) -> Result<&mut Cached> {
        let values = array.values();
        let from = bytes(values)?;
        let is_same = |cached: &Cached| {
            cached.from.ptr_eq(&from) && cached.len == values.len() && (cached.has_null || !has_null)
        };
        match self.0.take().filter(is_same) {
            Some(cached) => Ok(self.0.insert(cached)),
            None => {
                let len = values.len();
                let dictionary = Dictionary::new(of, len + usize::from(has_null), |entries| -> Result<()> {
                    super::strings::write_all(values, entries)?;
                    if has_null {
                        entries.validity(len + 1)[len / 64] &= !(1 << (len % 64));
                    }
                    Ok(())
                });
                let no_memory = || Error::Unavailable("DuckDB has no memory for a dictionary".to_owned());
                let dictionary = dictionary.ok_or_else(no_memory)??;
                Ok(self.0.insert(Cached { from, len, has_null, dictionary, indexes: Vec::new() }))
            }
        }
    }
}

/// Returns the bytes of the values, which no other values have while they are held.
fn bytes(values: &ArrayRef) -> Result<Buffer> {
    match values.data_type() {
        DataType::Utf8 => Ok(values.as_string::<i32>().values().clone()),
        DataType::Binary => Ok(values.as_binary::<i32>().values().clone()),
        other => Err(Error::Value(format!("internal error: a dictionary of {other}"))),
    }
}
