//! Which of our coder's levels does what a level of zlib's is asked for: about zlib's size, as fast as that can be had.
//!
//! How our levels and zlib's compare depends on the data, so it is tried: a sample of what comes is compressed by zlib-rs at
//! the level that was asked for, and by ours from the fastest on, until one is small enough.

use std::ffi::c_int;
use std::ops::Range;

use libz_rs_sys::Z_DEFAULT_STRATEGY;
use pelton_codec::{BitWriter, Steps, Window};

use super::Coders;
use super::theirs::{self, Way};
use crate::settings::settings;

/// Bytes of a sample, which has as many before it as its history: without one, everything seems to repeat less than it does, and
/// the better the search the more so.
const SAMPLE: usize = 32 << 10;
/// Bytes of room for one that is compressed.
const ROOM: usize = SAMPLE + SAMPLE / 8;
/// A shorter piece is not worth a trial: each compression of a sample takes as long as about twice as much of the stream.
pub const WORTH_IT: usize = 3 * SAMPLE;
/// Bytes after which another sample is tried, at first: with zlib-rs and mostly twice with ours that takes as long as 300 KB of the
/// stream. Twice as many each time that the same level is chosen again, so that a long stream spends a fiftieth on trials, not a
/// thirteenth.
const LASTS: Range<usize> = 4 << 20..16 << 20;
/// The same where zlib-rs is chosen.
const LASTS_IF_THEIRS: Range<usize> = 1 << 20..4 << 20;
/// If a block gets smaller or larger by more than one part in [`OTHER`] than the first after a trial did, the data is of another kind, and
/// is tried after so much.
const LASTS_IF_NEW: usize = 1 << 20;
const OTHER: usize = 10;
/// The same where zlib-rs is chosen, and it is only time that another choice would save: source code's blocks differ by a tenth all the time, and trials
/// were an eighth of its time.
const OTHER_IF_THEIRS: usize = 3;

/// By level of zlib's: thousandths of what zlib-rs makes of the sample at that level that ours may have. A stream may have 40
/// more than zlib's at level 6, where zlib-rs has up to 9 more of rows, text, sources and JSON, and 10 at level 9; the sample is not the stream.
const ALLOWED: [usize; 10] = [0, 0, 0, 0, 1030, 1030, 1030, 1020, 1008, 1000];

/// The first of ours that searches half of all positions or more, whatever there is, where zlib searches only those at which a token may
/// begin: the more data repeats, the faster zlib's are, and ours stay as they are. So where much repeats, or without AVX-512, ours are only worth it if they
/// make fewer bytes: [`OF_THOROUGH`]. On dumps and rows they make 4% fewer and take half the time; on source code, where none makes 1%
/// fewer, up to 1.6 times that of zlib-rs (decision 10).
const THOROUGH: i32 = 6;
/// Thousandths of what zlib-rs makes of the sample that levels from [`THOROUGH`] on may have, whatever is asked.
const OF_THOROUGH: usize = 990;
/// Unless that is so many thousandths of the sample or more: what hardly repeats at all is passed over by ours.
const HARDLY: usize = 950;
/// Or, with AVX-512, at least so many, from which on zlib-rs takes longer than ours. At level 6, where it makes less than a fifth it has 103 to 118 MB/s (JSON,
/// headers and scripts), and ours 95 to 102; where it makes more than this, 71 to 77 (sources, programs) and 49 (rows of few words, of which it makes 237 to 243
/// thousandths), and ours 91 to 96. At levels 7 and 8 it has 0.5 to 0.95 of ours' speed, at level 9 0.7 to 1; at levels 4 and 5 up to 1.2 of it.
const REPEATS: usize = 220;
/// So these may have what is allowed there, at this level of zlib's and all above.
const USUAL: i32 = 6;
/// At that level and below so many thousandths, they may have [`UNLEARNT`] more, as costs that they have from the chunk before are worse at a sample's
/// start: rows of few words are 35 larger than zlib-rs's by samples and 26 in a stream, which is 17 more than zlib's. Programs, of which zlib-rs makes more, are not: of those it
/// has up to 46 more than zlib itself.
const PROGRAMS: usize = 300;
const UNLEARNT: usize = 10;
/// By level of zlib's: our last that is tried. What is slower than zlib-rs at its level on all data that are measured is not.
const LAST: [i32; 10] = [0, 0, 0, 0, 6, 6, 6, 7, 8, 8];

/// The first of zlib's levels that samples are tried for: below, what is taken is always small enough.
const FIRST_TRIED: i32 = 4;

/// By level of zlib's: what is taken without a trial for pieces of a stream. Measured on rows, text, JSON, source code
/// (docs/zlib.md).
const UNTRIED: [i32; 10] = [0, 1, 1, 2, 3, 4, 5, 6, 7, 8];

/// Our level for pieces of a stream without a trial.
pub fn untried(asked: c_int) -> i32 {
    UNTRIED[asked as usize]
}

/// The level that makes the smallest blocks.
pub const SMALLEST: i32 = 9;
/// Instead of a level of ours: zlib-rs at the level that was asked for, where none of ours is small enough. In long runs and
/// padding, our search finds only what is in the run. Or where the processor lacks what makes ours worth using.
pub const THEIRS: i32 = 10;

