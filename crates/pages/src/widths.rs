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
mod tests {
    use std::sync::Arc;

    use arrow::datatypes::{Field, Fields};

    use super::*;

    #[test]
    fn widths_multiply_and_add_up() {
        let field = |of| Arc::new(Field::new("x", of, true));
        let list = |of, count| DataType::FixedSizeList(field(of), count);
        for (of, expected) in [
            (DataType::Int32, 4),
            (DataType::FixedSizeBinary(1000), 1000),
            (list(DataType::Float32, 1536), 4 * 1536),
            (list(list(DataType::Float64, i32::MAX), i32::MAX), usize::MAX),
            (DataType::List(field(DataType::FixedSizeBinary(7))), 7),
            (DataType::Struct(Fields::from(vec![field(DataType::Int64), field(DataType::Utf8)])), 24),
        ] {
            assert_eq!(width(&of), expected, "{of}");
        }
    }

    #[test]
    fn wide_rows_come_in_small_batches_or_not_at_all() {
        let of = |width| DataType::FixedSizeBinary(width);
        assert_eq!(batch_rows([DataType::Int64, of(16)].iter(), 8192), 8192);
        assert_eq!(batch_rows([DataType::Int64, of(1 << 20)].iter(), 8192), 64);
        assert_eq!(batch_rows([of(i32::MAX)].iter(), 8192), 1);
        let schema = |width| {
            Schema::new(vec![Field::new("a", DataType::Int64, true), Field::new("b", of(width), true)])
        };
        assert_eq!(check(&schema(1 << 26)), Ok(()));
        assert!(check(&schema(1 << 27)).unwrap_err().contains("column b takes 134217728 bytes"));
    }
}
