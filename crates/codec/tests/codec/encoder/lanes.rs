//! Borders of the greedy levels' lanes and chunks: both encoders have to see the same candidates
//! there.

use pelton_codec::Window;

use super::{Encoders, data, decode};
use crate::support::{Random, sample};

/// Levels that walk lanes.
const QUICK: std::ops::RangeInclusive<i32> = 1..=5;
/// Positions of a chunk.
const CHUNK: usize = 64 << 10;
/// The farthest match.
const WINDOW: usize = 32 << 10;

/// Returns random bytes, few of them equal, without `a`.
fn filler(random: &mut Random, len: usize) -> Vec<u8> {
    (0..len).map(|_| b'b' + (random.next() % 100) as u8).collect()
}

fn check(encoders: &mut Encoders, plain: &[u8], at: &str) {
    for level in QUICK {
        let packed = encoders.pack(plain, level);
        decode(&[(packed, plain)], &format!("{at}, level {level}"));
    }
}

/// At a chunk's first position, a chain leads out of the window, to a longer match just beyond it.
#[test]
fn a_chain_ends_at_the_window() {
    let mut random = Random(11);
    let mut plain = filler(&mut random, 70_000);
    plain[WINDOW - 126..][..10].fill(b'a');
    plain[WINDOW..][..20].fill(b'a');
    plain.copy_within(WINDOW..WINDOW + 40, CHUNK);
    let mut encoders = Encoders::new();
    check(&mut encoders, &plain, "as it is");
    // With the next chunk's start, and other borders of the window.
    for before in [1, 2, CHUNK - 1, CHUNK] {
        let moved = [&filler(&mut random, before)[..], &plain].concat();
        check(&mut encoders, &moved, &format!("after {before} bytes"));
    }
}

/// Runs, repeats and noise of all lengths over the ends of lanes, chunks, pieces and the buffer.
#[test]
fn whatever_lies_across_a_seam() {
    let mut random = Random(12);
    let mut encoders = Encoders::new();
    for turn in 0..24 {
        let len = [500, 9_000, 33_000, 48_000, CHUNK - 1, CHUNK + 30, 140_000, 200_000][turn % 8];
        let len = len + (random.next() % 50) as usize;
        let mut plain = Vec::new();
        while plain.len() < len {
            let size = 1 + (random.next() % [8, 60, 700, 9_000][(random.next() % 4) as usize]) as usize;
            match random.next() % 4 {
                0 => plain.extend(filler(&mut random, size)),
                1 => plain.extend(std::iter::repeat_n(random.next() as u8, size)),
                _ if plain.is_empty() => plain.push(0),
                _ => {
                    let back = 1 + random.next() as usize % plain.len().min(2 * CHUNK);
                    let from = plain.len() - back;
                    (from..from + size).for_each(|at| plain.push(plain[at]));
                }
            }
        }
        plain.truncate(len);
        let window = [Window::FULL, Window::SMALL, Window::of_bits(9).expect("512 bytes")][turn % 3];
        encoders.set_window(window);
        check(&mut encoders, &plain, &format!("turn {turn}, {window:?}"));
    }
}

/// Data that repeats, with links at only a few positions of its first occurrence.
#[test]
fn noise_that_repeats_is_found() {
    let mut encoders = Encoders::new();
    for period in [5_000, 20_000, 30_001] {
        let noise = data::of("random", period);
        let plain: Vec<u8> = noise.iter().copied().cycle().take(100_000).collect();
        for level in QUICK {
            let len = encoders.pack(&plain, level).len();
            assert!(len < 2 * period + 3_000, "{len} bytes at level {level} for a period of {period}");
        }
    }
}

/// Words of four bytes, which hashes of five do not find.
#[test]
fn numbers_of_four_bytes_are_found() {
    let mut encoders = Encoders::new();
    for (len, most) in [(8 << 10, 70), (64 << 10, 50), (300 << 10, 50)] {
        let plain = data::of("numbers", len);
        for level in 1..=9 {
            let share = encoders.pack(&plain, level).len() * 100 / len;
            assert!(share < most, "{share}% of {len} bytes at level {level}");
            let after =
                encoders.pack_after(&plain[..len / 2], &plain[len / 2..], level).len() * 100 / (len / 2);
            assert!(after < most, "{after}% of {} bytes after as many at level {level}", len / 2);
        }
    }
}

/// Text of few letters, with many repetitions of four letters at any position: levels that search
/// more have to gain by it.
#[test]
fn digits_are_not_taken_for_numbers() {
    let mut encoders = Encoders::new();
    let mut random = Random(15);
    let plain: Vec<u8> = (0..100_000).map(|_| b'0' + random.below(10) as u8).collect();
    let [second, sixth, ninth] = [2, 6, 9].map(|level| encoders.pack(&plain, level).len());
    assert!(sixth.max(ninth) < second * 95 / 100, "{second}, {sixth} and {ninth} bytes");
}

/// Indices of a sorted column, some of each: repetitions are nearer than the length of a group.
#[test]
fn short_runs_of_words_are_found() {
    let mut encoders = Encoders::new();
    let mut random = Random(13);
    let mut skips = sample();
    for width in [1, 2, 3, 4, 8] {
        for len in [5_000, 40_000, 200_000] {
            let mut plain = Vec::new();
            let mut code = 0x1234_5678_9abc_def0_u64;
            while plain.len() < len {
                code = code.wrapping_add(1 + random.next() % 3);
                let times = 12 / width + 2 + (random.next() % 3) as usize;
                (0..times).for_each(|_| plain.extend(&code.to_le_bytes()[..width]));
            }
            let len = plain.len();
            for level in QUICK {
                if skips() {
                    continue;
                }
                let packed = encoders.pack(&plain, level);
                let share = packed.len() * 100 / len;
                decode(&[(packed, &plain)], &format!("words of {width} bytes, {len} bytes, level {level}"));
                assert!(share < 34, "{share}% of {len} bytes in words of {width} at level {level}");
            }
        }
    }
}

