//! Level policy: chooses the encoder and its level for a stream, a block, or one-shot input.

use std::ffi::c_int;
use std::ops::{Range, RangeInclusive};

use libz_rs_sys::{Z_DEFAULT_STRATEGY, Z_FINISH, Z_NO_FLUSH};
use pelton_codec::{BlockEncoder, IsaLevel, Window};

use super::encoders::{ENCODERS, Encoders};
use super::fallback::FALLBACK;
use super::level_trial::{SAMPLE, run_trial};
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
const MIN_LOG2_WINDOW: u32 = 12;

/// A stream that is flushed before it has this much will be flushed often, as connections are. The
/// time for a block's codes and its history is too much for each message.
const MIN_FLUSHED: u32 = 16 << 10;

/// A shorter piece is not worth a trial: each compression of a sample takes as long as about twice
/// as much of the stream.
pub const MIN_TRIAL_LEN: usize = 3 * SAMPLE;
/// Bytes after which another sample is tried, at first: with zlib-rs and mostly twice with ours
/// that takes as long as 300 KB of the stream. Twice as many each time that the same level is
/// chosen again, so that a long stream spends a fiftieth on trials, not a thirteenth.
const TRIAL_DISTANCE: Range<usize> = 4 << 20..16 << 20;
/// The same where zlib-rs is chosen.
const TRIAL_DISTANCE_FALLBACK: Range<usize> = 1 << 20..4 << 20;
/// If a block gets smaller or larger by more than one part in [`CHANGE`] than the first after a
/// trial did, the data is of another kind, and is tried after so much.
const TRIAL_DISTANCE_CHANGED: usize = 1 << 20;
const CHANGE: usize = 10;
/// The same where zlib-rs is chosen, and it is only time that another choice would save: source
/// code's blocks differ by a tenth all the time, and trials were an eighth of its time.
const CHANGE_FALLBACK: usize = 3;

/// The first of zlib's levels that samples are tried for: below, what is taken is always small
/// enough.
const MIN_TRIAL_LEVEL: i32 = 4;

/// By level of zlib's: what is taken without a trial for pieces of a stream. Measured on rows,
/// text, JSON, source code (docs/zlib.md).
const DEFAULT_LEVELS: [i32; 10] = [0, 1, 1, 2, 3, 4, 5, 6, 7, 8];

/// Our level for pieces of a stream without a trial.
pub fn default_level(asked: c_int) -> i32 {
    DEFAULT_LEVELS[asked as usize]
}

/// The level that makes the smallest blocks.
pub const MAX_LEVEL: i32 = 9;

/// Bytes of a stream that is given whole for which level 4 stands for zlib's 5 and 6: of 8, 16 and
/// 32 KB it makes at most 3.0, 3.1 and 3.7% more bytes than zlib -6 of any of rows, dumps, text,
/// source code and JSON on the whole, at 2.4, 2.7 and 2.9 times the speed of libdeflate -6; of 64
/// KB of source code 5.3%. Single pieces have more: docs/decisions/0010.
const LEVEL_4_LEN: RangeInclusive<usize> = 8 << 10..=32 << 10;

/// The least of these with AVX-512: of the same in 4 KB it makes at most 2.4% more bytes than zlib
/// -6, at 1.5 times the speed of libdeflate -6. RocksDB's blocks of 4 KB are a little shorter, most
/// of them.
const MIN_LEN_AVX512: usize = 7 << 9;

/// Quarters of a byte of which it may make one. What repeats more gets up to 20% more bytes than by
/// zlib -6 and in long runs 130%, as words of 8 bytes, each one of 10 or 20.
const LEVEL_4_RATIO: Range<usize> = 5..22;

/// All that zlib writes for nothing: that, and zeros up to a byte.
const EMPTY_STREAM: [u8; 2] = [0b011, 0];

/// Why a stream with these settings is for zlib-rs, if it is.
pub fn fallback_reason(parameters: &Parameters, has_header: bool) -> Option<Reason> {
    let &Parameters { level, mem_level, strategy, .. } = parameters;
    match () {
        () if !settings().accelerate => Some(Reason::AccelerationOff),
        () if level == 0 => Some(Reason::LevelZero),
        () if strategy != Z_DEFAULT_STRATEGY => Some(Reason::Strategy),
        () if mem_level < DEFAULT_MEM_LEVEL => Some(Reason::MemLevel),
        () if parameters.log2_window() < MIN_LOG2_WINDOW => Some(Reason::Window),
        () if has_header => Some(Reason::Header),
        () => None,
    }
}

/// Why a stream that begins like this is for zlib-rs, if it is.
pub fn fallback_reason_at_start(
    parameters: &Parameters,
    has_header: bool,
    flush: c_int,
    delivered: u32,
) -> Option<Reason> {
    let is_one_shot = flush == Z_FINISH && delivered as usize <= BLOCK.min(1 << parameters.log2_window());
    match fallback_reason(parameters, has_header) {
        Some(reason) => Some(reason),
        None if !matches!(flush, Z_NO_FLUSH | Z_FINISH) && delivered < MIN_FLUSHED => Some(Reason::TooSmall),
        None if !(is_one_shot
            || settings().reproducible
            || has_fast_blocks(parameters.level)
            || offload::has_device()) =>
        {
            Some(Reason::NoInstructions)
        }
        None => None,
    }
}

/// Whether there are instructions that make the coder of blocks worth using for a level of
/// zlib's.
fn has_fast_blocks(asked: c_int) -> bool {
    ENCODERS
        .with(Encoders::new, |encoders| encoders.blocks.is_accelerated(default_level(asked)))
        .unwrap_or(false)
}

