//! Check of JSON objects: their members, and values behind the sample of a file for its types.
//!
//! Arrow's reader takes the last of two members of one name, rounds numbers to integers, cuts times
//! off dates and passes over unknown members. Here such objects are errors, as in DuckDB.

use arrow::datatypes::{DataType, Fields, SchemaRef};
use bytes::{Buf, BytesMut};
use serde_json::{Deserializer, Value};

use super::unique_members::Unique;

/// Longest text of a value in an error.
const SHOWN: usize = 40;

/// Characters of a date without a time.
const DATE: usize = "2024-01-31".len();

/// Objects of a file, as its text comes in pieces.
pub(super) struct Check {
    /// The columns of the table.
    table: SchemaRef,
    /// Columns that are read.
    read: SchemaRef,
    /// True if other members are errors. They are passed over if the user names the columns.
    is_closed: bool,
    /// True if the types of the table were found in all objects: their values fit.
    is_sampled: bool,
    /// Text of an object whose end has not come.
    text: BytesMut,
    objects: u64,
}

impl Check {
    /// Begins a file.
    pub fn new(table: SchemaRef, read: SchemaRef, is_closed: bool, is_sampled: bool) -> Self {
        Self { table, read, is_closed, is_sampled, text: BytesMut::new(), objects: 0 }
    }

    /// Checks the objects that end in a piece. Text that is no JSON is left to the reader.
    ///
    /// # Errors
    /// An object has a member twice, or a value does not fit its column, or belongs to none.
    pub fn take(&mut self, piece: &[u8]) -> Result<(), String> {
        self.text.extend_from_slice(piece);
        let mut values = Deserializer::from_slice(&self.text).into_iter::<Unique>();
        let mut read = 0;
        let mut is_broken = false;
        for value in values.by_ref() {
            match value {
                Ok(Unique(value)) => {
                    self.objects += 1;
                    if !self.is_sampled {
                        self.object(&value).map_err(|what| format!("object {}: {what}", self.objects))?;
                    }
                }
                Err(error) if error.is_data() => {
                    let what = error.to_string();
                    let what = what.split(" at line ").next().unwrap_or_default();
                    return Err(format!("object {}: {what}: leave one of them out", self.objects + 1));
                }
                Err(error) => {
                    is_broken = !error.is_eof();
                    break;
                }
            }
        }
        if !is_broken {
            read = values.byte_offset();
        }
        self.text.advance(read);
        Ok(())
    }

    fn object(&self, value: &Value) -> Result<(), String> {
        let Value::Object(members) = value else { return Ok(()) };
        for (name, value) in members {
            if let Ok(field) = self.read.field_with_name(name) {
                self.value(name, value, field.data_type())?;
            } else if self.is_closed && self.table.field_with_name(name).is_err() {
                return Err(format!("it has {name}, which no object of the sample has: {ADVICE}"));
            }
        }
        Ok(())
    }

    fn value(&self, name: &str, value: &Value, of: &DataType) -> Result<(), String> {
        let fits = match (value, of) {
            (Value::Number(number), of) if of.is_integer() => {
                number.as_f64().is_none_or(|number| number.fract() == 0.0)
            }
            (Value::Number(number), DataType::Decimal128(_, 0)) => {
                number.as_f64().is_none_or(|number| number.fract() == 0.0)
            }
            (Value::String(text), DataType::Date32) => text.trim().len() <= DATE,
            (Value::Array(items), DataType::List(item)) => {
                return items.iter().try_for_each(|value| self.value(name, value, item.data_type()));
            }
            (Value::Object(_), DataType::Struct(fields)) => return self.members(name, value, fields),
            _ => true,
        };
        if fits {
            return Ok(());
        }
        let mut shown = value.to_string();
        if let Some((end, _)) = shown.char_indices().nth(SHOWN) {
            shown.truncate(end);
            shown.push('…');
        }
        Err(format!("{name} is {shown}, which does not fit the type of the column: {ADVICE}"))
    }

    fn members(&self, name: &str, value: &Value, fields: &Fields) -> Result<(), String> {
        let Value::Object(members) = value else { return Ok(()) };
        for (member, value) in members {
            match fields.iter().find(|field| field.name() == member) {
                Some(field) => self.value(&format!("{name}.{member}"), value, field.data_type())?,
                None if self.is_closed => {
                    return Err(format!("{name} has {member}, which no object of the sample has: {ADVICE}"));
                }
                None => {}
            }
        }
        Ok(())
    }
}

const ADVICE: &str = "find types in all rows with sample_size := -1, or name them with columns := {…}";

#[cfg(test)]
mod tests;
