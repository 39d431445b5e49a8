use super::*;
use crate::Format;
use crate::deflate::sys::Compressor;

/// Bytes from a generator with 64 bits of state (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
fn random(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    };
    (0..len).map(|_| next() as u8).collect()
}

/// Bytes of `uncompressed` at libdeflate's level 6.
fn compressed(uncompressed: &[u8]) -> usize {
    let mut output = vec![0; uncompressed.len() + 1000];
    let mut compressor = Compressor::new(6).expect("memory");
    compressor.compress(Format::Deflate, uncompressed, &mut output).expect("room")
}

#[test]
fn random_bytes_are_noise_from_the_least_length_to_the_most() {
    for len in (LEAST..=MAX_SYMBOLS).step_by(509).chain([LEAST, LEAST + 1, MAX_SYMBOLS - 1, MAX_SYMBOLS]) {
        assert!(is_incompressible(&random(len as u64, len)), "{len} bytes");
    }
    for len in [0, 1, 2, 3, LEAST - 1, MAX_SYMBOLS + 1] {
        assert!(!is_incompressible(&random(1, len)), "{len} bytes");
    }
}

#[test]
fn what_a_code_makes_shorter_is_none() {
    for len in [LEAST, 5000, 16 << 10, MAX_SYMBOLS] {
        let noise = random(7, len);
        let missing: Vec<u8> = noise.iter().map(|&byte| byte % 192).collect();
        assert!(!is_incompressible(&missing), "{len} bytes, 192 values");
        // Frequencies that are even on the whole, but nowhere in it.
        let locally: Vec<u8> =
            noise.iter().enumerate().map(|(at, &byte)| byte % 64 + (at / 1024 % 4 * 64) as u8).collect();
        assert!(!is_incompressible(&locally), "{len} bytes, 64 values at a time");
        let skewed: Vec<u8> = noise.iter().zip(random(8, len)).map(|(&a, b)| a & (b | 0x3f)).collect();
        assert!(!is_incompressible(&skewed), "{len} bytes, two bits that are rarely set");
    }
}

#[test]
fn what_matches_make_shorter_is_none() {
    for len in [LEAST, 5000, 16 << 10, 48 << 10] {
        let half = random(9, len / 2);
        assert!(!is_incompressible(&[&half[..], &half].concat()), "{len} bytes, the half twice");
        let words: Vec<u8> = {
            let colours = random(10, 3 * 300);
            let pick = random(11, 2 * len / 3);
            let number = |pick: &[u8]| usize::from(u16::from_le_bytes([pick[0], pick[1]])) % 300;
            pick.chunks_exact(2).flat_map(|pick| colours[3 * number(pick)..][..3].to_vec()).collect()
        };
        assert!(!is_incompressible(&words), "{len} bytes, words of three");
        let mut zeros = random(12, len);
        zeros[len / 2..][..len / 50].fill(0);
        assert!(!is_incompressible(&zeros), "{len} bytes, one in 50 of a run");
    }
}

/// Random bytes with something in them, of every amount: what is taken for noise must not lose a hundredth by being stored.
#[test]
fn what_is_taken_for_noise_hardly_shrinks() {
    let mut taken = 0;
    for amount in 0..200 {
        for kind in 0..6 {
            let len = [2100, 4096, 9000, 16 << 10][amount % 4];
            let mut uncompressed = random(amount as u64, len);
            let changed = len * amount / 4000;
            match kind {
                0 => uncompressed[len / 3..][..changed].fill(b' '),
                1 => uncompressed.iter_mut().step_by(len.div_ceil(changed + 1)).for_each(|byte| *byte = 0),
                2 => uncompressed.copy_within(..changed, len - changed),
                3 => (0..changed / 4).for_each(|i| uncompressed.copy_within(..4, len - 4 * (i + 1))),
                // Threes as near as they can be, which cost the least.
                4 => (0..changed / 3).for_each(|i| {
                    let at = i * (len - 8) / (changed / 3);
                    uncompressed.copy_within(at..at + 3, at + 3);
                }),
                _ => uncompressed
                    .iter_mut()
                    .filter(|byte| usize::from(**byte) < amount / 8)
                    .for_each(|byte| *byte ^= 0x80),
            }
            if is_incompressible(&uncompressed) {
                taken += 1;
                let compressed = compressed(&uncompressed);
                assert!(
                    compressed * 100 >= uncompressed.len() * 99,
                    "{kind}, {amount}: {compressed} of {len} bytes"
                );
            }
        }
    }
    assert!((80..1000).contains(&taken), "{taken}");
}
