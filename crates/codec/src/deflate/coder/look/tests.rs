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
fn words_of_four_bytes_are_told_from_others() {
    for count in [20, 50, 100] {
        assert!(is_of_words(&words(4, count, 1024)), "{count}");
    }
    for width in [1, 2, 3, 5, 6, 8, 12] {
        for count in [5, 20, 50, 200] {
            assert!(!is_of_words(&words(width, count, 1024)), "{count} of {width} bytes");
        }
    }
    let text: Vec<u8> =
        words(6, 30, 900).iter().flat_map(|&byte| [b'a' + byte % 26, b'a' + byte % 7]).collect();
    assert!(!is_of_words(&text[..1024]));
    assert!(!is_of_words(&[]) && !is_of_words(b"abc") && !is_of_words(&[7; 1024]));
}
