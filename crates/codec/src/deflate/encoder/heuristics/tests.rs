use pelton_random::Random;

use super::*;
use crate::Format;
use crate::deflate::sys::Compressor;

const MIN_LEN: usize = *CHECKED_LENGTHS.start();
const MAX_LEN: usize = *CHECKED_LENGTHS.end();

/// Returns `len` bytes of a seed's sequence.
fn takes_for_noise(uncompressed: &[u8]) -> bool {
    let mut tables = RepeatTables::EMPTY;
    is_incompressible(uncompressed, &mut tables)
}

fn fours(uncompressed: &[u8]) -> bool {
    let mut tables = RepeatTables::EMPTY;
    has_fours(uncompressed, &mut tables)
}

fn has_fives(uncompressed: &[u8]) -> bool {
    let mut tables = RepeatTables::EMPTY;
    has_share_of_fives(uncompressed, (3, 8), &mut tables)
}

fn random(seed: u64, len: usize) -> Vec<u8> {
    let mut random = Random::new(seed);
    (0..len).map(|_| random.next() as u8).collect()
}

/// Bytes of `uncompressed` at libdeflate's level 6.
fn compressed(uncompressed: &[u8]) -> usize {
    let mut output = vec![0; uncompressed.len() + 1000];
    let mut compressor = Compressor::new(6).expect("memory");
    compressor.compress(Format::Deflate, uncompressed, &mut output).expect("room")
}

#[test]
fn random_bytes_are_incompressible_at_every_checked_length() {
    for len in (MIN_LEN..=MAX_LEN).step_by(509).chain([MIN_LEN, MIN_LEN + 1, MAX_LEN - 1, MAX_LEN]) {
        assert!(takes_for_noise(&random(len as u64, len)), "{len} bytes");
    }
    for len in [0, 1, 2, 3, MIN_LEN - 1, MAX_LEN + 1] {
        assert!(!takes_for_noise(&random(1, len)), "{len} bytes");
    }
}

#[test]
fn what_a_code_makes_shorter_is_none() {
    for len in [MIN_LEN, 5000, 16 << 10, MAX_LEN] {
        let noise = random(7, len);
        let missing: Vec<u8> = noise.iter().map(|&byte| byte % 192).collect();
        assert!(!takes_for_noise(&missing), "{len} bytes, 192 values");
        // Frequencies that are even on the whole, but nowhere in it.
        let locally: Vec<u8> =
            noise.iter().enumerate().map(|(at, &byte)| byte % 64 + (at / 1024 % 4 * 64) as u8).collect();
        assert!(!takes_for_noise(&locally), "{len} bytes, 64 values at a time");
        let skewed: Vec<u8> = noise.iter().zip(random(8, len)).map(|(&a, b)| a & (b | 0x3f)).collect();
        assert!(!takes_for_noise(&skewed), "{len} bytes, two bits that are rarely set");
    }
}

#[test]
fn what_matches_make_shorter_is_none() {
    for len in [MIN_LEN, 5000, 16 << 10, 48 << 10] {
        let half = random(9, len / 2);
        assert!(!takes_for_noise(&[&half[..], &half].concat()), "{len} bytes, the half twice");
        let words: Vec<u8> = {
            let colours = random(10, 3 * 300);
            let pick = random(11, 2 * len / 3);
            let number = |pick: &[u8]| usize::from(u16::from_le_bytes([pick[0], pick[1]])) % 300;
            pick.chunks_exact(2).flat_map(|pick| colours[3 * number(pick)..][..3].to_vec()).collect()
        };
        assert!(!takes_for_noise(&words), "{len} bytes, words of three");
        let mut zeros = random(12, len);
        zeros[len / 2..][..len / 50].fill(0);
        assert!(!takes_for_noise(&zeros), "{len} bytes, one in 50 of a run");
    }
}

/// Random bytes with something in them, of every amount: what is taken for noise must not lose a
/// hundredth by being stored.
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
            if takes_for_noise(&uncompressed) {
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

#[test]
fn what_repeats_at_one_distance_is_seen() {
    for len in [1_usize << 10, 2 << 10, 4 << 10] {
        for distance in 4..7 * len.isqrt() {
            let mut uncompressed = random(1, len);
            for at in (distance..len - 4).step_by(24) {
                uncompressed.copy_within(at - distance..at - distance + 4, at);
            }
            assert!(fours(&uncompressed), "{len} bytes that repeat at a distance of {distance}");
        }
    }
}

#[test]
fn numbers_after_noise_are_seen() {
    for len in [1_usize << 10, 2 << 10, 4 << 10] {
        let numbers = random(2, 4 * 250);
        for before in [0, len / 8, len / 4, len / 2] {
            let mut uncompressed = random(3, before);
            let number = |word: &[u8]| 4 * (usize::from(word[0]) % 250);
            let chosen = random(4, len);
            uncompressed.extend(chosen.chunks(4).flat_map(|word| &numbers[number(word)..][..4]));
            uncompressed.truncate(len);
            assert!(fours(&uncompressed), "{len} bytes, of which {before} are noise");
        }
        assert!(!fours(&random(5, len)));
    }
}

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
    for len in [512, 1024, 4096] {
        for count in [20, 50, 100] {
            for width in [1, 2, 3, 4] {
                let uncompressed = words(width, 2 * count, len);
                assert!(!has_fives(&uncompressed), "{} of {width} bytes, {len}", 2 * count);
            }
        }
        for width in [6, 8, 12] {
            for count in [10, 20] {
                assert!(has_fives(&words(width, count, len)), "{count} of {width} bytes, {len}");
            }
        }
        assert!(has_fives(&vec![7; len]));
        let digits: Vec<u8> = words(1, 256, len).iter().map(|byte| b'0' + byte % 10).collect();
        assert!(!has_fives(&digits));
    }
    for short in [&b""[..], b"abc", b"abcdefgh"] {
        assert!(!has_fives(short));
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

/// Counts the places in the first halves of records of `width` bytes. The first record begins
/// `before` bytes before the first place.
fn in_first_halves(places: &[usize], width: usize, before: usize) -> usize {
    places.iter().filter(|&&at| 2 * ((at + before) % width) < width).count()
}

#[test]
fn both_halves_of_records_of_any_width_are_seen() {
    for (len, every) in [(64 << 10, 16), (32 << 10, 16), (16 << 10, 12), (8 << 10, 6), (4 << 10, 3)] {
        let uncompressed = vec![0; len];
        let places: Vec<usize> = runs(&uncompressed, every)
            .flat_map(|run| {
                let start = run.as_ptr() as usize - uncompressed.as_ptr() as usize;
                start..start + run.len()
            })
            .collect();
        // Wider records are too few in an input of this length.
        for width in 2..=len / 24 {
            for before in (0..width).step_by(1 + width / 40) {
                let share = in_first_halves(&places, width, before) * 100 / places.len();
                assert!(
                    (15..=85).contains(&share),
                    "{share}% of {len} bytes: records of {width}, the first from -{before} on"
                );
            }
        }
    }
}
