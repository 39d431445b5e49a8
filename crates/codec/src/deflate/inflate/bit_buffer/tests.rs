use super::peek_bits;

#[test]
fn bits_of_the_end_have_zeros_above() {
    let bytes: Vec<u8> = (1..=20).map(|i| 37 * i).collect();
    for len in 0..=bytes.len() {
        let input = &bytes[..len];
        for at in 0..8 * len + 200 {
            let bit = |at: usize| u64::from(input.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1));
            let expected = (0..64 - at % 8).fold(0, |word, i| word | bit(at + i) << i);
            assert_eq!(peek_bits(input, at), expected, "bit {at} of {len} bytes");
        }
    }
}
