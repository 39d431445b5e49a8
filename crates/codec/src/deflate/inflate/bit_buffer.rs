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
mod tests;
