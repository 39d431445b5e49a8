//! Level trial: compresses a sample at several levels, and returns the fastest one that is about as
//! small as zlib's.

use pelton_codec::{BitWriter, BlockEncoder, Window};

use super::encoders::Encoders;
use super::fallback::FALLBACK;

/// Size of a sample, which has a history of the same size. Without history all data seems to repeat
/// less, and a thorough search is rated worse than it is.
pub const SAMPLE: usize = 32 << 10;
/// Capacity for a compressed sample.
const CAPACITY: usize = SAMPLE + SAMPLE / 8;
/// Allowed size by level of zlib, in thousandths of the sequential parser's output for the sample,
/// which is about zlib's.
const ALLOWED: [usize; 10] = [0, 1000, 1000, 1000, 1030, 1030, 1030, 1015, 1005, 1000];

/// Lowest level of ours that takes about as long as the sequential parser, and its allowed size.
const SLOW: (i32, usize) = (4, 1000);
/// The most thorough level below [`THOROUGH`], and the size that faster ones may have, in
/// thousandths of its output. Where words of few letters repeat, the sequential parser's output is
/// larger than zlib's, and this level's is not.
const BEST_OF_LANES: (i32, usize) = (5, 1045);
/// First level of ours that searches at least every other position, and its allowed size. The
/// sequential parser searches only where a token may begin, so repetitions make it faster.
const THOROUGH: (i32, usize) = (6, 980);
/// The sequential parser's output, in thousandths of the sample, from which [`ALLOWED`] holds for
/// all levels: they skip data that hardly repeats.
const INCOMPRESSIBLE: usize = 950;
/// Output in thousandths of the sample, below which the sequential parser compresses: the others
/// cut long matches.
const REPETITIVE: usize = 100;
/// The same at level 1 for the fastest parser, which takes less time than lanes below.
const REPETITIVE_FASTEST: usize = 140;
/// Size in thousandths of our default level's, up to which the sequential parser is worth its time
/// at levels of zlib below [`MIN_SIZE_LEVEL`].
const MIN_GAIN: usize = 950;
/// Lowest level of zlib with trials of all data. Below it, the default level is always small enough
/// if it does not cut long matches.
pub const MIN_SIZE_LEVEL: i32 = 4;
/// Highest level of ours to try, by level of zlib. Higher ones take longer than the sequential
/// parser at that level on all data measured.
const MAX_TRIED: [i32; 10] = [0, 1, 1, 2, 5, 5, 6, 7, 8, 8];

/// Returns the level of ours for a sample, which follows its history in `sample`. If the level
/// `first` is small enough, faster ones are tried until one is not; else those below [`SLOW`], and
/// then slower ones. Returns that of the sequential parser if none is small enough, and
/// [`FALLBACK`] where none is fast.
pub fn run_trial(encoders: &mut Encoders, (asked, first): (i32, i32), window: Window, sample: &[u8]) -> i32 {
    let Encoders { blocks, sample: output, .. } = encoders;
    if reserve(output).is_none() {
        return first;
    }
    if !blocks.is_accelerated(first) {
        return FALLBACK;
    }
    // The encoder may have another stream's window.
    blocks.set_window(window);
    let mut size = |level: i32| {
        let mut to = BitWriter::new(output);
        blocks.deflate_after(sample, SAMPLE, level, true, &mut to).ok()?;
        to.finish()
    };
    let first = first.min(MAX_TRIED[asked as usize]);
    let sequential = BlockEncoder::SEQUENTIAL + asked;
    let is_repetitive = |len: usize| len * 1000 < SAMPLE * REPETITIVE;
    if asked == 1 {
        let is_repetitive = size(sequential).is_some_and(|len| len * 1000 < SAMPLE * REPETITIVE_FASTEST);
        return if is_repetitive { sequential } else { first };
    }
    if asked < MIN_SIZE_LEVEL {
        let Some(by_lanes) = size(first).filter(|&len| is_repetitive(len)) else { return first };
        let is_smaller = size(sequential).is_some_and(|len| len * 1000 <= by_lanes * MIN_GAIN);
        return if is_smaller { sequential } else { first };
    }
    let Some(reference) = size(sequential) else { return first };
    if is_repetitive(reference) {
        return sequential;
    }
    let allowed = |level: i32| match level {
        _ if reference * 1000 >= SAMPLE * INCOMPRESSIBLE => ALLOWED[asked as usize],
        _ if level >= THOROUGH.0 => THOROUGH.1,
        _ if level >= SLOW.0 => SLOW.1,
        _ => ALLOWED[asked as usize],
    };
    let best = size(BEST_OF_LANES.0).unwrap_or(reference);
    let mut is_small_enough = |level: i32| {
        let is_close = |len: usize| level >= SLOW.0 || len * 1000 <= best * BEST_OF_LANES.1;
        size(level).is_some_and(|len| len * 1000 <= reference * allowed(level) && is_close(len))
    };
    match is_small_enough(first) {
        true => (2..first).rev().take_while(|&level| is_small_enough(level)).last().unwrap_or(first),
        // Levels below [`SLOW`] have a larger allowance, and on some data a smaller output.
        false => {
            let faster = (2..first.min(SLOW.0)).rev().take_while(|&level| is_small_enough(level)).last();
            let slower = || (first + 1..=MAX_TRIED[asked as usize]).find(|&level| is_small_enough(level));
            faster.or_else(slower).unwrap_or(sequential)
        }
    }
}

/// Gives scratch memory the capacity for a compressed sample; `None` without memory.
pub fn reserve(output: &mut Vec<u8>) -> Option<()> {
    output.try_reserve_exact(CAPACITY.saturating_sub(output.len())).ok()?;
    output.resize(CAPACITY, 0);
    Some(())
}
