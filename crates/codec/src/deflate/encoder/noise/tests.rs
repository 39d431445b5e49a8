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

/// Bytes of `plain` at libdeflate's level 6.
fn packed(plain: &[u8]) -> usize {
    let mut output = vec![0; plain.len() + 1000];
    let mut compressor = Compressor::new(6).expect("memory");
    compressor.compress(Format::Deflate, plain, &mut output).expect("room")
}

#[test]
fn random_bytes_are_noise_from_the_least_length_to_the_most() {
    for len in (LEAST..=MOST).step_by(509).chain([LEAST, LEAST + 1, MOST - 1, MOST]) {
        assert!(is_noise(&random(len as u64, len)), "{len} bytes");
    }
    for len in [0, 1, 2, 3, LEAST - 1, MOST + 1] {
        assert!(!is_noise(&random(1, len)), "{len} bytes");
    }
}

#[test]
fn what_a_code_makes_shorter_is_none() {
    for len in [LEAST, 5000, 16 << 10, MOST] {
        let noise = random(7, len);
        let missing: Vec<u8> = noise.iter().map(|&byte| byte % 192).collect();
        assert!(!is_noise(&missing), "{len} bytes, 192 values");
        // Frequencies that are even on the whole, but nowhere in it.
        let locally: Vec<u8> =
            noise.iter().enumerate().map(|(at, &byte)| byte % 64 + (at / 1024 % 4 * 64) as u8).collect();
        assert!(!is_noise(&locally), "{len} bytes, 64 values at a time");
        let skewed: Vec<u8> = noise.iter().zip(random(8, len)).map(|(&a, b)| a & (b | 0x3f)).collect();
        assert!(!is_noise(&skewed), "{len} bytes, two bits that are rarely set");
    }
}

#[test]
fn what_matches_make_shorter_is_none() {
    for len in [LEAST, 5000, 16 << 10, 48 << 10] {
        let half = random(9, len / 2);
        assert!(!is_noise(&[&half[..], &half].concat()), "{len} bytes, the half twice");
        let words: Vec<u8> = {
            let colours = random(10, 3 * 300);
            let pick = random(11, 2 * len / 3);
            let number = |pick: &[u8]| usize::from(u16::from_le_bytes([pick[0], pick[1]])) % 300;
            pick.chunks_exact(2).flat_map(|pick| colours[3 * number(pick)..][..3].to_vec()).collect()
        };
        assert!(!is_noise(&words), "{len} bytes, words of three");
        let mut zeros = random(12, len);
        zeros[len / 2..][..len / 50].fill(0);
        assert!(!is_noise(&zeros), "{len} bytes, one in 50 of a run");
    }
}

/// Random bytes with something in them, of every amount: what is taken for noise must not lose a hundredth by being stored.
#[test]
fn what_is_taken_for_noise_hardly_shrinks() {
    let mut taken = 0;
    for amount in 0..200 {
        for kind in 0..6 {
            let len = [2100, 4096, 9000, 16 << 10][amount % 4];
            let mut plain = random(amount as u64, len);
            let changed = len * amount / 4000;
            match kind {
                0 => plain[len / 3..][..changed].fill(b' '),
                1 => plain.iter_mut().step_by(len.div_ceil(changed + 1)).for_each(|byte| *byte = 0),
                2 => plain.copy_within(..changed, len - changed),
                3 => (0..changed / 4).for_each(|i| plain.copy_within(..4, len - 4 * (i + 1))),
                // Threes as near as they can be, which cost the least.
                4 => (0..changed / 3).for_each(|i| {
                    let at = i * (len - 8) / (changed / 3);
                    plain.copy_within(at..at + 3, at + 3);
                }),
                _ => plain
                    .iter_mut()
                    .filter(|byte| usize::from(**byte) < amount / 8)
                    .for_each(|byte| *byte ^= 0x80),
            }
            if is_noise(&plain) {
                taken += 1;
                let packed = packed(&plain);
                assert!(packed * 100 >= plain.len() * 99, "{kind}, {amount}: {packed} of {len} bytes");
            }
        }
    }
    assert!((80..1000).contains(&taken), "{taken}");
}
