//! Level policy: chooses the encoder and its level for a stream, a block, or one-shot input.
//!
//! The first row that fits decides:
//!
//! | input | encoder | function |
//! |---|---|---|
//! | parameters that our encoder lacks | zlib-rs | [`fallback_reason`] |
//! | flushed before [`MIN_FLUSHED`] | zlib-rs | [`fallback_reason_at_start`] |
//! | a stream without AVX2 or device, not reproducible | zlib-rs | [`fallback_reason_at_start`] |
//! | one-shot, a stream that was reset often | by trial | [`BlockTrials::compress`] |
//! | one-shot, some levels and lengths | ours at level 4, if fit | [`compress_short`] |
//! | one-shot, below [`MIN_TRIAL_LEN`] or without AVX2 | `RawEncoder` | [`compress_one_shot`] |
//! | blocks without a trial | ours at [`DEFAULT_LEVELS`] | [`default_level`] |
//! | blocks with a trial | ours, by lanes, cheapest path or sequentially | [`LevelChoice::level`] |
//!
//! An accelerator, if one is configured, is asked before one-shot input or a block is compressed
//! here ([`crate::offload`]). Reproducible output has neither trials nor `RawEncoder`.

use std::ffi::c_int;
use std::ops::Range;

use libz_rs_sys::{Z_DEFAULT_STRATEGY, Z_FINISH, Z_NO_FLUSH};
use pelton_codec::{Window, part_bound};

use super::block_trial::{BlockTrials, Outcome};
use super::encoders::{ENCODERS, Encoders};
use super::fallback::FALLBACK;
use super::level_trial::{self, SAMPLE, run_trial};
use super::short_block::compress_short;
use super::stream::{DEFAULT_MEM_LEVEL, Parameters};
use crate::offload;
use crate::settings::settings;
use crate::stats::Reason;

/// Size of a block. A longer block spends less of its time on inserting the history. With its
/// window, this one needs a little more memory than zlib's state.
pub const BLOCK: usize = 256 << 10;

/// Size of a block in memory of the caller's allocator. A caller such as nginx reserves the memory
/// that zlib needs, and window, block and output have to fit there.
pub const SMALL_BLOCK: usize = 96 << 10;

/// Logarithm of the smallest window for our encoder. Smaller ones gain nothing over zlib-rs.
const MIN_LOG2_WINDOW: u32 = 12;

/// Input before the first flush below which zlib-rs compresses a stream. Such streams are flushed
/// often, as those of connections are, and each block costs time for its codes and its history.
pub const MIN_FLUSHED: u32 = 16 << 10;

/// Shortest piece with a trial. A trial compresses a sample and its history several times.
pub const MIN_TRIAL_LEN: usize = 3 * SAMPLE;
/// Distance between trials in bytes: the first value, doubled up to the second as long as the same
/// level wins. A long stream spends less of its time on trials that way (decision 10).
const TRIAL_DISTANCE: Range<usize> = 4 << 20..16 << 20;
/// The same while the sequential parser is chosen.
const TRIAL_DISTANCE_SEQUENTIAL: Range<usize> = 1 << 20..4 << 20;
/// Distance after a change of the data: a block's compressed share differs from that of the first
/// block after the trial by more than one part in [`CHANGE`].
const TRIAL_DISTANCE_CHANGED: usize = 1 << 20;
const CHANGE: usize = 10;
/// The same while the sequential parser is chosen. A new trial could save only time then, and
/// blocks of source code differ by a tenth all the time.
const CHANGE_SEQUENTIAL: usize = 3;

/// Ratio of a block to its compressed bytes from which on it counts as tiny: its codes of some 15
/// bytes are more than a hundredth.
const TINY: usize = 200;

/// Default level of ours by level of zlib, measured on rows, text, JSON and source code.
const DEFAULT_LEVELS: [i32; 10] = [0, 1, 1, 2, 3, 4, 5, 6, 7, 8];

/// Returns our level for blocks without a trial.
pub fn default_level(asked: c_int) -> i32 {
    DEFAULT_LEVELS[asked as usize]
}

/// The highest level of ours but those of the sequential parser.
pub const MAX_LEVEL: i32 = 9;

/// The stream that zlib writes for empty input: an empty last block with the fixed code.
const EMPTY_STREAM: [u8; 2] = [0b011, 0];

/// Returns why zlib-rs compresses a stream with these parameters, or `None`.
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

