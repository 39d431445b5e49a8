//! Level policy: chooses the encoder and its level for a stream, a block, or one-shot input.

use std::ffi::c_int;
use std::ops::{Range, RangeInclusive};

use libz_rs_sys::{Z_DEFAULT_STRATEGY, Z_FINISH, Z_NO_FLUSH};
use pelton_codec::{BlockEncoder, IsaLevel, Window};

use super::encoders::{CODERS, Coders};
use super::fallback::THEIRS;
use super::level_trial::{SAMPLE, try_out};
use super::stream::{DEFAULT_MEM_LEVEL, Parameters};
use crate::offload;
use crate::settings::settings;
use crate::stats::Reason;

/// Bytes that are compressed at a time. zlib holds 264 KB for a stream from its first byte on;
/// this, with a window of 32 KB, is 24 KB more when the first block is full, and the longer a
/// block, the less of the time goes into its history.
pub const BLOCK: usize = 256 << 10;

/// The same for a stream with an allocator of the caller's, who may have set memory aside for it:
/// nginx has 264 KB. With its window, the first 16 KB of both, and what it is compressed to, such a
/// block takes 240 KB.
pub const SMALL_BLOCK: usize = 96 << 10;

/// The logarithm of the smallest window that our coder is used for: of less, zlib-rs makes as much.
const LEAST_WINDOW: u32 = 12;

/// A stream that is flushed before it has this much will be flushed often, as connections are. The
/// time for a block's codes and its history is too much for each message.
const LEAST_FLUSHED: u32 = 16 << 10;

/// A shorter piece is not worth a trial: each compression of a sample takes as long as about twice
/// as much of the stream.
pub const WORTH_IT: usize = 3 * SAMPLE;
/// Bytes after which another sample is tried, at first: with zlib-rs and mostly twice with ours
/// that takes as long as 300 KB of the stream. Twice as many each time that the same level is
/// chosen again, so that a long stream spends a fiftieth on trials, not a thirteenth.
const LASTS: Range<usize> = 4 << 20..16 << 20;
/// The same where zlib-rs is chosen.
const LASTS_IF_THEIRS: Range<usize> = 1 << 20..4 << 20;
/// If a block gets smaller or larger by more than one part in [`OTHER`] than the first after a
/// trial did, the data is of another kind, and is tried after so much.
const LASTS_IF_NEW: usize = 1 << 20;
const OTHER: usize = 10;
/// The same where zlib-rs is chosen, and it is only time that another choice would save: source
/// code's blocks differ by a tenth all the time, and trials were an eighth of its time.
const OTHER_IF_THEIRS: usize = 3;

/// The first of zlib's levels that samples are tried for: below, what is taken is always small
/// enough.
const FIRST_TRIED: i32 = 4;

/// By level of zlib's: what is taken without a trial for pieces of a stream. Measured on rows,
/// text, JSON, source code (docs/zlib.md).
const UNTRIED: [i32; 10] = [0, 1, 1, 2, 3, 4, 5, 6, 7, 8];

/// Our level for pieces of a stream without a trial.
pub fn untried(asked: c_int) -> i32 {
    UNTRIED[asked as usize]
}

/// The level that makes the smallest blocks.
pub const SMALLEST: i32 = 9;

/// Bytes of a stream that is given whole for which level 4 stands for zlib's 5 and 6: of 8, 16 and
/// 32 KB it makes at most 3.0, 3.1 and 3.7% more bytes than zlib -6 of any of rows, dumps, text,
/// source code and JSON on the whole, at 2.4, 2.7 and 2.9 times the speed of libdeflate -6; of 64
/// KB of source code 5.3%. Single pieces have more: docs/decisions/0010.
const LEVEL_4: RangeInclusive<usize> = 8 << 10..=32 << 10;

/// The least of these with AVX-512: of the same in 4 KB it makes at most 2.4% more bytes than zlib
/// -6, at 1.5 times the speed of libdeflate -6. RocksDB's blocks of 4 KB are a little shorter, most
/// of them.
const LEAST_WITH_AVX512: usize = 7 << 9;

/// Quarters of a byte of which it may make one. What repeats more gets up to 20% more bytes than by
/// zlib -6 and in long runs 130%, as words of 8 bytes, each one of 10 or 20.
const IS_RIGHT: Range<usize> = 5..22;

/// All that zlib writes for nothing: that, and zeros up to a byte.
const NOTHING: [u8; 2] = [0b011, 0];

