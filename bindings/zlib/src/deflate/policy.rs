//! Which of our coder's levels does what a level of zlib's is asked for: about zlib's size, as fast
//! as that can be had.
//!
//! How our levels and zlib's compare depends on the data, so it is tried: a sample of what comes is
//! compressed by zlib-rs at the level that was asked for, and by ours from the fastest on, until
//! one is small enough.

use std::ffi::c_int;
use std::ops::Range;

use pelton_codec::Window;

use super::block_encoder::Coders;
use super::level_trial::{SAMPLE, try_out};
use crate::settings::settings;

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
/// Instead of a level of ours: zlib-rs at the level that was asked for, where none of ours is small
/// enough. In long runs and padding, our search finds only what is in the run. Or where the
/// processor lacks what makes ours worth using.
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

#[cfg(test)]
mod tests;
