use super::{sum, sum_words};

#[test]
fn the_sum_is_that_of_all_words() {
    let bytes: Vec<u8> = (0..2560u32).map(|i| (i * 31 / 8) as u8).collect();
    let words = bytes.as_chunks::<8>().0.iter();
    let expected = words.fold(0u64, |sum, word| sum.wrapping_add(u64::from_le_bytes(*word)));
    assert_eq!((sum(&bytes), sum_words(&bytes)), (expected, expected));
}
