//! Strings and bytes.
//!
//! DuckDB's `string_t` and Arrow's view both have 16 bytes: the length, then a short string, or the
//! first bytes of a long one and its place: a pointer in DuckDB, an index and an offset in Arrow.
//! Views are copied, and the bytes of long strings go to the vector's own memory at once.

use arrow::array::{Array, ArrayRef, AsArray, GenericByteArray, GenericByteViewArray};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{BinaryViewType, ByteArrayType, ByteViewType, DataType, StringViewType};

use super::mismatch;
use crate::error::Result;
use crate::sys::{INLINE, Vector};

/// Bytes between strings, as a multiple of the strings' own bytes, up to which the whole span is
/// copied; sparser strings are gathered first. Values of a plain page have four bytes between them,
/// those of a dictionary are repeated or left out.
const SPARSE: usize = 2;

pub(super) fn write(
    array: &ArrayRef,
    from: usize,
    rows: usize,
    nulls: Option<&NullBuffer>,
    to: &mut Vector,
) -> Result<()> {
    match array.data_type() {
        DataType::Utf8View => views(array.as_byte_view::<StringViewType>(), from, rows, nulls, to),
        DataType::BinaryView => views(array.as_byte_view::<BinaryViewType>(), from, rows, nulls, to),
        DataType::FixedSizeBinary(_) => {
            let values = array.as_fixed_size_binary();
            for row in 0..rows {
                put(to, row, values.value(from + row));
            }
        }
        _ => return Err(mismatch(array, to)),
    }
    Ok(())
}

/// Writes all values of an array with offsets into the first rows of a vector.
pub(super) fn write_all(array: &ArrayRef, to: &mut Vector) -> Result<()> {
    match array.data_type() {
        DataType::Utf8 => offsets(array.as_string::<i32>(), to),
        DataType::Binary => offsets(array.as_binary::<i32>(), to),
        _ => return Err(mismatch(array, to)),
    }
    Ok(())
}

fn offsets<T: ByteArrayType<Offset = i32>>(array: &GenericByteArray<T>, to: &mut Vector) {
    let rows = array.len();
    let all = array.values().as_slice();
    let base = if all.len() > INLINE { to.keep(0, all) } else { 0 };
    for (to, pair) in to.values::<u128>(rows).iter_mut().zip(array.value_offsets().windows(2)) {
        let bytes = &all[pair[0] as usize..pair[1] as usize];
        *to = if bytes.len() > INLINE {
            let prefix = [bytes[0], bytes[1], bytes[2], bytes[3]];
            let pointer = base + pair[0] as u64;
            bytes.len() as u128 | u128::from(u32::from_ne_bytes(prefix)) << 32 | u128::from(pointer) << 64
        } else {
            inline(bytes)
        };
    }
}

/// Returns a value of up to 12 bytes.
fn inline(bytes: &[u8]) -> u128 {
    let mut value = [0; 16];
    value[..4].copy_from_slice(&(bytes.len() as u32).to_ne_bytes());
    value[4..4 + bytes.len()].copy_from_slice(bytes);
    u128::from_ne_bytes(value)
}

/// Writes one value into a row of a vector of strings or bytes.
pub fn put(to: &mut Vector, row: usize, bytes: &[u8]) {
    if bytes.len() > INLINE {
        to.keep(row, bytes);
        return;
    }
    to.values::<u128>(row + 1)[row] = inline(bytes);
}

/// The bytes that some long views are of.
struct Span {
    buffer: u32,
    start: u32,
    end: u32,
}

fn views<T: ByteViewType>(
    array: &GenericByteViewArray<T>,
    from: usize,
    rows: usize,
    nulls: Option<&NullBuffer>,
    to: &mut Vector,
) {
    let views = &array.views()[from..from + rows];
    let buffers = array.data_buffers();
    // A view under a null may be anything.
    let is_null = |row: usize| nulls.is_some_and(|nulls| nulls.is_null(from + row));
    let mut long = 0usize;
    let mut span: Option<Span> = None;
    let mut is_one = true;
    for (row, &view) in views.iter().enumerate() {
        let (length, buffer, offset) = (view as u32, (view >> 64) as u32, (view >> 96) as u32);
        if length as usize <= INLINE || is_null(row) {
            continue;
        }
        long += length as usize;
        match &mut span {
            None => span = Some(Span { buffer, start: offset, end: offset + length }),
            Some(span) => {
                is_one &= span.buffer == buffer;
                span.start = span.start.min(offset);
                span.end = span.end.max(offset + length);
            }
        }
    }
    let Some(span) = span else {
        to.values::<u128>(rows).copy_from_slice(views);
        return;
    };
    let is_dense = is_one && (span.end - span.start) as usize <= long.saturating_mul(SPARSE);
    if is_dense {
        let bytes = &buffers[span.buffer as usize][span.start as usize..span.end as usize];
        let base = to.keep(0, bytes).wrapping_sub(u64::from(span.start));
        for (to, &view) in to.values::<u128>(rows).iter_mut().zip(views) {
            let pointer = base.wrapping_add((view >> 96) as u64);
            let moved = view as u64 as u128 | u128::from(pointer) << 64;
            *to = if view as u32 as usize <= INLINE { view } else { moved };
        }
        return;
    }
    let mut gathered = Vec::with_capacity(long);
    for (row, &view) in views.iter().enumerate() {
        if view as u32 as usize > INLINE && !is_null(row) {
            let (buffer, offset) = ((view >> 64) as u32 as usize, (view >> 96) as usize);
            gathered.extend_from_slice(&buffers[buffer][offset..offset + view as u32 as usize]);
        }
    }
    let mut pointer = to.keep(0, &gathered);
    for (row, (to, &view)) in to.values::<u128>(rows).iter_mut().zip(views).enumerate() {
        *to = match view as u32 {
            length if length as usize <= INLINE => view,
            _ if is_null(row) => 0,
            length => {
                let moved = view as u64 as u128 | u128::from(pointer) << 64;
                pointer += u64::from(length);
                moved
            }
        };
    }
}
