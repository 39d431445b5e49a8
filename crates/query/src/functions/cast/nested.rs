//! Text of lists, structs and maps in DuckDB's notation.
//!
//! Arrow omits NULL inside of a list and writes text without quotes, so that different lists have
//! the same text.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StringArray, new_null_array};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::DataType;
use datafusion::common::Result;

use super::NumberCast;

/// Returns whether this module writes values of a type as text.
pub(super) fn is_ours(from: &DataType) -> bool {
    use DataType::{FixedSizeList, LargeList, List, Map, Struct};
    matches!(from, List(_) | LargeList(_) | FixedSizeList(..) | Struct(_) | Map(..))
}

/// Writes values as text of a type.
///
/// # Errors
/// A value inside has no text.
pub(super) fn write(array: &ArrayRef, to: &DataType, options: &CastOptions<'_>) -> Result<ArrayRef> {
    let text: ArrayRef = Arc::new(texts(array)?);
    Ok(cast_with_options(&text, to, options)?)
}

fn texts(array: &ArrayRef) -> Result<StringArray> {
    let row = |one: Option<ArrayRef>| -> Result<Option<String>> {
        one.map(|values| Ok(format!("[{}]", elements(&values)?.join(", ")))).transpose()
    };
    Ok(match array.data_type() {
        DataType::List(_) => array.as_list::<i32>().iter().map(row).collect::<Result<_>>()?,
        DataType::LargeList(_) => array.as_list::<i64>().iter().map(row).collect::<Result<_>>()?,
        DataType::FixedSizeList(..) => array.as_fixed_size_list().iter().map(row).collect::<Result<_>>()?,
        DataType::Struct(fields) => {
            let columns = array.as_struct().columns().iter().map(elements).collect::<Result<Vec<_>>>()?;
            let row = |row: usize| {
                let fields = fields.iter().zip(&columns);
                let fields =
                    fields.map(|(field, column)| format!("{}: {}", quoted(field.name()), column[row]));
                format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
            };
            (0..array.len()).map(|at| array.is_valid(at).then(|| row(at))).collect()
        }
        DataType::Map(..) => {
            let row = |entries: Option<_>| -> Result<Option<String>> {
                let Some(entries) = entries else { return Ok(None) };
                let entries: arrow::array::StructArray = entries;
                let (keys, values) = (elements(entries.column(0))?, elements(entries.column(1))?);
                let entries = keys.iter().zip(&values).map(|(key, value)| format!("{key}={value}"));
                Ok(Some(format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))))
            };
            array.as_map().iter().map(row).collect::<Result<_>>()?
        }
        _ => plain(array)?.as_string::<i32>().clone(),
    })
}

/// Returns the text of each value in its form inside of another value.
fn elements(array: &ArrayRef) -> Result<Vec<String>> {
    let is_nested = is_ours(array.data_type());
    let text = texts(array)?;
    let one = |text: Option<&str>| match text {
        None => "NULL".to_owned(),
        Some(text) if is_nested => text.to_owned(),
        Some(text) if is_bare(text) => text.to_owned(),
        Some(text) => quoted(text),
    };
    Ok(text.iter().map(one).collect())
}

/// Returns the text of values of flat types.
fn plain(array: &ArrayRef) -> Result<ArrayRef> {
    let options = CastOptions { safe: false, ..CastOptions::default() };
    Ok(match array.data_type() {
        DataType::Null => new_null_array(&DataType::Utf8, array.len()),
        from => match NumberCast::new(from, &DataType::Utf8, false) {
            Some(cast) => cast.array(array)?,
            None => cast_with_options(array, &DataType::Utf8, &options)?,
        },
    })
}

/// Returns whether text needs no quotes to be told from the brackets and commas around it.
fn is_bare(text: &str) -> bool {
    let is_marked = text.contains(['[', ']', '(', ')', '{', '}', ',', ':', '=', '\'', '"', '\\']);
    !text.is_empty() && !is_marked && text.trim() == text && !text.eq_ignore_ascii_case("null")
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
