use super::*;

/// `len` bytes in words of `width` random bytes, each one of `words`.
fn words(width: usize, words: usize, len: usize) -> Vec<u8> {
    let mut state = (width + 100 * words) as u32;
    let mut next = move || {
        // The generator of Numerical Recipes, section 7.1: its high bits are good enough here.
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize
    };
    let of: Vec<u8> = (0..width * words).map(|_| next() as u8).collect();
    (0..len.div_ceil(width)).flat_map(|_| of[next() % words * width..][..width].to_vec()).take(len).collect()
}

#[test]
fn words_of_six_bytes_are_told_from_shorter_ones() {
    for count in [20, 50, 100] {
        for width in [1, 2, 3, 4] {
            assert!(!is_in_long_words(&words(width, 2 * count, 1024)), "{} of {width} bytes", 2 * count);
        }
        for width in [6, 8, 12] {
            assert!(is_in_long_words(&words(width, count, 1024)), "{count} of {width} bytes");
        }
    }
    assert!(is_in_long_words(&[7; 1024]));
    let digits: Vec<u8> = words(1, 256, 1024).iter().map(|byte| b'0' + byte % 10).collect();
    assert!(!is_in_long_words(&digits));
    for short in [&b""[..], b"abc", b"abcdefgh"] {
        assert!(!is_in_long_words(short));
    }
}
