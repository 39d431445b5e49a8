//! Plausibility checks of Arrow's C structures, made before any pointer in them is followed.
//!
//! Arrow's import takes a producer's numbers on trust: it reads a negative length as a huge one,
//! and panics if a child is missing. `ArrayData::validate_full` checks the contents of the buffers
//! after the import.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::Arc;

use arrow::array::layout;
use arrow::datatypes::{DataType, Schema, SchemaRef};
use arrow::ffi::{FFI_ArrowArray, FFI_ArrowSchema};

/// Deepest nesting. A structure that has itself as its child ends here, and so does recursion.
const DEPTH: usize = 64;

/// Most children in all. Shared children can make their number grow with every level.
const CHILDREN: usize = 1 << 20;

/// Longest array in items: its bytes can be counted at any width up to 64 KiB.
const LONGEST: i64 = 1 << 46;

/// Returns the columns of a schema.
pub fn schema(schema: &FFI_ArrowSchema) -> Result<SchemaRef, String> {
    // A released schema has no format, and Arrow asserts that it has one.
    let data_type = catch_unwind(AssertUnwindSafe(|| {
        depth(schema, DEPTH, &mut 0)?;
        let metadata = schema.metadata().map_err(|error| error.to_string())?;
        let data_type = DataType::try_from(schema).map_err(|error| error.to_string())?;
        sizes(&data_type)?;
        Ok((data_type, metadata))
    }));
    let parsed = data_type.unwrap_or_else(|_| Err("the schema is none, or was released before".to_owned()));
    let (data_type, metadata) = parsed?;
    let columns = columns(data_type)?;
    Ok(Schema::new_with_metadata(columns.fields().clone(), metadata).into())
}

/// Fails for items of negative size, which a type of Arrow may have.
fn sizes(data_type: &DataType) -> Result<(), String> {
    match data_type {
        DataType::FixedSizeBinary(size) | DataType::FixedSizeList(_, size) if *size < 0 => {
            Err(format!("a type of items of size {size}"))
        }
        DataType::Dictionary(_, values) => sizes(values),
        other => children(other).into_iter().try_for_each(sizes),
    }
}

/// Fails beyond the deepest level.
fn depth(schema: &FFI_ArrowSchema, left: usize, seen: &mut usize) -> Result<(), String> {
    count(left, seen)?;
    // The format is read first, as Arrow asserts that it exists; the number of children is 0 if
    // there are none.
    schema.format();
    schema.children().try_for_each(|child| depth(child, left - 1, seen))?;
    schema.dictionary().map_or(Ok(()), |values| depth(values, left - 1, seen))
}

fn count(left: usize, seen: &mut usize) -> Result<(), String> {
    *seen += 1;
    match left == 0 || *seen > CHILDREN {
        true => Err(format!("it is nested more than {DEPTH} deep, or has over {CHILDREN} parts")),
        false => Ok(()),
    }
}

/// Checks that an array's numbers are possible for its type.
///
/// # Safety
/// The lists of buffers and children have the lengths that the array states, and so do the buffers
/// of offsets.
pub unsafe fn array(array: &FFI_ArrowArray, data_type: &DataType) -> Result<(), String> {
    // SAFETY: as the caller promises.
    unsafe { part(array, data_type, DEPTH, &mut 0) }
}

