//! The next bits of a stream, in a register.

/// The 57 or more bits of `input` from bit `at`, with zeros after its end.
pub(super) fn window(input: &[u8], at: usize) -> u64 {
    let rest = input.get(at / 8..).unwrap_or_default();
    let bytes = match rest.first_chunk() {
        Some(bytes) => *bytes,
        None => {
            let mut bytes = [0; 8];
            bytes[..rest.len()].copy_from_slice(rest);
            bytes
        }
    };
    u64::from_le_bytes(bytes) >> (at % 8)
}
