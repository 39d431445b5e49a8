//! Levels and values of pages of flat columns, which are neither nested nor in a struct.

use bytes::Bytes;

use crate::decode::validate;
use crate::error::Cause;
use crate::error::Error;
use crate::error::Result;
use crate::header::PageKind;
use crate::load::fetch::SlotState;
use crate::load::loaded_chunk::LoadedChunk;
pub(crate) use crate::raw::is_flat;

/// Splits the page at `index` into definition levels, empty if the column is not optional, and
/// values.
///
/// # Errors
/// A length in the page exceeds its end.
pub(crate) fn split(
    chunk: &LoadedChunk,
    index: usize,
    bytes: &Bytes,
    is_optional: bool,
) -> Result<(Bytes, Bytes)> {
    let SlotState::Read(header, _) = &chunk.pages[index].slot.state else {
        return Err(bad(chunk, index, "internal error: it was not loaded"));
    };
    let too_short = || bad(chunk, index, "its levels end behind it");
    match header.kind {
        PageKind::DataV2 { definition_bytes, repetition_bytes, .. } => {
            let from = repetition_bytes as usize;
            let to = from.saturating_add(definition_bytes as usize);
            if to > bytes.len() {
                return Err(too_short());
            }
            Ok((bytes.slice(from..to), bytes.slice(to..)))
        }
        _ if !is_optional => Ok((Bytes::new(), bytes.clone())),
        _ => {
            // version 1 stores the length of the levels in front of them
            let (length, rest) = bytes.split_first_chunk::<4>().ok_or_else(too_short)?;
            let length = u32::from_le_bytes(*length) as usize;
            if length > rest.len() {
                return Err(too_short());
            }
            Ok((bytes.slice(4..4 + length), bytes.slice(4 + length..)))
        }
    }
}

/// Checks the number of non-null values of the page at `index` against its header, if the header
/// states it.
///
/// # Errors
/// The numbers differ.
pub(crate) fn check_count(chunk: &LoadedChunk, index: usize, count: usize) -> Result<()> {
    if let SlotState::Read(header, _) = &chunk.pages[index].slot.state
        && let PageKind::DataV2 { num_nulls, .. } = header.kind
        && u64::from(num_nulls) + count as u64 != u64::from(header.num_values)
    {
        return Err(bad(chunk, index, &validate::miscounted(count, header.num_values, num_nulls)));
    }
    Ok(())
}

/// Splits a page's values into the bits of a dictionary index, at most 32, and the packed indices.
///
/// # Errors
/// Indices have more bits.
pub(crate) fn indices(chunk: &LoadedChunk, index: usize, values: &Bytes) -> Result<(u8, Bytes)> {
    // a page of nulls may have no indices, and not even their width
    let width = values.first().copied().unwrap_or(0);
    if width > 32 {
        return Err(bad(chunk, index, &format!("its codes have {width} bits, the most are 32")));
    }
    Ok((width, values.slice(values.len().min(1)..)))
}

/// Returns an error with the place of the page at `index`.
pub(crate) fn bad(chunk: &LoadedChunk, index: usize, what: &str) -> Error {
    let number = chunk.pages[index].slot.page;
    Error::new(chunk.place.clone().page(number), Cause::Decode(what.to_owned()))
}