/// What was chosen for a stream.
#[derive(Clone)]
pub struct Choice {
    /// Our level, and zlib's that it was chosen for.
    chosen: Option<(i32, i32)>,
    /// Bytes since then.
    since: usize,
    /// Bytes after which another sample is tried.
    lasts: usize,
    /// Thousandths of its length that the first block after a trial was compressed to.
    first: Option<usize>,
    is_other: bool,
}

impl Default for Choice {
    fn default() -> Self {
        Self { chosen: None, since: 0, lasts: LASTS.start, first: None, is_other: false }
    }
}

impl Choice {
    /// Our level for a piece of the stream that is to be compressed at a level of zlib's, or `THEIRS`. What is to be the same
    /// everywhere is not tried.
    pub fn level(&mut self, coders: &mut Coders, asked: i32, window: Window, piece: &[u8]) -> i32 {
        self.since += piece.len();
        let lasts = if self.is_other { LASTS_IF_NEW } else { self.lasts };
        match self.chosen {
            Some((chosen, of)) if of == asked && self.since < lasts => return chosen,
            _ if asked < FIRST_TRIED || piece.len() < WORTH_IT || settings().reproducible => {
                return untried(asked);
            }
            _ => {}
        }
        let middle = piece.len() / 2;
        let before = self.chosen.filter(|_| !self.is_theirs());
        let first = before.map_or(untried(asked), |(chosen, _)| chosen);
        let chosen = try_out(coders, (asked, first), window, &piece[middle - SAMPLE..middle + SAMPLE]);
        let is_same = !self.is_other && self.chosen == Some((chosen, asked));
        // zlib-rs takes several times as long as ours, so whether only it can do what is asked is tried again sooner.
        let Range { start, end } = if chosen == THEIRS { LASTS_IF_THEIRS } else { LASTS };
        let lasts = if is_same { end.min(2 * self.lasts) } else { start };
        *self = Self { chosen: Some((chosen, asked)), lasts, ..Self::default() };
        chosen
    }

    fn is_theirs(&self) -> bool {
        self.chosen.is_some_and(|(chosen, _)| chosen == THEIRS)
    }

    /// Takes note of how long a piece was, and what it was compressed to.
    pub fn note(&mut self, plain: usize, packed: usize) {
        if plain >= WORTH_IT {
            let share = packed * 1000 / plain;
            let first = *self.first.get_or_insert(share);
            let other = if self.is_theirs() { OTHER_IF_THEIRS } else { OTHER };
            self.is_other |= share.abs_diff(first) > first / other;
        }
    }
}

/// A level of ours whose output for a sample, which follows its history, is small enough: `first` is tried first, and then faster ones as long as they are
/// small enough, or else what comes after it.
fn try_out(coders: &mut Coders, (asked, first): (i32, i32), window: Window, sample: &[u8]) -> i32 {
    let mut room = Vec::new();
    if room.try_reserve_exact(ROOM).is_err() {
        return first;
    }
    room.resize(ROOM, 0);
    if !coders.blocks.is_accelerated(first) {
        return THEIRS;
    }
    let Some(theirs) = by_zlib(asked, window, sample, &mut room) else { return first };
    // The last stream's may have been another.
    coders.blocks.set_window(window);
    let allowed = ALLOWED[asked as usize];
    let share = theirs * 1000 / SAMPLE;
    let is_slow = coders.blocks.steps() == Steps::Avx512 && asked >= USUAL;
    let of_thorough = match share {
        HARDLY.. => allowed,
        REPEATS..PROGRAMS if is_slow && asked == USUAL => allowed + UNLEARNT,
        REPEATS.. if is_slow => allowed,
        _ => allowed.min(OF_THOROUGH),
    };
    let mut is_small_enough = |level: i32| {
        let limit = theirs * if level < THOROUGH { allowed } else { of_thorough } / 1000;
        let mut to = BitWriter::new(&mut room);
        let done = coders.blocks.deflate_after(sample, SAMPLE, level, true, &mut to);
        done.is_ok() && to.finish().is_some_and(|len| len <= limit)
    };
    let first = first.min(LAST[asked as usize]);
    match is_small_enough(first) {
        true => (2..first).rev().take_while(|&level| is_small_enough(level)).last().unwrap_or(first),
        // Those below `THOROUGH` may have more, or be smaller: of tables in programs by a fiftieth.
        false if first >= THOROUGH && is_small_enough(THOROUGH - 1) => {
            (2..THOROUGH - 1).rev().take_while(|&level| is_small_enough(level)).last().unwrap_or(THOROUGH - 1)
        }
        false => (first + 1..=LAST[asked as usize]).find(|&level| is_small_enough(level)).unwrap_or(THEIRS),
    }
}

/// How long the sample gets at a level of zlib's.
fn by_zlib(level: c_int, window: Window, sample: &[u8], room: &mut [u8]) -> Option<usize> {
    let way = Way { level, strategy: Z_DEFAULT_STRATEGY, window };
    theirs::pack(sample, SAMPLE, way, true, room)
}

#[cfg(test)]
mod tests;
