//! Level trial: compresses a sample at several levels, and returns the fastest one that is about as
//! small as zlib's.

use libz_rs_sys::Z_DEFAULT_STRATEGY;
use pelton_codec::{BitWriter, IsaLevel, Window};

use super::encoders::Encoders;
use super::fallback::{self, FALLBACK, FallbackParameters};

/// Size of a sample, which has a history of the same size. Without history all data seems to repeat
/// less, and a thorough search is rated worse than it is.
pub const SAMPLE: usize = 32 << 10;
/// Capacity for a compressed sample.
const CAPACITY: usize = SAMPLE + SAMPLE / 8;
/// Allowed size of our output by level of zlib, in thousandths of zlib-rs's output for the sample.
/// The aims for the whole stream are looser (decision 10): zlib-rs may exceed zlib's size, and a
/// sample differs from its stream.
const ALLOWED: [usize; 10] = [0, 0, 0, 0, 1030, 1030, 1030, 1020, 1008, 1000];

/// First level of ours that searches at least every other position. zlib searches only where a
/// token may begin, so repetitions make it faster, but not ours. On repetitive data, and without
/// AVX-512, such a level has to make fewer bytes to be worth its time: [`ALLOWED_THOROUGH`].
const THOROUGH: i32 = 6;
/// Allowed size for levels from [`THOROUGH`] on, in thousandths of zlib-rs's output.
const ALLOWED_THOROUGH: usize = 990;
/// zlib-rs's output, in thousandths of the sample, from which [`ALLOWED`] holds for all levels: our
/// encoder skips data that hardly repeats.
const INCOMPRESSIBLE: usize = 950;
/// The same limit with AVX-512, at [`MIN_SLOW_LEVEL`] and above: zlib-rs takes longer than our
/// encoder to make this many bytes (`docs/experiments/libz-levels.md`).
const REPETITIVE: usize = 220;
/// Lowest level of zlib for which [`REPETITIVE`] holds.
const MIN_SLOW_LEVEL: i32 = 6;
/// Below this output, at [`MIN_SLOW_LEVEL`], thorough levels may have [`COLD_START`] thousandths
/// more. Their costs come from the chunk before, and are worse at the start of a sample than in a
/// stream. Programs compress to more than this and get no addition, as zlib-rs's output for them is
/// already larger than zlib's.
const PROGRAMS: usize = 300;
const COLD_START: usize = 10;
/// Highest level of ours to try, by level of zlib. Higher ones were slower than zlib-rs at that
/// level on all data measured.
const MAX_TRIED: [i32; 10] = [0, 0, 0, 0, 6, 6, 6, 7, 8, 8];

/// Returns the level of ours for a sample, which follows its history in `sample`. If the level
/// `first` is small enough, faster ones are tried until one is not; else those below
/// [`THOROUGH`], if `first` is not below it, and then slower ones. Returns [`FALLBACK`] if none is
/// small enough.
pub fn run_trial(encoders: &mut Encoders, (asked, first): (i32, i32), window: Window, sample: &[u8]) -> i32 {
    let Encoders { blocks, fallback, sample: output, .. } = encoders;
    if reserve(output).is_none() {
        return first;
    }
    if !blocks.is_accelerated(first) {
        return FALLBACK;
    }
    let parameters = FallbackParameters { level: asked, strategy: Z_DEFAULT_STRATEGY, window };
    let reference = fallback::compress(fallback, sample, SAMPLE, parameters, true, output);
    let Some(reference) = reference else { return first };
    // The encoder may have another stream's window.
    blocks.set_window(window);
    let allowed = ALLOWED[asked as usize];
    let share = reference * 1000 / SAMPLE;
    let is_slow = blocks.isa_level() == IsaLevel::Avx512 && asked >= MIN_SLOW_LEVEL;
    let allowed_thorough = match share {
        INCOMPRESSIBLE.. => allowed,
        REPETITIVE..PROGRAMS if is_slow && asked == MIN_SLOW_LEVEL => allowed + COLD_START,
        REPETITIVE.. if is_slow => allowed,
        _ => allowed.min(ALLOWED_THOROUGH),
    };
    let mut is_small_enough = |level: i32| {
        let limit = reference * if level < THOROUGH { allowed } else { allowed_thorough } / 1000;
        let mut to = BitWriter::new(output);
        let done = blocks.deflate_after(sample, SAMPLE, level, true, &mut to);
        done.is_ok() && to.finish().is_some_and(|len| len <= limit)
    };
    let first = first.min(MAX_TRIED[asked as usize]);
    match is_small_enough(first) {
        true => (2..first).rev().take_while(|&level| is_small_enough(level)).last().unwrap_or(first),
        // Levels below [`THOROUGH`] have a larger allowance, and on some data a smaller output.
        false if first >= THOROUGH && is_small_enough(THOROUGH - 1) => {
            (2..THOROUGH - 1).rev().take_while(|&level| is_small_enough(level)).last().unwrap_or(THOROUGH - 1)
        }
        false => {
            (first + 1..=MAX_TRIED[asked as usize]).find(|&level| is_small_enough(level)).unwrap_or(FALLBACK)
        }
    }
}

/// Gives scratch memory the capacity for a compressed sample; `None` without memory.
pub fn reserve(output: &mut Vec<u8>) -> Option<()> {
    output.try_reserve_exact(CAPACITY.saturating_sub(output.len())).ok()?;
    output.resize(CAPACITY, 0);
    Some(())
}
