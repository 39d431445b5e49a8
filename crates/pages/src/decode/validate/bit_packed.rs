//! Conversion of levels from the deprecated encoding BIT_PACKED to hybrids.
//!
//! Values fill each byte from its highest bit, without runs and without a length in front
//! (parquet-format, Encodings.md, "Bit-packed (Deprecated)"). Only pages of version 1 have them.

use bytes::Bytes;
use parquet::basic::Encoding;
use pelton_bitpack::{Kernels, Order, Packed, Source};

use crate::decode::validate::Leaf;
use crate::decode::validate::levels::bits;
use crate::header::PageHeader;
use crate::header::PageKind;

impl Leaf {
    /// Returns the page with its levels as hybrids; the same bytes if no level is BIT_PACKED.
    ///
    /// # Errors
    /// The page is too short for its levels.
    #[allow(deprecated)] // BIT_PACKED
    pub fn with_hybrid_levels(&self, header: &PageHeader, bytes: Bytes) -> Result<Bytes, String> {
        let PageKind::DataV1 { definition_levels, repetition_levels } = header.kind else { return Ok(bytes) };
        // repetition levels come first
        let all = [(repetition_levels, self.max_repetition), (definition_levels, self.max_definition)];
        if !all.iter().any(|&(encoding, max)| max > 0 && encoding == Encoding::BIT_PACKED) {
            return Ok(bytes);
        }
        let too_short = || "its levels end behind it".to_owned();
        let (count, mut rest, mut page) = (header.num_values as usize, &bytes[..], Vec::new());
        for (encoding, max) in all.into_iter().filter(|&(_, max)| max > 0) {
            if encoding != Encoding::BIT_PACKED {
                let (length, behind) = rest.split_first_chunk::<4>().ok_or_else(too_short)?;
                let end = u32::from_le_bytes(*length) as usize;
                let (levels, behind) = behind.split_at_checked(end).ok_or_else(too_short)?;
                page.extend_from_slice(length);
                page.extend_from_slice(levels);
                rest = behind;
                continue;
            }
            let width = bits(max);
            let size = count.checked_mul(width as usize).ok_or_else(too_short)?.div_ceil(8);
            let (levels, behind) = rest.split_at_checked(size).ok_or_else(too_short)?;
            let hybrid = hybrid(levels, width, count).map_err(|e| e.to_string())?;
            page.extend_from_slice(&(hybrid.len() as u32).to_le_bytes());
            page.extend_from_slice(&hybrid);
            rest = behind;
        }
        page.extend_from_slice(rest);
        Ok(page.into())
    }
}

/// Returns the levels as one bit-packed run, which starts at the lowest bit of each byte.
fn hybrid(levels: &[u8], width: u32, count: usize) -> Result<Vec<u8>, pelton_bitpack::Error> {
    let mut values = Vec::new();
    let source = Source::from(Packed::new(levels, width, count, Order::Big)?);
    Kernels::detect().unpack(&source, &mut values)?;
    let groups = count.div_ceil(8);
    let mut bytes = Vec::with_capacity(groups * width as usize + 5);
    let mut header = (groups as u64) << 1 | 1;
    while header >= 0x80 {
        bytes.push(header as u8 | 0x80);
        header >>= 7;
    }
    bytes.push(header as u8);
    let (mut word, mut held) = (0u64, 0);
    for value in values.into_iter().chain(std::iter::repeat_n(0, groups * 8 - count)) {
        word |= u64::from(value) << held;
        held += width;
        while held >= 8 {
            bytes.push(word as u8);
            word >>= 8;
            held -= 8;
        }
    }
    Ok(bytes)
}
