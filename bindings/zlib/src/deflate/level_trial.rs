//! Which of our levels makes a sample about as small as a level of zlib's does, the fastest that
//! does.

use std::ffi::c_int;

use libz_rs_sys::Z_DEFAULT_STRATEGY;
use pelton_codec::{BitWriter, IsaLevel, Window};

use super::encoders::Encoders;
use super::fallback::{self, FALLBACK, FallbackParameters};

/// Bytes of a sample, which has as many before it as its history: without one, everything seems to
/// repeat less than it does, and the better the search the more so.
pub const SAMPLE: usize = 32 << 10;
/// Bytes of room for one that is compressed.
const CAPACITY: usize = SAMPLE + SAMPLE / 8;
/// By level of zlib's: thousandths of what zlib-rs makes of the sample at that level that ours may
/// have. A stream may have 40 more than zlib's at level 6, where zlib-rs has up to 9 more of rows,
/// text, sources and JSON, and 10 at level 9; the sample is not the stream.
const ALLOWED: [usize; 10] = [0, 0, 0, 0, 1030, 1030, 1030, 1020, 1008, 1000];

/// The first of ours that searches half of all positions or more, whatever there is, where zlib
/// searches only those at which a token may begin: the more data repeats, the faster zlib's are,
/// and ours stay as they are. So where much repeats, or without AVX-512, ours are only worth it if
/// they make fewer bytes: [`ALLOWED_THOROUGH`]. On dumps and rows they make 4% fewer and take half
/// the time; on source code, where none makes 1% fewer, up to 1.6 times that of zlib-rs (decision
/// 10).
const THOROUGH: i32 = 6;
/// Thousandths of what zlib-rs makes of the sample that levels from [`THOROUGH`] on may have,
/// whatever is asked.
const ALLOWED_THOROUGH: usize = 990;
/// Unless that is so many thousandths of the sample or more: what hardly repeats at all is passed
/// over by ours.
const INCOMPRESSIBLE: usize = 950;
/// Or, with AVX-512, at least so many, from which on zlib-rs takes longer than ours. At level 6,
/// where it makes less than a fifth it has 103 to 118 MB/s (JSON, headers and scripts), and ours 95
/// to 102; where it makes more than this, 71 to 77 (sources, programs) and 49 (rows of few words,
/// of which it makes 237 to 243 thousandths), and ours 91 to 96. At levels 7 and 8 it has 0.5 to
/// 0.95 of ours' speed, at level 9 0.7 to 1; at levels 4 and 5 up to 1.2 of it.
const REPETITIVE: usize = 220;
/// So these may have what is allowed there, at this level of zlib's and all above.
const MIN_SLOW_LEVEL: i32 = 6;
/// At that level and below so many thousandths, they may have [`COLD_START`] more, as costs that
/// they have from the chunk before are worse at a sample's start: rows of few words are 35 larger
/// than zlib-rs's by samples and 26 in a stream, which is 17 more than zlib's. Programs, of which
/// zlib-rs makes more, are not: of those it has up to 46 more than zlib itself.
const PROGRAMS: usize = 300;
const COLD_START: usize = 10;
/// By level of zlib's: our last that is tried. What is slower than zlib-rs at its level on all data
/// that are measured is not.
const MAX_TRIED: [i32; 10] = [0, 0, 0, 0, 6, 6, 6, 7, 8, 8];

/// A level of ours whose output for a sample, which follows its history, is small enough: `first`
/// is tried first, and then faster ones as long as they are small enough, or else what comes after
/// it.
pub fn run_trial(encoders: &mut Encoders, (asked, first): (i32, i32), window: Window, sample: &[u8]) -> i32 {
    let mut output = Vec::new();
    if output.try_reserve_exact(CAPACITY).is_err() {
        return first;
    }
    output.resize(CAPACITY, 0);
    if !encoders.blocks.is_accelerated(first) {
        return FALLBACK;
    }
    let Some(reference) = compress_with_zlib_rs(asked, window, sample, &mut output) else { return first };
    // The last stream's may have been another.
    encoders.blocks.set_window(window);
    let allowed = ALLOWED[asked as usize];
    let share = reference * 1000 / SAMPLE;
    let is_slow = encoders.blocks.isa_level() == IsaLevel::Avx512 && asked >= MIN_SLOW_LEVEL;
    let allowed_thorough = match share {
        INCOMPRESSIBLE.. => allowed,
        REPETITIVE..PROGRAMS if is_slow && asked == MIN_SLOW_LEVEL => allowed + COLD_START,
        REPETITIVE.. if is_slow => allowed,
        _ => allowed.min(ALLOWED_THOROUGH),
    };
    let mut is_small_enough = |level: i32| {
        let limit = reference * if level < THOROUGH { allowed } else { allowed_thorough } / 1000;
        let mut to = BitWriter::new(&mut output);
        let done = encoders.blocks.deflate_after(sample, SAMPLE, level, true, &mut to);
        done.is_ok() && to.finish().is_some_and(|len| len <= limit)
    };
    let first = first.min(MAX_TRIED[asked as usize]);
    match is_small_enough(first) {
        true => (2..first).rev().take_while(|&level| is_small_enough(level)).last().unwrap_or(first),
        // Those below `THOROUGH` may have more, or be smaller: of tables in programs by a fiftieth.
        false if first >= THOROUGH && is_small_enough(THOROUGH - 1) => {
            (2..THOROUGH - 1).rev().take_while(|&level| is_small_enough(level)).last().unwrap_or(THOROUGH - 1)
        }
        false => {
            (first + 1..=MAX_TRIED[asked as usize]).find(|&level| is_small_enough(level)).unwrap_or(FALLBACK)
        }
    }
}

/// How long the sample gets at a level of zlib's.
fn compress_with_zlib_rs(level: c_int, window: Window, sample: &[u8], output: &mut [u8]) -> Option<usize> {
    let parameters = FallbackParameters { level, strategy: Z_DEFAULT_STRATEGY, window };
    fallback::compress(sample, SAMPLE, parameters, true, output)
}
