//! Values to bytes and back.

use super::*;

#[test]
fn there_and_back() {
    let values = [1u32, 0x0102_0304, u32::MAX];
    assert_eq!(bytes_of(&values), bytes_of_slice(&values));
    assert_eq!(bytes_of(&values[1]), 0x0102_0304u32.to_ne_bytes());
    // From an odd address on.
    let mut bytes = vec![0];
    bytes.extend_from_slice(bytes_of(&values));
    assert_eq!(from_bytes::<u32>(&bytes[1..]), Some(values.to_vec()));
    assert_eq!(from_bytes::<u32>(&bytes), None);
}