/// Why a stream with these settings is for zlib-rs, if it is.
pub fn refused(parameters: &Parameters, has_header: bool) -> Option<Reason> {
    let &Parameters { level, mem_level, strategy, .. } = parameters;
    match () {
        () if !settings().accelerate => Some(Reason::AccelerationOff),
        () if level == 0 => Some(Reason::LevelZero),
        () if strategy != Z_DEFAULT_STRATEGY => Some(Reason::Strategy),
        () if mem_level < DEFAULT_MEM_LEVEL => Some(Reason::MemLevel),
        () if parameters.log2_window() < LEAST_WINDOW => Some(Reason::Window),
        () if has_header => Some(Reason::Header),
        () => None,
    }
}

/// Why a stream that begins like this is for zlib-rs, if it is.
pub fn refused_at_start(
    parameters: &Parameters,
    has_header: bool,
    flush: c_int,
    given: u32,
) -> Option<Reason> {
    let is_whole = flush == Z_FINISH && given as usize <= BLOCK.min(1 << parameters.log2_window());
    match refused(parameters, has_header) {
        Some(reason) => Some(reason),
        None if !matches!(flush, Z_NO_FLUSH | Z_FINISH) && given < LEAST_FLUSHED => Some(Reason::TooSmall),
        None if !(is_whole
            || settings().reproducible
            || has_fast_blocks(parameters.level)
            || offload::has_any()) =>
        {
            Some(Reason::NoInstructions)
        }
        None => None,
    }
}

/// Whether there are instructions that make the coder of blocks worth using for a level of
/// zlib's.
fn has_fast_blocks(asked: c_int) -> bool {
    CODERS.with(Coders::new, |coders| coders.blocks.is_accelerated(untried(asked))).unwrap_or(false)
}

/// Why zlib-rs compresses blocks of a stream, at a level of zlib's.
pub fn why_theirs(coders: &Coders, asked: c_int) -> Reason {
    if coders.blocks.is_accelerated(untried(asked)) { Reason::Size } else { Reason::NoInstructions }
}

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
    /// Our level for a piece of the stream that is to be compressed at a level of zlib's, or
    /// `THEIRS`. What is to be the same everywhere is not tried.
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
        // zlib-rs takes several times as long as ours, so whether only it can do what is asked is
        // tried again sooner.
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

/// Compresses a whole raw stream, if it is so short that little is gained from our coder's blocks,
/// and fits.
pub fn compress_one_shot(
    coders: &mut Coders,
    window: Window,
    level: i32,
    plain: &[u8],
    room: &mut [u8],
) -> Option<usize> {
    if plain.is_empty() {
        room.get_mut(..NOTHING.len())?.copy_from_slice(&NOTHING);
        return Some(NOTHING.len());
    }
    // Nothing says how far back the matches of that coder reach.
    let is_near = plain.len() <= window.bytes() || window == Window::FULL;
    let is_short = plain.len() < WORTH_IT || !coders.blocks.is_accelerated(untried(level));
    // That coder chooses by what the processor has; ours gives the same everywhere.
    if !(is_near && is_short) || settings().reproducible {
        return None;
    }
    compress_short(coders, level, plain, room)
}

/// Compresses a raw stream that is given whole.
fn compress_short(coders: &mut Coders, asked: i32, plain: &[u8], room: &mut [u8]) -> Option<usize> {
    let least =
        if coders.blocks.isa_level() == IsaLevel::Avx512 { LEAST_WITH_AVX512 } else { *LEVEL_4.start() };
    let is_for_4 = matches!(asked, 5 | 6) && (least..=*LEVEL_4.end()).contains(&plain.len());
    if !is_for_4 || !coders.blocks.is_accelerated(4) {
        return coders.whole.compress(asked, plain, room).ok();
    }
    // Of numbers, it would make up to a tenth more bytes, and of words of three to five bytes up to
    // twice as many.
    let suits = !BlockEncoder::is_numeric(plain) && BlockEncoder::repeats_long_words(plain);
    match suits.then(|| coders.whole.compress(4, plain, room)) {
        Some(Ok(len)) if IS_RIGHT.contains(&(4 * plain.len() / len.max(1))) => Some(len),
        // By libdeflate, which has 6 at these lengths, but 5 not at all of them.
        _ => coders.whole.compress(6, plain, room).ok(),
    }
}

#[cfg(test)]
mod tests;
