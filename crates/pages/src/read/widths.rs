//! Widths of rows that are null: they take nothing in a page, and as much as any other once they are decoded.
//!
//! Arrow has room for a value in each row of a type with a fixed width, and the file says what the width is.

use arrow::datatypes::DataType;

use super::columns::LoadedColumns;
use crate::error::{Cause, Error, Result};

/// Bytes that the null rows of a batch take at most.
const BATCH_BYTES: usize = 64 << 20;

/// Returns how many rows a batch of some columns has at most, `batch_size` if these have usual widths.
///
/// # Errors
/// A single row takes more than [`BATCH_BYTES`], and more than all pages of its column.
pub(super) fn batch_rows(columns: &LoadedColumns, batch_size: usize) -> Result<usize> {
    let mut widest = 1;
    for &leaf in &columns.leaves {
        let root = columns.root(leaf);
        let width = width(columns.file.schema().field(root).data_type());
        widest = widest.max(width);
        if width <= BATCH_BYTES {
            continue;
        }
        let chunks = columns.file.row_group(columns.row_group)?.columns().iter().enumerate();
        let of_root = chunks.filter(|(leaf, _)| columns.root(*leaf) == root);
        let bytes: i64 = of_root.map(|(_, chunk)| chunk.uncompressed_size()).sum();
        if i64::try_from(width).is_ok_and(|width| width <= bytes) {
            continue;
        }
        let name = columns.file.schema().field(root).name().clone();
        let place = columns.file.place().row_group(columns.row_group).column(name);
        let what = format!("each of its rows takes {width} bytes, and all of its pages have {bytes}");
        return Err(Error::new(place, Cause::Decode(what)));
    }
    Ok(batch_size.min((BATCH_BYTES / widest).max(1)))
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
}