/// Returns why zlib-rs compresses a stream that begins with this call, or `None`.
pub fn fallback_reason_at_start(
    parameters: &Parameters,
    has_header: bool,
    flush: c_int,
    input_len: u32,
) -> Option<Reason> {
    let is_one_shot = flush == Z_FINISH && input_len as usize <= BLOCK.min(1 << parameters.log2_window());
    match fallback_reason(parameters, has_header) {
        Some(reason) => Some(reason),
        None if !matches!(flush, Z_NO_FLUSH | Z_FINISH) && input_len < MIN_FLUSHED => Some(Reason::TooSmall),
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

/// Returns whether the processor has the instructions that make our block encoder worth using at a
/// level of zlib's.
fn has_fast_blocks(asked: c_int) -> bool {
    ENCODERS
        .with(Encoders::new, |encoders| encoders.blocks.is_accelerated(default_level(asked)))
        .unwrap_or(false)
}

/// Levels of libdeflate that trials use.
const LIBDEFLATE_TRIED: [i32; 2] = [3, 5];

/// Reserves all memory that blocks and one-shot input need at a level of zlib's; `None` without
/// memory.
pub fn reserve(encoders: &mut Encoders, asked: c_int) -> Option<()> {
    encoders.blocks.reserve(Window::FULL.bytes() + BLOCK).ok()?;
    // At level 5, short input is compressed at level 6.
    let own = if asked == 5 { 6 } else { asked };
    let [first, second] = LIBDEFLATE_TRIED;
    encoders.one_shot.reserve(&[own, first, second], MIN_TRIAL_LEN).ok()?;
    encoders.fallback.reserve()?;
    encoders.reserve_output(part_bound(BLOCK))?;
    level_trial::reserve(&mut encoders.sample)
}

/// The level chosen for the blocks of a stream.
#[derive(Clone)]
pub struct LevelChoice {
    /// Our level, and the level of zlib that it was chosen for.
    chosen: Option<(i32, i32)>,
    /// Bytes since the last trial.
    since: usize,
    /// Bytes from the last trial to the next.
    distance: usize,
    /// Compressed share of the first block after the trial, in thousandths.
    first: Option<usize>,
    has_changed: bool,
    /// Whether the last block was compressed to less than one byte in [`TINY`].
    is_tiny: bool,
}

impl Default for LevelChoice {
    fn default() -> Self {
        Self {
            chosen: None,
            since: 0,
            distance: TRIAL_DISTANCE.start,
            first: None,
            has_changed: false,
            is_tiny: false,
        }
    }
}

impl LevelChoice {
    /// Returns our level for a block at a level of zlib's, or [`FALLBACK`]. Reproducible output has
    /// no trials.
    pub fn level(&mut self, encoders: &mut Encoders, asked: i32, window: Window, piece: &[u8]) -> i32 {
        self.since += piece.len();
        let distance = if self.has_changed { TRIAL_DISTANCE_CHANGED } else { self.distance };
        match self.chosen {
            Some((chosen, of)) if of == asked && self.since < distance => return chosen,
            _ if piece.len() < MIN_TRIAL_LEN || settings().reproducible => {
                return default_level(asked);
            }
            _ => {}
        }
        let middle = piece.len() / 2;
        let before = self.chosen.filter(|&(chosen, _)| chosen <= MAX_LEVEL);
        let first = before.map_or(default_level(asked), |(chosen, _)| chosen);
        let chosen = run_trial(encoders, (asked, first), window, &piece[middle - SAMPLE..middle + SAMPLE]);
        match chosen {
            FALLBACK => log::debug!("level {asked}: zlib-rs compresses, as this processor lacks AVX2"),
            _ if chosen > MAX_LEVEL => log::debug!("level {asked}: the sequential parser compresses"),
            _ => log::debug!("level {asked}: level {chosen} of ours compresses"),
        }
        let is_same = !self.has_changed && self.chosen == Some((chosen, asked));
        // The sequential parser takes longer than the others, so the next trial comes sooner.
        let Range { start, end } =
            if chosen > MAX_LEVEL { TRIAL_DISTANCE_SEQUENTIAL } else { TRIAL_DISTANCE };
        let distance = if is_same { end.min(2 * self.distance) } else { start };
        let is_tiny = self.is_tiny;
        *self = Self { chosen: Some((chosen, asked)), distance, is_tiny, ..Self::default() };
        chosen
    }

    fn is_sequential(&self) -> bool {
        self.chosen.is_some_and(|(chosen, _)| chosen > MAX_LEVEL)
    }

    /// Returns whether codes are a noticeable part of the last block's compressed bytes.
    pub fn is_tiny(&self) -> bool {
        self.is_tiny
    }

    /// Records the sizes of a block.
    pub fn record(&mut self, uncompressed: usize, compressed: usize) {
        self.is_tiny = compressed * TINY < uncompressed;
        if uncompressed >= MIN_TRIAL_LEN {
            let share = compressed * 1000 / uncompressed;
            let first = *self.first.get_or_insert(share);
            let change = if self.is_sequential() { CHANGE_SEQUENTIAL } else { CHANGE };
            self.has_changed |= share.abs_diff(first) > first / change;
        }
    }
}

/// Compresses raw one-shot input by trial or, if it is short, in one go. `None` if it
/// has to be compressed as a stream, or if the output is too small.
pub fn compress_one_shot(
    encoders: &mut Encoders,
    window: Window,
    level: i32,
    uncompressed: &[u8],
    output: &mut [u8],
    trials: Option<&mut BlockTrials>,
) -> Option<usize> {
    if uncompressed.is_empty() {
        output.get_mut(..EMPTY_STREAM.len())?.copy_from_slice(&EMPTY_STREAM);
        return Some(EMPTY_STREAM.len());
    }
    // The matches of `RawEncoder` are not limited to a window.
    let is_near = uncompressed.len() <= window.bytes() || window == Window::FULL;
    // `RawEncoder` chooses by the processor; blocks are the same on every one.
    if !is_near || settings().reproducible {
        return None;
    }
    // A trial's block is compressed by one thread.
    let is_for_threads = settings().threads > 1 && uncompressed.len() > BLOCK;
    if let Some(trials) = trials
        && !is_for_threads
        && let Outcome::Compressed(len) = trials.compress(encoders, level, uncompressed, output)
    {
        return len;
    }
    let is_short =
        uncompressed.len() < MIN_TRIAL_LEN || !encoders.blocks.is_accelerated(default_level(level));
    is_short.then(|| compress_short(encoders, level, uncompressed, output)).flatten()
}

#[cfg(test)]
mod tests;
