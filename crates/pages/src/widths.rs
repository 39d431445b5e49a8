//! Limit on the width of rows. Nulls take almost nothing in a page, and as much as other values
//! once they are decoded.
//!
//! Arrow arrays of a type with a fixed width have space for a value in each row, and the file
//! determines the width.

use arrow::datatypes::{DataType, Schema};

/// Maximum size of a batch of null rows, and so of a single row: planners make a row of each type.
const BATCH_BYTES: usize = 64 << 20;

/// Checks that a row of each column is no wider than a batch may be.
///
/// # Errors
/// A message about the first wider column.
pub(crate) fn check(schema: &Schema) -> Result<(), String> {
    let widths = schema.fields().iter().map(|field| (field.name(), width(field.data_type())));
    match widths.into_iter().find(|(_, width)| *width > BATCH_BYTES) {
        Some((name, width)) => Err(format!(
            "each row of column {name} takes {width} bytes, the most that is read are {BATCH_BYTES}"
        )),
        None => Ok(()),
    }
}

/// Returns the maximum number of rows in a batch of columns of these types; `batch_size` for common
/// widths.
pub(crate) fn batch_rows<'a>(types: impl Iterator<Item = &'a DataType>, batch_size: usize) -> usize {
    let widest = types.map(width).max().unwrap_or(0);
    batch_size.min((BATCH_BYTES / widest.max(1)).max(1))
}

/// Returns the size of a null row.
fn width(of: &DataType) -> usize {
    match of {
        DataType::FixedSizeBinary(width) => usize::try_from(*width).unwrap_or(0),
        DataType::FixedSizeList(item, count) => {
            usize::try_from(*count).unwrap_or(0).saturating_mul(width(item.data_type()))
        }
        DataType::Struct(fields) => {
            fields.iter().fold(0, |sum, field| sum.saturating_add(width(field.data_type())))
        }
        // One element. More of them take space in a page, too.
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::Map(item, _) => width(item.data_type()),
        // a view, or a decimal of 128 bits
        other => other.primitive_width().unwrap_or(16),
    }
}

#[cfg(test)]
mod tests;