/// Records of some width with a random first half; the second half has half its bits. Nothing
/// repeats, and a sample has to contain all bytes of a record.
#[test]
fn what_is_noise_in_a_part_of_each_record_is_compressed() {
    let mut encoders = Encoders::new();
    let mut random = Random(17);
    let mut skips = sample();
    // From 100 on, those about as wide as the runs that are looked at are apart, or half as wide,
    // too.
    let widths =
        [2, 3, 5, 6, 7, 8, 12, 16, 24, 64, 96, 112, 128, 200, 256, 272, 355, 384, 430, 512, 800, 1024, 1064];
    for width in widths {
        for len in [2_500, 4_096, 8_192, 20_000, CHUNK, 150_000] {
            let first = random.below(width);
            let is_noise = |at: usize| (first + at) % width < width / 2;
            let plain: Vec<u8> =
                (0..len).map(|at| random.next() as u8 & if is_noise(at) { 0xff } else { 0x3c }).collect();
            // A code for all bytes gains less than one for each half would.
            let half = (0..len).filter(|&at| !is_noise(at)).count();
            for level in 1..=9 {
                if skips() {
                    continue;
                }
                let packed = encoders.pack(&plain, level);
                let (saved, at_best) = (len.saturating_sub(packed.len()), half / 2);
                assert!(
                    saved * 4 > at_best,
                    "{saved} of {at_best} bytes: width {width} from {first} on, {len} bytes, level {level}"
                );
            }
        }
    }
}

/// Numbers of four bytes after others that are all different, as definition levels are before the
/// values of a page: the first bytes do not tell.
#[test]
fn numbers_of_four_bytes_after_noise_are_found() {
    let mut encoders = Encoders::new();
    let mut random = Random(18);
    let numbers: Vec<[u8; 4]> = (0..500).map(|_| (random.next() as u32).to_le_bytes()).collect();
    for (noise, len) in [(512, 16 << 10), (1 << 10, CHUNK), (2 << 10, CHUNK)] {
        let mut plain: Vec<u8> = (0..noise).map(|_| random.next() as u8).collect();
        plain.extend((noise / 4..len / 4).flat_map(|_| numbers[random.below(500)]));
        for level in 1..=8 {
            let packed = encoders.pack(&plain, level).len();
            assert!(packed * 10 < len * 7, "{packed} of {len} bytes, {noise} of noise, level {level}");
        }
    }
}

/// Four bytes of each record as they were some hundred bytes before, and all others new: only where
/// much is looked at side by side is that seen.
#[test]
fn words_of_four_at_one_distance_are_found() {
    let mut encoders = Encoders::new();
    let mut random = Random(19);
    let mut skips = sample();
    for distance in (24..480).step_by(12) {
        let mut plain: Vec<u8> = (0..distance).map(|_| random.next() as u8).collect();
        while plain.len() < 32 << 10 {
            plain.extend_from_within(plain.len() - distance..plain.len() - distance + 4);
            plain.extend((0..2).map(|_| random.next() as u8));
        }
        for level in 1..=5 {
            if skips() {
                continue;
            }
            let packed = encoders.pack(&plain, level).len();
            assert!(
                packed * 100 < plain.len() * 95,
                "{packed} of {} bytes at a distance of {distance}, level {level}",
                plain.len()
            );
        }
    }
}

/// Indices of a column that is nearly sorted: nothing repeats for many pieces, which are only
/// sampled, and then a part does.
#[test]
fn what_repeats_noise_here_and_there_is_found() {
    let mut encoders = Encoders::new();
    let mut random = Random(14);
    let noise = data::of("random", 10_000);
    let mut plain = noise.clone();
    while plain.len() < 40_000 {
        let from = random.next() as usize % (noise.len() - 12);
        plain.extend(&noise[from..from + 12]);
        plain.extend((0..24).map(|_| random.next() as u8));
    }
    for level in 1..=9 {
        let packed = encoders.pack(&plain, level);
        let share = packed.len() * 100 / plain.len();
        decode(&[(packed, &plain)], &format!("level {level}"));
        assert!(share < 88, "{share}% at level {level}");
    }
}

/// Repetitions that end before the last positions of a chunk, which predict the next chunk: it must
/// not be stored for those.
#[test]
fn what_repeats_before_something_new_is_compressed() {
    let mut encoders = Encoders::new();
    for end in [540, 596, 1_100] {
        for len in [3_072, 4_096] {
            let noise = data::of("random", len);
            let words: Vec<u8> = (0..)
                .flat_map(|i: usize| &noise[21 * (i * i % 40)..][..21])
                .copied()
                .take(len - end)
                .collect();
            let twice: Vec<u8> = noise[..1_000].iter().copied().cycle().take(len - end).collect();
            for (name, start) in [("words", words), ("a repeat", twice)] {
                let plain = [&start, &noise[len - end..]].concat();
                for level in 1..=9 {
                    let packed = encoders.pack(&plain, level).len();
                    assert!(
                        packed < len - 400,
                        "{packed} of {len} bytes, {name}, {end} new ones, level {level}"
                    );
                }
            }
            let history = data::of("random", 2 * len)[len..].to_vec();
            let plain = [&history[..len - end], &noise[..end]].concat();
            for level in 1..=9 {
                let packed = encoders.pack_after(&history, &plain, level).len();
                assert!(packed < end + 200, "{packed} bytes, {end} of {len} new ones, level {level}");
            }
        }
    }
}