/// # Safety
/// As [`array`].
unsafe fn part(array: &FFI_ArrowArray, of: &DataType, left: usize, seen: &mut usize) -> Result<(), String> {
    count(left, seen)?;
    let wrong = |what: &str| Err(format!("an array of {of} {what}"));
    let possible = 0..=LONGEST;
    if !possible.contains(&array.length) || !possible.contains(&array.offset) {
        return wrong(&format!("has length {} and offset {}", array.length, array.offset));
    }
    if !(-1..=array.length).contains(&array.null_count) {
        return wrong(&format!("has {} nulls among {} items", array.null_count, array.length));
    }
    let layout = layout(of);
    let least =
        layout.buffers.len() + usize::from(layout.can_contain_null_mask) + usize::from(layout.variadic);
    let buffers = usize::try_from(array.n_buffers).unwrap_or(usize::MAX);
    // polars gives null arrays a mask, which the format does not have and no reader uses.
    let most = if *of == DataType::Null { 1 } else { least };
    if buffers < least || (buffers > most && !layout.variadic) || buffers > CHILDREN {
        return wrong(&format!("has {} buffers, not {least}", array.n_buffers));
    }
    if buffers > 0 && array.buffers.is_null() {
        return wrong("has no list of its buffers");
    }
    if layout.can_contain_null_mask && array.null_count > 0 && array.buffer(0).is_null() {
        return wrong("has nulls, and no buffer that says which");
    }
    if layout.variadic {
        // SAFETY: as the caller promises; there is a length for each data buffer.
        unsafe { lengths(array, buffers) }.or_else(|what| wrong(&what))?;
    }
    // SAFETY: as the caller promises.
    unsafe { last_offset(array, of) }.or_else(|what| wrong(&what))?;
    let types = children(of);
    if usize::try_from(array.n_children) != Ok(types.len()) {
        return wrong(&format!("has {} children, not {}", array.n_children, types.len()));
    }
    if !types.is_empty() && array.children.is_null() {
        return wrong("has no list of its children");
    }
    for (index, data_type) in types.into_iter().enumerate() {
        // SAFETY: the array has this child by its own count, which was compared with its type.
        let child = unsafe { ptr::read_unaligned(array.children.add(index)).as_ref() };
        let Some(child) = child else { return wrong("lacks a child") };
        // SAFETY: as the caller promises.
        unsafe { part(child, data_type, left - 1, seen) }?;
    }
    // SAFETY: it is null, or points to an array.
    match (of, unsafe { array.dictionary.as_ref() }) {
        // SAFETY: as the caller promises.
        (DataType::Dictionary(_, values), Some(dictionary)) => unsafe {
            part(dictionary, values, left - 1, seen)
        },
        (DataType::Dictionary(..), None) => wrong("has no dictionary"),
        (_, Some(_)) => wrong("has a dictionary"),
        (_, None) => Ok(()),
    }
}

/// Returns the types of an array's children.
fn children(of: &DataType) -> Vec<&DataType> {
    match of {
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => vec![field.data_type()],
        DataType::Struct(fields) => fields.iter().map(|field| field.data_type()).collect(),
        DataType::Union(fields, _) => fields.iter().map(|(_, field)| field.data_type()).collect(),
        DataType::RunEndEncoded(ends, values) => vec![ends.data_type(), values.data_type()],
        _ => Vec::new(),
    }
}

/// Checks the last offset of text and bytes, which Arrow takes as the length of their buffer.
///
/// # Safety
/// The buffer of offsets has one entry more than there are items, if there are any.
unsafe fn last_offset(array: &FFI_ArrowArray, of: &DataType) -> Result<(), String> {
    let width = match of {
        DataType::Utf8 | DataType::Binary => 4,
        DataType::LargeUtf8 | DataType::LargeBinary => 8,
        _ => return Ok(()),
    };
    let offsets = array.buffer(1);
    if array.length == 0 {
        return Ok(());
    }
    if offsets.is_null() || !offsets.addr().is_multiple_of(width) {
        return Err(format!("has no buffer of offsets, or one that is not at a multiple of {width} bytes"));
    }
    let last = (array.length + array.offset) as usize;
    let last = match width {
        // SAFETY: as the caller promises, and it is aligned.
        4 => i64::from(unsafe { *offsets.cast::<i32>().add(last) }),
        // SAFETY: as above.
        _ => unsafe { *offsets.cast::<i64>().add(last) },
    };
    if (0..=LONGEST).contains(&last) { Ok(()) } else { Err(format!("ends at offset {last}")) }
}

/// Checks the lengths of the data buffers of views.
///
/// # Safety
/// The last of `buffers` buffers has one for each data buffer.
unsafe fn lengths(array: &FFI_ArrowArray, buffers: usize) -> Result<(), String> {
    // A null mask, the views, and the lengths themselves are not data.
    let count = buffers - 3;
    let lengths = array.buffer(buffers - 1).cast::<i64>();
    if count > 0 && (lengths.is_null() || !lengths.is_aligned()) {
        return Err("has no lengths of its buffers".to_owned());
    }
    for index in 0..count {
        // SAFETY: as the caller promises, and it is aligned.
        let length = unsafe { *lengths.add(index) };
        if !(0..=LONGEST).contains(&length) {
            return Err(format!("has a buffer of {length} bytes"));
        }
    }
    Ok(())
}

/// Returns the columns that a struct's type says, or an error for another type.
fn columns(data_type: DataType) -> Result<SchemaRef, String> {
    match data_type {
        DataType::Struct(fields) => Ok(Arc::new(Schema::new(fields))),
        other => Err(format!("its items are {other}, not rows of columns")),
    }
}
