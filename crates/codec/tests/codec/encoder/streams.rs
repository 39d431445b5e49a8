//! Whole streams.

use pelton_codec::Window;

use super::{Encoders, LEVELS, data, decode};
use crate::reference::zlib::{Verdict, inflate_in_window};
use crate::support::{reduced, sample};

/// Borders of groups, pieces, chunks, windows, stored blocks and blocks.
const BORDERS: [usize; 5] = [4 << 10, 16 << 10, 32 << 10, 64 << 10, 1 << 20];

/// What is at, before and after borders.
fn around(borders: &[usize]) -> impl Iterator<Item = usize> {
    borders.iter().flat_map(|border| border - 1..=border + 1)
}

#[test]
fn every_small_size() {
    let mut encoders = Encoders::new();
    for kind in data::kinds() {
        let plains: Vec<Vec<u8>> =
            (0..=300).step_by(300 / reduced(300)).map(|len| data::of(kind, len)).collect();
        for level in LEVELS {
            let cases: Vec<_> =
                plains.iter().map(|plain| (encoders.pack(plain, level), &plain[..])).collect();
            decode(&cases, &format!("{kind}, level {level}"));
        }
    }
}

#[test]
fn sizes_around_borders() {
    let mut encoders = Encoders::new();
    let mut skips = sample();
    for kind in data::kinds() {
        for len in around(&BORDERS[..4]) {
            let plain = data::of(kind, len);
            for level in LEVELS {
                if skips() {
                    continue;
                }
                decode(&[(encoders.pack(&plain, level), &plain)], &format!("{kind}, level {level}"));
            }
        }
    }
}

#[test]
fn sizes_of_a_megabyte() {
    let mut encoders = Encoders::new();
    let mut skips = sample();
    for (number, len) in around(&BORDERS[4..]).chain([3_000_001]).enumerate() {
        for (turn, kind) in data::kinds().enumerate().skip(number % 2).step_by(2) {
            if skips() {
                continue;
            }
            let plain = data::of(kind, len);
            // Every other kind, and one level each, in turn.
            let level = (number + 3 * turn) as i32 / 2 % 10;
            decode(&[(encoders.pack(&plain, level), &plain)], &format!("{kind}, level {level}"));
        }
    }
}

#[test]
fn every_period() {
    let mut encoders = Encoders::new();
    let mut skips = sample();
    for period in (1..=40).chain(258..=260) {
        // Sizes that vary with the period, among them those of less than one and of a few.
        let lens =
            (0..300).step_by(23).map(|len| len + period % 23).chain([period, 4 * period, 17_000 + period]);
        let plains: Vec<Vec<u8>> = lens.map(|len| data::repeated(period, len)).collect();
        for level in LEVELS {
            if skips() {
                continue;
            }
            let cases: Vec<_> =
                plains.iter().map(|plain| (encoders.pack(plain, level), &plain[..])).collect();
            decode(&cases, &format!("period {period}, level {level}"));
        }
    }
}

/// Lengths at the borders of what is compared at once and of what the format has, from distances at
/// the borders of windows. One length is seen in turn and then all of them mixed.
#[test]
fn lengths_and_distances_at_borders() {
    let mut encoders = Encoders::new();
    let mut skips = sample();
    for distance in [1, 2, 3, 4095, 4096, 4097, 32_767, 32_768, 32_769] {
        let each = [32, 33, 257, 258, 259].map(|len| data::matches(&[len], distance, distance + 5000));
        let mixed = data::matches(&[3, 4, 32, 33, 257, 258, 259], distance, 2 * distance + 20_000);
        for plain in each.into_iter().chain([mixed]) {
            for level in LEVELS {
                if skips() {
                    continue;
                }
                decode(
                    &[(encoders.pack(&plain, level), &plain)],
                    &format!("distance {distance}, level {level}"),
                );
            }
        }
    }
}

/// A window suffices for what was made for one of its size, although there are matches beyond it.
#[test]
fn windows_are_kept() {
    let mut encoders = Encoders::new();
    let far = [511, 512, 513, 4095, 4096, 4097, 5000, 16_384, 16_385];
    let tempting = far.map(|distance| data::matches(&[20, 300], distance, 40_000));
    let others = ["text", "far", "alternating"].map(|kind| data::of(kind, 40_000));
    let mut skips = sample();
    for (number, plain) in tempting.iter().chain(&others).enumerate() {
        for level in LEVELS {
            if skips() {
                continue;
            }
            let sizes = [15, 14, 12, 9].map(|bits| {
                encoders.set_window(Window::of_bits(bits).expect("a size that zlib has"));
                let packed = encoders.pack(plain, level);
                let done = Verdict::Done { consumed: packed.len(), plain: plain.clone() };
                let found = inflate_in_window(bits as u8, &[], &packed, plain.len());
                assert!(found == done, "data {number}, level {level}, window of 2^{bits}");
                packed.len()
            });
            // All that repeats is at 5000 bytes.
            assert!(number != 6 || level == 0 || sizes[1] * 2 < sizes[2], "level {level}: {sizes:?}");
        }
    }
}
