//! Size of an array's values.

use arrow::array::{Array, AsArray, GenericListArray, OffsetSizeTrait};
use arrow::datatypes::DataType;

/// Returns the bytes of an array's values. Values outside of the slice don't count.
pub(super) fn bytes(array: &dyn Array) -> usize {
    match array.data_type() {
        DataType::Utf8View => views(array, array.as_string_view().views()),
        DataType::BinaryView => views(array, array.as_binary_view().views()),
        DataType::Dictionary(..) => dictionary(array),
        DataType::List(_) => list::<i32>(array.as_list()),
        DataType::LargeList(_) => list::<i64>(array.as_list()),
        DataType::Map(..) => {
            let map = array.as_map();
            let (from, to) = (map.value_offsets()[0] as usize, map.value_offsets()[map.len()] as usize);
            map.len() * size_of::<i32>() + bytes(&map.entries().slice(from, to - from))
        }
        DataType::FixedSizeList(..) => bytes(array.as_fixed_size_list().values()),
        DataType::Struct(_) => array.as_struct().columns().iter().map(|column| bytes(column)).sum(),
        _ => array.to_data().get_slice_memory_size().unwrap_or_default(),
    }
}

/// Returns the bytes of views, and of the texts that are stored outside of them because they are
/// longer than 12 bytes (Arrow, "Variable-size Binary View Layout").
fn views(array: &dyn Array, views: &[u128]) -> usize {
    let long = views.iter().map(|view| *view as u32).filter(|len| *len > 12);
    array.len() * size_of::<u128>() + long.map(|len| len as usize).sum::<usize>()
}

fn list<O: OffsetSizeTrait>(array: &GenericListArray<O>) -> usize {
    let offsets = array.value_offsets();
    let (from, to) = (offsets[0].as_usize(), offsets[array.len()].as_usize());
    array.len() * size_of::<O>() + bytes(&array.values().slice(from, to - from))
}

/// Returns the bytes of the indices and of one value of average size for each row, up to the whole
/// dictionary. Batches may share a dictionary, so it is not counted for each.
fn dictionary(array: &dyn Array) -> usize {
    let array = array.as_any_dictionary();
    let (values, rows) = (array.values(), array.len());
    let average = bytes(values).div_ceil(values.len().max(1));
    bytes(array.keys()) + average * rows.min(values.len())
}

#[cfg(test)]
mod tests;
