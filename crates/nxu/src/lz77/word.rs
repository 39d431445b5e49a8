//! Words of eight bytes, as the engine takes them a cycle.

use crate::config::WORD;

/// Returns the eight bytes at a position, with zeros behind the last one.
#[inline]
pub fn load(data: &[u8], at: usize) -> u64 {
    match data[at..].first_chunk() {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => {
            let mut bytes = [0; WORD];
            let rest = &data[at..];
            bytes[..rest.len()].copy_from_slice(rest);
            u64::from_le_bytes(bytes)
        }
    }
}

/// Returns a bit for each byte that is equal in both words.
#[inline]
pub fn equal_bytes(a: u64, b: u64) -> u8 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let differing = a ^ b;
    let zeros = !(((differing & LOW) + LOW) | differing | LOW);
    ((zeros >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// Returns the positions of set bits, from `from` on.
#[inline]
pub fn set_bits(bits: u8, from: usize) -> impl Iterator<Item = usize> {
    let mut bits = u32::from(bits) >> from << from;
    std::iter::from_fn(move || {
        let at = bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
        (at < u32::BITS).then_some(at as usize)
    })
}
