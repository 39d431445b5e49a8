//! Widths of rows that are null: they take nothing in a page, and as much as any other once they
//! are decoded.
//!
//! Arrow has room for a value in each row of a type with a fixed width, and the file says what the
//! width is.

use arrow::datatypes::{DataType, Schema};

/// Bytes that the null rows of a batch take at most, and so those of a single row: planners make
/// one of each type.
const BATCH_BYTES: usize = 64 << 20;

/// Checks that a row of each column takes no more than a batch may.
///
/// # Errors
/// The column that takes more, in words.
pub(crate) fn check(schema: &Schema) -> Result<(), String> {
    let widths = schema.fields().iter().map(|field| (field.name(), width(field.data_type())));
    match widths.into_iter().find(|(_, width)| *width > BATCH_BYTES) {
        Some((name, width)) => Err(format!(
            "each row of column {name} takes {width} bytes, the most that is read are {BATCH_BYTES}"
        )),
        None => Ok(()),
    }
}

/// Returns how many rows a batch of columns of these types has at most, `batch_size` if they have
/// usual widths.
pub(crate) fn batch_rows<'a>(types: impl Iterator<Item = &'a DataType>, batch_size: usize) -> usize {
    let widest = types.map(width).max().unwrap_or(0);
    batch_size.min((BATCH_BYTES / widest.max(1)).max(1))
}

/// Bytes of a row that is null.
fn width(of: &DataType) -> usize {
    match of {
        DataType::FixedSizeBinary(width) => usize::try_from(*width).unwrap_or(0),
        DataType::FixedSizeList(item, count) => {
            usize::try_from(*count).unwrap_or(0).saturating_mul(width(item.data_type()))
        }
        DataType::Struct(fields) => {
            fields.iter().fold(0, |sum, field| sum.saturating_add(width(field.data_type())))
        }
        // One element, however many there are: they take something in a page.
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::Map(item, _) => width(item.data_type()),
        // A view, or a decimal of 128 bits.
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