/// Why zlib-rs compresses blocks of a stream, at a level of zlib's.
pub fn block_fallback_reason(encoders: &Encoders, asked: c_int) -> Reason {
    if encoders.blocks.is_accelerated(default_level(asked)) { Reason::Size } else { Reason::NoInstructions }
}

/// What was chosen for a stream.
#[derive(Clone)]
pub struct LevelChoice {
    /// Our level, and zlib's that it was chosen for.
    chosen: Option<(i32, i32)>,
    /// Bytes since then.
    since: usize,
    /// Bytes after which another sample is tried.
    distance: usize,
    /// Thousandths of its length that the first block after a trial was compressed to.
    first: Option<usize>,
    has_changed: bool,
}

impl Default for LevelChoice {
    fn default() -> Self {
        Self { chosen: None, since: 0, distance: TRIAL_DISTANCE.start, first: None, has_changed: false }
    }
}

impl LevelChoice {
    /// Our level for a piece of the stream that is to be compressed at a level of zlib's, or
    /// `FALLBACK`. What is to be the same everywhere is not tried.
    pub fn level(&mut self, encoders: &mut Encoders, asked: i32, window: Window, piece: &[u8]) -> i32 {
        self.since += piece.len();
        let distance = if self.has_changed { TRIAL_DISTANCE_CHANGED } else { self.distance };
        match self.chosen {
            Some((chosen, of)) if of == asked && self.since < distance => return chosen,
            _ if asked < MIN_TRIAL_LEVEL || piece.len() < MIN_TRIAL_LEN || settings().reproducible => {
                return default_level(asked);
            }
            _ => {}
        }
        let middle = piece.len() / 2;
        let before = self.chosen.filter(|_| !self.is_fallback());
        let first = before.map_or(default_level(asked), |(chosen, _)| chosen);
        let chosen = run_trial(encoders, (asked, first), window, &piece[middle - SAMPLE..middle + SAMPLE]);
        let is_same = !self.has_changed && self.chosen == Some((chosen, asked));
        // zlib-rs takes several times as long as ours, so whether only it can do what is asked is
        // tried again sooner.
        let Range { start, end } = if chosen == FALLBACK { TRIAL_DISTANCE_FALLBACK } else { TRIAL_DISTANCE };
        let distance = if is_same { end.min(2 * self.distance) } else { start };
        *self = Self { chosen: Some((chosen, asked)), distance, ..Self::default() };
        chosen
    }

    fn is_fallback(&self) -> bool {
        self.chosen.is_some_and(|(chosen, _)| chosen == FALLBACK)
    }

    /// Takes note of how long a piece was, and what it was compressed to.
    pub fn record(&mut self, uncompressed: usize, compressed: usize) {
        if uncompressed >= MIN_TRIAL_LEN {
            let share = compressed * 1000 / uncompressed;
            let first = *self.first.get_or_insert(share);
            let change = if self.is_fallback() { CHANGE_FALLBACK } else { CHANGE };
            self.has_changed |= share.abs_diff(first) > first / change;
        }
    }
}

/// Compresses a whole raw stream, if it is so short that little is gained from our coder's blocks,
/// and fits.
pub fn compress_one_shot(
    encoders: &mut Encoders,
    window: Window,
    level: i32,
    uncompressed: &[u8],
    output: &mut [u8],
) -> Option<usize> {
    if uncompressed.is_empty() {
        output.get_mut(..EMPTY_STREAM.len())?.copy_from_slice(&EMPTY_STREAM);
        return Some(EMPTY_STREAM.len());
    }
    // Nothing says how far back the matches of that coder reach.
    let is_near = uncompressed.len() <= window.bytes() || window == Window::FULL;
    let is_short =
        uncompressed.len() < MIN_TRIAL_LEN || !encoders.blocks.is_accelerated(default_level(level));
    // That coder chooses by what the processor has; ours gives the same everywhere.
    if !(is_near && is_short) || settings().reproducible {
        return None;
    }
    compress_short(encoders, level, uncompressed, output)
}

/// Compresses a raw stream that is given whole.
fn compress_short(
    encoders: &mut Encoders,
    asked: i32,
    uncompressed: &[u8],
    output: &mut [u8],
) -> Option<usize> {
    let min_len =
        if encoders.blocks.isa_level() == IsaLevel::Avx512 { MIN_LEN_AVX512 } else { *LEVEL_4_LEN.start() };
    let is_for_4 = matches!(asked, 5 | 6) && (min_len..=*LEVEL_4_LEN.end()).contains(&uncompressed.len());
    if !is_for_4 || !encoders.blocks.is_accelerated(4) {
        return encoders.one_shot.compress(asked, uncompressed, output).ok();
    }
    // Of numbers, it would make up to a tenth more bytes, and of words of three to five bytes up to
    // twice as many.
    let is_suitable =
        !BlockEncoder::is_numeric(uncompressed) && BlockEncoder::repeats_long_words(uncompressed);
    match is_suitable.then(|| encoders.one_shot.compress(4, uncompressed, output)) {
        Some(Ok(len)) if LEVEL_4_RATIO.contains(&(4 * uncompressed.len() / len.max(1))) => Some(len),
        // By libdeflate, which has 6 at these lengths, but 5 not at all of them.
        _ => encoders.one_shot.compress(6, uncompressed, output).ok(),
    }
}

#[cfg(test)]
mod tests;
