use super::*;

/// Bytes that look random (SplitMix64).
fn noise(len: usize, seed: u64) -> Vec<u8> {
    let word = |number: u64| {
        let mut word = number.wrapping_add(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ word >> 31).to_le_bytes()
    };
    (1..).flat_map(word).take(len).collect()
}

#[test]
fn what_repeats_at_one_distance_is_seen() {
    for len in [1_usize << 10, 2 << 10, 4 << 10] {
        for distance in 4..7 * len.isqrt() {
            let mut uncompressed = noise(len, 1);
            for at in (distance..len - 4).step_by(24) {
                uncompressed.copy_within(at - distance..at - distance + 4, at);
            }
            assert!(has_fours(&uncompressed), "{len} bytes that repeat at a distance of {distance}");
        }
    }
}

#[test]
fn numbers_after_noise_are_seen() {
    for len in [1_usize << 10, 2 << 10, 4 << 10] {
        let numbers = noise(4 * 250, 2);
        for before in [0, len / 8, len / 4, len / 2] {
            let mut uncompressed = noise(before, 3);
            let number = |word: &[u8]| 4 * (usize::from(word[0]) % 250);
            let chosen = noise(len, 4);
            uncompressed.extend(chosen.chunks(4).flat_map(|word| &numbers[number(word)..][..4]));
            uncompressed.truncate(len);
            assert!(has_fours(&uncompressed), "{len} bytes, of which {before} are noise");
        }
        assert!(!has_fours(&noise(len, 5)));
    }
}
