//! The next bits of a stream, in a register.

/// The 57 or more bits of `input` from bit `at`, with zeros after its end.
pub(crate) fn peek_bits(input: &[u8], at: usize) -> u64 {
    let from = at / 8;
    if let Some(bytes) = input.get(from..).and_then(|rest| rest.first_chunk()) {
        return u64::from_le_bytes(*bytes) >> (at % 8);
    }
    // Fewer than eight bytes remain: they are the highest of the last eight, if the input has
    // eight.
    let missing = (from + 8).saturating_sub(input.len()).min(8);
    let left = match input.last_chunk() {
        Some(bytes) => u64::from_le_bytes(*bytes).checked_shr(8 * missing as u32).unwrap_or(0),
        None => {
            let rest = input.get(from..).unwrap_or_default();
            rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
        }
    };
    left >> (at % 8)
}

#[cfg(test)]
mod tests {
    use super::peek_bits;

    #[test]
    fn bits_of_the_end_have_zeros_above() {
        let bytes: Vec<u8> = (1..=20).map(|i| 37 * i).collect();
        for len in 0..=bytes.len() {
            let input = &bytes[..len];
            for at in 0..8 * len + 200 {
                let bit =
                    |at: usize| u64::from(input.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1));
                let expected = (0..64 - at % 8).fold(0, |word, i| word | bit(at + i) << i);
                assert_eq!(peek_bits(input, at), expected, "bit {at} of {len} bytes");
            }
        }
    }
}
