//! Lists, maps and structs.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::NullBuffer;
use arrow::datatypes::DataType;

use super::{mismatch, write as write_any};
use crate::error::Result;
use crate::sys::{Type, Vector};

pub(super) fn write(
    array: &ArrayRef,
    from: usize,
    rows: usize,
    nulls: Option<&NullBuffer>,
    to: &mut Vector,
) -> Result<()> {
    let of = to.of().clone();
    match (&of, array.data_type()) {
        (Type::Struct(fields), DataType::Struct(_)) => {
            let columns = array.as_struct().columns();
            for (index, column) in columns.iter().enumerate() {
                write_any(column, from, rows, nulls, &mut to.field(index, fields))?;
            }
            Ok(())
        }
        (Type::List(item), DataType::List(_)) => {
            let lists = array.as_list::<i32>();
            let (start, count) = entries(lists.value_offsets(), from, rows, nulls, to);
            write_any(lists.values(), start, count, None, &mut to.elements(count, item))
        }
        (Type::Map(key, value), DataType::Map(..)) => {
            let maps = array.as_map();
            let (start, count) = entries(maps.value_offsets(), from, rows, nulls, to);
            // DuckDB's maps are lists of structs.
            let pair = Type::Struct(vec![
                ("key".to_owned(), (**key).clone()),
                ("value".to_owned(), (**value).clone()),
            ]);
            let entries: ArrayRef = std::sync::Arc::new(maps.entries().clone());
            write_any(&entries, start, count, None, &mut to.elements(count, &pair))
        }
        _ => Err(mismatch(array, to)),
    }
}

/// Writes the start and the length of each list. Returns the start of the first list in the array's
/// elements, and the number of elements of all.
fn entries(
    offsets: &[i32],
    from: usize,
    rows: usize,
    nulls: Option<&NullBuffer>,
    to: &mut Vector,
) -> (usize, usize) {
    let offsets = &offsets[from..=from + rows];
    let start = offsets[0];
    for (row, (to, pair)) in to.values::<u128>(rows).iter_mut().zip(offsets.windows(2)).enumerate() {
        let is_null = nulls.is_some_and(|nulls| nulls.is_null(from + row));
        // DuckDB's `list_entry_t`: offset and length, of 64 bits each.
        let length = if is_null { 0 } else { (pair[1] - pair[0]) as u64 };
        *to = u128::from((pair[0] - start) as u64) | u128::from(length) << 64;
    }
    (start as usize, (offsets[rows] - start) as usize)
}
