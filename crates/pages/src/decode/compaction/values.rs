//! Selection of a page's values.

use pelton_bitpack::Bitmap;

/// Returns the selected ones of plain values of `width` bytes; `None` if the values end before the
/// last of them.
pub fn fixed(values: &[u8], width: usize, kept: &Bitmap) -> Option<Vec<u8>> {
    match width {
        4 => copy::<4>(values, kept),
        8 => copy::<8>(values, kept),
        _ => {
            let mut plain = Vec::with_capacity(kept.count_ones().checked_mul(width)?.min(values.len()));
            for at in kept.ones() {
                let start = at.checked_mul(width)?;
                plain.extend_from_slice(values.get(start..start.checked_add(width)?)?);
            }
            Some(plain)
        }
    }
}

fn copy<const WIDTH: usize>(values: &[u8], kept: &Bitmap) -> Option<Vec<u8>> {
    let (values, _) = values.as_chunks::<WIDTH>();
    let mut plain = Vec::with_capacity(kept.count_ones().min(values.len()) * WIDTH);
    for at in kept.ones() {
        plain.extend_from_slice(values.get(at)?);
    }
    Some(plain)
}

/// Returns the selected ones of plain byte arrays, each behind its length of four bytes; `None` if
/// the values end before the last of them.
pub fn with_lengths(mut values: &[u8], kept: &Bitmap) -> Option<Vec<u8>> {
    let mut plain = Vec::new();
    let mut next = 0;
    for at in kept.ones() {
        loop {
            let (length, rest) = values.split_first_chunk::<4>()?;
            let end = 4 + u32::from_le_bytes(*length) as usize;
            let value = values.get(..end)?;
            values = &rest[end - 4..];
            next += 1;
            if next > at {
                plain.extend_from_slice(value);
                break;
            }
        }
    }
    Some(plain)
}

#[cfg(test)]
mod tests;
