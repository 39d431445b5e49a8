//! Validation of a page's values: their number and lengths, without decoding them.

use parquet::basic::{Encoding, Type};
use pelton_bitpack::{Hybrid, Position};

use crate::decode::validate::Leaf;
use crate::decode::validate::delta;

/// Checks that a page has `count` sound values.
pub(crate) fn check(leaf: &Leaf, encoding: Encoding, values: &[u8], count: usize) -> Result<(), String> {
    if count == 0 {
        return Ok(());
    }
    match encoding {
        Encoding::PLAIN => plain(leaf, values, count),
        Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY => {
            let (&width, indices) = values.split_first().ok_or_else(ends_early)?;
            hybrid(indices, width.into(), count)
        }
        Encoding::RLE if leaf.physical == Type::BOOLEAN => {
            let (length, bits) = values.split_first_chunk::<4>().ok_or_else(ends_early)?;
            let bits = bits.get(..u32::from_le_bytes(*length) as usize).ok_or_else(ends_early)?;
            hybrid(bits, 1, count)
        }
        Encoding::DELTA_BINARY_PACKED => {
            delta::walk(values, if leaf.width == 8 { 64 } else { 32 }, count, false).map(drop)
        }
        Encoding::DELTA_LENGTH_BYTE_ARRAY => lengths(values, count),
        Encoding::DELTA_BYTE_ARRAY => front_coded(leaf, values, count),
        // the decoders of other encodings report missing values
        _ => Ok(()),
    }
}

/// Maximum number of lengths in a page: a fixed part, and a part for each byte of the page.
/// parquet-rs has all lengths in memory. A block of equal lengths stores no bytes for them, and the
/// format does not limit its size. Writers store at most a quarter of this number in a byte.
const LENGTHS: usize = 1 << 16;
const LENGTHS_PER_BYTE: usize = 1 << 10;

/// Maximum size of front-coded values after decoding: the limit for any page.
const WHOLE_BYTES: i64 = 1 << 30;

/// Checks that the memory for `count` lengths is in proportion to the page.
fn check_lengths(values: &[u8], count: usize) -> Result<(), String> {
    let (bytes, max) = (values.len(), LENGTHS.saturating_add(values.len().saturating_mul(LENGTHS_PER_BYTE)));
    if count > max {
        return Err(format!(
            "it has {count} lengths in {bytes} bytes, {max} are the most that is read of these"
        ));
    }
    Ok(())
}

fn ends_early() -> String {
    "it ends before its last value".to_owned()
}

fn plain(leaf: &Leaf, values: &[u8], count: usize) -> Result<(), String> {
    let size = match leaf.physical {
        Type::BOOLEAN => Some(count.div_ceil(8)),
        // each value starts with its length, which the decoder checks
        Type::BYTE_ARRAY => count.checked_mul(4),
        _ => count.checked_mul(leaf.width),
    };
    if size.is_none_or(|size| size > values.len()) {
        return Err(ends_early());
    }
    leaf.check_moments(values, count)
}

/// Checks the runs of a hybrid.
fn hybrid(bytes: &[u8], width: u32, count: usize) -> Result<(), String> {
    if width > 32 {
        return Err(format!("its codes have {width} bits, the most are 32"));
    }
    Hybrid::new(bytes, width, count).skip(&mut Position::default(), count).map_err(|e| e.to_string())
}

fn bad_length(number: usize) -> String {
    format!("the length of value {number} is negative, or goes beyond the page")
}

/// Checks DELTA_LENGTH_BYTE_ARRAY: lengths, then the bytes of all values.
fn lengths(values: &[u8], count: usize) -> Result<(), String> {
    let end = delta::walk(values, 32, count, true)?;
    check_lengths(values, count)?;
    let mut sum = 0u64;
    for (number, length) in delta::Lengths::new(values).into_iter().flatten().take(count).enumerate() {
        sum += u64::try_from(length).map_err(|_| bad_length(number))?;
    }
    if sum > (values.len() - end) as u64 { Err(bad_length(count)) } else { Ok(()) }
}

/// Checks DELTA_BYTE_ARRAY: the length of the prefix that each value shares with the value before,
/// then the suffixes as DELTA_LENGTH_BYTE_ARRAY.
fn front_coded(leaf: &Leaf, values: &[u8], count: usize) -> Result<(), String> {
    let rest = &values[delta::walk(values, 32, count, true)?..];
    let end = delta::walk(rest, 32, count, true)?;
    check_lengths(values, count)?;
    let lengths = |bytes| delta::Lengths::new(bytes).into_iter().flatten().map(i64::from).take(count);
    let (mut before, mut sum, mut whole) = (0, 0u64, 0i64);
    for (number, (prefix, suffix)) in lengths(values).zip(lengths(rest)).enumerate() {
        if prefix < 0 || prefix > before {
            return Err(format!(
                "DELTA_BYTE_ARRAY: value {number} shares more than there is with the one before it"
            ));
        }
        sum += u64::try_from(suffix).map_err(|_| bad_length(number))?;
        before = prefix + suffix;
        whole = whole.saturating_add(before);
        if whole > WHOLE_BYTES {
            return Err(format!("DELTA_BYTE_ARRAY: its values have more than {WHOLE_BYTES} bytes"));
        }
        if leaf.physical == Type::FIXED_LEN_BYTE_ARRAY && before != leaf.width as i64 {
            return Err(format!("value {number} has another length than its column's values"));
        }
    }
    if sum > (rest.len() - end) as u64 { Err(bad_length(count)) } else { Ok(()) }
}
