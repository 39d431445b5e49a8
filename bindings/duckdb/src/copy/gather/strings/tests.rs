use super::*;

#[test]
fn bits_are_digits() {
    assert_eq!(digits(&[4, 0b1111_0101]), b"0101");
    assert_eq!(digits(&[0, 0b1000_0000, 1]), b"1000000000000001");
    assert!(digits(&[]).is_empty());
}
