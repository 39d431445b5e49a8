use super::Packed;

fn all(bytes: &[u8], width: u32, big_endian: bool) -> Vec<u32> {
    let mut packed = Packed::new(bytes, width, big_endian);
    std::iter::from_fn(|| packed.next()).collect()
}

/// Elements from the lowest bit, one of them across two bytes, and a last bit that is no element.
#[test]
fn three_bits_little_endian() {
    assert_eq!(all(&[0xD5, 0x01], 3, false), [0b101, 0b010, 0b111, 0, 0]);
}

/// Elements from the highest bit, one of them across two bytes, and a last bit that is no element.
#[test]
fn three_bits_big_endian() {
    assert_eq!(all(&[0xD5, 0x81], 3, true), [0b110, 0b101, 0b011, 0, 0]);
}

#[test]
fn whole_words() {
    assert_eq!(all(&[1, 2, 3, 4, 5], 32, false), [0x0403_0201]);
    assert_eq!(all(&[1, 2, 3, 4, 5], 16, true), [0x0102, 0x0304]);
    assert_eq!(all(&[], 1, true), []);
}

/// Compares every width and order with a reader of single bits.
#[test]
fn against_single_bits() {
    let bytes: Vec<u8> = (0..64u32).map(|n| (n * n * 37 + n * 11 + 5) as u8).collect();
    for (width, big_endian) in (1..=32).flat_map(|width| [(width, false), (width, true)]) {
        let bit = |at: usize| {
            let shift = if big_endian { 7 - at % 8 } else { at % 8 };
            u64::from(bytes[at / 8] >> shift & 1)
        };
        let naive: Vec<u32> = (0..bytes.len() * 8 / width as usize)
            .map(|n| {
                let bits = (0..width as usize).map(|k| bit(n * width as usize + k));
                let value = bits.enumerate().fold(0, |value, (k, bit)| {
                    value | bit << if big_endian { width as usize - 1 - k } else { k }
                });
                value as u32
            })
            .collect();
        assert_eq!(all(&bytes, width, big_endian), naive, "width {width}, big-endian {big_endian}");
    }
}
