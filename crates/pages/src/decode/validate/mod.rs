//! Validation of pages before parquet-rs decodes them, or Pelton's own decoders take a dictionary
//! from them.
//!
//! parquet-rs does not check levels and counts of a page: levels above the maximum of their column,
//! lists that continue in rows without a list, shared prefixes longer than the value before. It
//! returns rows for them, but not those of any other reader. [`Levels::page`] checks the levels and
//! lengths of each page first, without decoding its values.

mod agreement;
mod bit_packed;
mod delta;
mod leaf;
mod levels;
mod moments;
mod values;

pub(crate) use crate::decode::validate::agreement::Agreement;
pub(crate) use crate::decode::validate::leaf::Leaf;
use crate::decode::validate::levels::LevelState;
pub(crate) use crate::decode::validate::levels::PagePlace;

use crate::header::PageHeader;
use crate::header::PageKind;

/// State of the validation of a column chunk's levels.
#[derive(Debug, Default)]
pub(crate) struct Levels(LevelState);

/// Parts of a data page. Levels are hybrids without a length in front.
struct Parts<'a> {
    repetition: &'a [u8],
    definition: &'a [u8],
    values: &'a [u8],
}

impl Levels {
    /// Validates the next data page. Returns the number of nulls among its values.
    ///
    /// # Errors
    /// A text that describes the damage.
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
            return Err(miscounted(present, header.num_values, num_nulls));
        }
        values::check(leaf, header.encoding, parts.values, present)?;
        Ok(nulls)
    }
}

/// Splits a data page into its parts.
fn parts<'a>(leaf: &Leaf, header: &PageHeader, bytes: &'a [u8]) -> Result<Parts<'a>, String> {
    let too_short = || "its levels end behind it".to_owned();
    if let PageKind::DataV2 { definition_bytes, repetition_bytes, .. } = header.kind {
        let (repetition, rest) = bytes.split_at_checked(repetition_bytes as usize).ok_or_else(too_short)?;
        let (definition, values) = rest.split_at_checked(definition_bytes as usize).ok_or_else(too_short)?;
        return Ok(Parts { repetition, definition, values });
    }
    let mut rest = bytes;
    // version 1 stores the length of the levels in front of them
    let mut take = |max: u32| -> Result<&[u8], String> {
        match max {
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

/// Returns the message for a page with `count` non-null values of `all` and another number of nulls
/// in its header.
pub(crate) fn miscounted(count: usize, all: u32, nulls: u32) -> String {
    format!("{count} of its {all} values are not null, its header says that {nulls} are null")
}

#[cfg(test)]
mod tests;
