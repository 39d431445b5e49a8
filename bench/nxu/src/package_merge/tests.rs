use super::min_bits;

#[test]
fn a_limit_makes_codes_longer() {
    // Huffman's code has up to three bits; a limit of two makes all codes equal.
    assert_eq!(min_bits(&[8, 4, 0, 1, 1], 15), 8 + 8 + 3 + 3);
    assert_eq!(min_bits(&[8, 4, 0, 1, 1], 2), 28);
    assert_eq!(min_bits(&[5, 7], 15), 12);
}
