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
    const LEAST: (usize, usize) = (3, 8);
    for len in [512, 1024, 4096] {
        for count in [20, 50, 100] {
            for width in [1, 2, 3, 4] {
                let uncompressed = words(width, 2 * count, len);
                assert!(!are_most(&uncompressed, LEAST), "{} of {width} bytes, {len}", 2 * count);
            }
        }
        for width in [6, 8, 12] {
            for count in [10, 20] {
                assert!(are_most(&words(width, count, len), LEAST), "{count} of {width} bytes, {len}");
            }
        }
        assert!(are_most(&vec![7; len], LEAST));
        let digits: Vec<u8> = words(1, 256, len).iter().map(|byte| b'0' + byte % 10).collect();
        assert!(!are_most(&digits, LEAST));
    }
    for short in [&b""[..], b"abc", b"abcdefgh"] {
        assert!(!are_most(short, LEAST));
    }
}

#[test]
fn text_is_told_from_numbers() {
    assert!(is_text(b"") && is_text("a\tb\r\n".repeat(100).as_bytes()));
    let mut uncompressed = vec![b'x'; 640];
    uncompressed[..10].fill(0);
    assert!(is_text(&uncompressed));
    uncompressed[10] = 0x80;
    assert!(!is_text(&uncompressed));
}
