//! Validation of pages before parquet-rs decodes them, or Pelton's own decoders take a dictionary
//! from them.
//!
//! parquet-rs takes levels and counts of a page on trust: levels above the greatest of their
//! column, lists that go on in rows that have none, shared prefixes longer than the value before.
//! What it makes of them is rows, and not those of any other reader. [`Levels::page`] goes over
//! each page's levels and lengths first; values are not decoded twice.

mod agreement;
mod bit_packed;
mod delta;
mod leaf;
mod levels;
mod moments;
mod values;

pub(crate) use crate::decode::validate::agreement::Agreement;
pub(crate) use crate::decode::validate::leaf::Leaf;
pub(crate) use crate::decode::validate::levels::PagePlace;
use crate::decode::validate::levels::Walk;

use crate::decode::flat;
use crate::header::PageHeader;
use crate::header::PageKind;

/// How far the levels of a column chunk were looked at.
#[derive(Debug, Default)]
pub(crate) struct Levels(Walk);

/// The parts of a data page. Levels are in hybrids, without lengths in front.
struct Parts<'a> {
    repetition: &'a [u8],
    definition: &'a [u8],
    values: &'a [u8],
}

impl Levels {
    /// Goes over the next data page. Returns how many of its values are null.
    ///
    /// # Errors
    /// What is wrong with the page, in words.
    pub fn page(
        &mut self,
        leaf: &Leaf,
        header: &PageHeader,
        bytes: &[u8],
        place: &PagePlace,
        agreement: &Agreement,
    ) -> Result<u32, String> {
        let parts = parts(leaf, header, bytes)?;
        let present = self.0.page(leaf, &parts, header.num_values as usize, place, agreement)?;
        let nulls = header.num_values.saturating_sub(present as u32);
        if let PageKind::DataV2 { num_nulls, .. } = header.kind
            && leaf.is_flat()
            && num_nulls != nulls
        {
            return Err(flat::miscounted(present, header.num_values, num_nulls));
        }
        values::check(leaf, header.encoding, parts.values, present)?;
        Ok(nulls)
    }
}

/// Takes a data page apart.
fn parts<'a>(leaf: &Leaf, header: &PageHeader, bytes: &'a [u8]) -> Result<Parts<'a>, String> {
    let too_short = || "its levels end behind it".to_owned();
    if let PageKind::DataV2 { definition_bytes, repetition_bytes, .. } = header.kind {
        let (repetition, rest) = bytes.split_at_checked(repetition_bytes as usize).ok_or_else(too_short)?;
        let (definition, values) = rest.split_at_checked(definition_bytes as usize).ok_or_else(too_short)?;
        return Ok(Parts { repetition, definition, values });
    }
    let mut rest = bytes;
    // version 1 has the length of the levels in front of them, in four bytes
    let mut take = |most: u32| -> Result<&[u8], String> {
        match most {
            0 => Ok(&[][..]),
            _ => {
                let (length, behind) = rest.split_first_chunk::<4>().ok_or_else(too_short)?;
                let length = u32::from_le_bytes(*length) as usize;
                let (levels, behind) = behind.split_at_checked(length).ok_or_else(too_short)?;
                rest = behind;
                Ok(levels)
            }
        }
    };
    let (repetition, definition) = (take(leaf.max_repetition)?, take(leaf.max_definition)?);
    Ok(Parts { repetition, definition, values: rest })
}

#[cfg(test)]
mod tests;
