//! Strings in vectors that Pelton reads.

use libduckdb_sys::*;

use super::INLINE;
use super::rows::Values;

/// A string of a vector.
#[derive(Clone, Copy)]
pub enum Text<'a> {
    /// A string of up to 12 bytes: its length in the lowest 32 bits, then its bytes, then zeros.
    Short(u128),
    /// A longer string.
    Long(&'a [u8]),
}

/// Returns the string in a `string_t`.
///
/// # Safety
/// The `string_t` is valid: the pointer of a long one leads to its bytes for as long as the vector
/// lives.
unsafe fn text<'a>(value: &'a [u32; 4]) -> Text<'a> {
    let length = value[0] as usize;
    if length <= INLINE {
        let bits = value.iter().rev().fold(0, |bits, word| bits << 32 | u128::from(*word));
        // The bytes after the string may be anything.
        let used = 32 + 8 * length as u32;
        return Text::Short(bits & u128::MAX >> (128 - used));
    }
    let address = u64::from(value[2]) | u64::from(value[3]) << 32;
    let start: *const u8 = std::ptr::with_exposed_provenance(address as usize);
    // SAFETY: the caller's: a long `string_t` is a length, four bytes and a pointer to all of them.
    Text::Long(unsafe { std::slice::from_raw_parts(start, length) })
}

impl<'a> Values<'a> {
    /// Calls `each` with every string in the vector's own form.
    ///
    /// # Panics
    /// The vector's type has no strings.
    pub fn strings(&self, mut each: impl FnMut(Text<'a>)) {
        assert!(self.has_strings(), "a vector without strings");
        // SAFETY: a vector of strings has `string_t`s, of 16 bytes.
        let values: &'a [[u32; 4]] = unsafe { self.raw_values() };
        let Some(valid) = self.validity() else {
            // SAFETY: a valid `string_t`, as all are.
            values.iter().for_each(|value| each(unsafe { text(value) }));
            return;
        };
        for (row, value) in values.iter().enumerate() {
            match valid.is_valid(row) {
                // SAFETY: a valid `string_t`.
                true => each(unsafe { text(value) }),
                false => each(Text::Short(0)),
            }
        }
    }

    fn has_strings(&self) -> bool {
        let strings = [
            DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR,
            DUCKDB_TYPE_DUCKDB_TYPE_BLOB,
            DUCKDB_TYPE_DUCKDB_TYPE_BIT,
            DUCKDB_TYPE_DUCKDB_TYPE_BIGNUM,
        ];
        strings.contains(&self.id())
    }
}
