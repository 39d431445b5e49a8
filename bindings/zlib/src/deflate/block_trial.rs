//! Block trial: chooses the encoder for one-shot blocks of a stream that a program resets for each
//! block, as databases do.
//!
//! The blocks of one program are of few kinds, and a block of a few kilobytes is compressed in less
//! time than a search for its best encoder takes. So a trial is held once in many blocks: it
//! compresses the block with zlib-rs, and then with other encoders, the fastest first. The first
//! whose output is about as small compresses the next blocks of that kind.
//!
//! The first blocks of a stream are compressed as those of any other stream, so that the same data
//! gives the same bytes wherever a program may compare them.

use std::ops::RangeInclusive;

use libz_rs_sys::Z_DEFAULT_STRATEGY;
use pelton_codec::{BitWriter, Window};

use super::encoders::Encoders;
use super::fallback::{self, FallbackParameters};

/// Blocks of a stream before the first trial.
const MIN_BLOCKS: u32 = 8;
/// Levels of zlib with trials. Lower ones are fast enough, higher ones have no faster encoder that
/// is small enough.
const LEVELS: RangeInclusive<i32> = 4..=6;
/// Lengths of blocks with trials. A shorter one is mostly header, and the trial of a longer one
/// takes noticeable time.
const LENGTHS_TRIED: RangeInclusive<usize> = 2 << 10..=4 << 20;
/// Size of a piece with codes of its own. All of an encoder's tables stay in a second-level cache.
const PIECE: usize = 256 << 10;
/// Allowed size in thousandths of zlib-rs's output.
const ALLOWED: usize = 1028;
/// The same for the block encoder on binary data, whose blocks differ more from one another.
const ALLOWED_BINARY: usize = 1008;
/// Blocks from one trial to the next: at first, and at most, as it doubles while the same encoder
/// wins.
const MIN_DISTANCE: u16 = 48;
const MAX_DISTANCE: u16 = 768;
/// The maximum while no encoder is small enough: other data may have one.
const MAX_DISTANCE_DEFAULT: u16 = 192;
/// A block whose compressed share differs from the trial's by more than half is of another kind,
/// and the next trial comes after this many blocks in all.
const DISTANCE_CHANGED: u16 = 32;

/// Size in thousandths of zlib-rs's output, from which on the other levels of the block encoder are
/// too large as well.
const HOPELESS: usize = 1070;

/// The encoders, the fastest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Candidate {
    /// The block encoder at this level.
    Blocks(i32),
    /// libdeflate at this level.
    Libdeflate(i32),
    /// That of any other stream's block.
    Default,
}

/// Outcome for a block.
pub enum Outcome {
    /// Its compressed size; `None` if the output is too small.
    Compressed(Option<usize>),
    /// It is to be compressed as any other stream's block.
    Default,
}

const CANDIDATES: [Candidate; 7] = [
    Candidate::Blocks(1),
    Candidate::Blocks(2),
    Candidate::Blocks(3),
    Candidate::Blocks(4),
    Candidate::Libdeflate(3),
    Candidate::Libdeflate(5),
    Candidate::Default,
];

/// Index of [`Candidate::Default`].
const DEFAULT: u8 = CANDIDATES.len() as u8 - 1;

/// Kinds of data by a sample's distinct bytes, its text and its zeros, times lengths.
const KINDS: usize = 16;
const LENGTHS: usize = 4;
/// Bytes of a sample.
const SAMPLE: usize = 512;

/// Result of the last trial for one kind of blocks.
#[derive(Clone, Copy)]
struct TrialResult {
    /// Index of the candidate.
    candidate: u8,
    /// Blocks until the next trial.
    until: u16,
    /// Blocks from the last trial to the next.
    distance: u16,
    /// Compressed share of the trial's block, in thousandths.
    share: u16,
}

/// The results for a stream's blocks.
#[derive(Clone)]
pub struct BlockTrials {
    blocks: u32,
    results: [TrialResult; KINDS * LENGTHS],
}

impl Default for BlockTrials {
    fn default() -> Self {
        let none = TrialResult { candidate: DEFAULT, until: 0, distance: 0, share: 0 };
        Self { blocks: 0, results: [none; KINDS * LENGTHS] }
    }
}

impl BlockTrials {
    /// Compresses a raw block at a level of zlib's, if that is to be done by trial.
    pub fn compress(
        &mut self,
        encoders: &mut Encoders,
        asked: i32,
        uncompressed: &[u8],
        output: &mut [u8],
    ) -> Outcome {
        self.blocks = self.blocks.saturating_add(1);
        let is_tried = self.blocks > MIN_BLOCKS
            && LEVELS.contains(&asked)
            && LENGTHS_TRIED.contains(&uncompressed.len())
            && encoders.blocks.is_accelerated(2);
        if !is_tried {
            return Outcome::Default;
        }
        let kind = kind(uncompressed);
        let result = &mut self.results[kind];
        if result.until == 0 {
            let (candidate, len) = run_trial(encoders, asked, kind % 2 == 1, uncompressed, output);
            let is_same = result.distance > 0 && result.candidate == candidate;
            let is_default = CANDIDATES[usize::from(candidate)] == Candidate::Default;
            let max_distance = if is_default { MAX_DISTANCE_DEFAULT } else { MAX_DISTANCE };
            result.distance = if is_same { (2 * result.distance).min(max_distance) } else { MIN_DISTANCE };
            result.until = result.distance;
            result.candidate = candidate;
            result.share = len.map_or(0, |len| share(len, uncompressed.len()));
            return if is_default { Outcome::Default } else { Outcome::Compressed(len) };
        }
        result.until -= 1;
        let candidate = CANDIDATES[usize::from(result.candidate)];
        if candidate == Candidate::Default {
            return Outcome::Default;
        }
        let len = compress_with(candidate, encoders, uncompressed, output);
        if len.is_some_and(|len| share(len, uncompressed.len()).abs_diff(result.share) > result.share / 2) {
            let since = result.distance - result.until;
            result.until = result.until.min(DISTANCE_CHANGED.saturating_sub(since));
        }
        Outcome::Compressed(len)
    }
}

fn share(len: usize, of: usize) -> u16 {
    (len * 1000 / of).min(usize::from(u16::MAX)) as u16
}

/// Returns the index of a block's kind, odd for binary data.
fn kind(uncompressed: &[u8]) -> usize {
    let middle = uncompressed.len() / 2;
    let sample = &uncompressed[middle.saturating_sub(SAMPLE / 2)..][..SAMPLE.min(uncompressed.len())];
    let mut seen = [false; 256];
    let (mut zeros, mut high) = (0, 0);
    for &byte in sample {
        seen[usize::from(byte)] = true;
        zeros += usize::from(byte == 0);
        high += usize::from(byte >= 0x80);
    }
    let distinct = seen.iter().filter(|&&seen| seen).count();
    let by_distinct = [24, 48, 96].iter().filter(|&&limit| distinct >= limit).count();
    let has_zeros = usize::from(zeros > sample.len() / 8);
    let is_binary = usize::from(high > sample.len() / 32);
    let by_length =
        [6 << 10, 24 << 10, 96 << 10].iter().filter(|&&limit| uncompressed.len() >= limit).count();
    ((by_length * 4 + by_distinct) * 2 + has_zeros) * 2 + is_binary
}

/// Compresses a block with the fastest encoder whose output is small enough. Returns the encoder's
/// index and the size, `None` if none is small enough.
fn run_trial(
    encoders: &mut Encoders,
    asked: i32,
    is_binary: bool,
    uncompressed: &[u8],
    output: &mut [u8],
) -> (u8, Option<usize>) {
    let parameters = FallbackParameters { level: asked, strategy: Z_DEFAULT_STRATEGY, window: Window::FULL };
    let reference = fallback::compress(&mut encoders.fallback, uncompressed, 0, parameters, true, output);
    let mut is_hopeless = false;
    for (index, &candidate) in (0..).zip(&CANDIDATES) {
        let is_blocks = matches!(candidate, Candidate::Blocks(_));
        if is_blocks && is_hopeless {
            continue;
        }
        let len = compress_with(candidate, encoders, uncompressed, output);
        let share = reference.zip(len).map(|(reference, len)| len * 1000 / reference);
        let allowed = if is_blocks && is_binary { ALLOWED_BINARY } else { ALLOWED };
        if share.is_some_and(|share| share <= allowed) {
            return (index, len);
        }
        is_hopeless |= is_blocks && share.is_some_and(|share| share > HOPELESS);
    }
    (DEFAULT, None)
}

/// Compresses a block with a candidate. `None` if the output is too small, and for the default one.
fn compress_with(
    candidate: Candidate,
    encoders: &mut Encoders,
    uncompressed: &[u8],
    output: &mut [u8],
) -> Option<usize> {
    match candidate {
        Candidate::Blocks(level) => {
            encoders.blocks.set_window(Window::FULL);
            let mut to = BitWriter::new(output);
            let mut start = 0;
            while start < uncompressed.len() {
                let end = uncompressed.len().min(start + PIECE);
                let history = start.min(Window::FULL.bytes());
                let piece = &uncompressed[start - history..end];
                encoders
                    .blocks
                    .deflate_after(piece, history, level, end == uncompressed.len(), &mut to)
                    .ok()?;
                start = end;
            }
            to.finish()
        }
        Candidate::Libdeflate(level) => {
            encoders.one_shot.compress_with_libdeflate(level, uncompressed, output).ok()
        }
        Candidate::Default => None,
    }
}

#[cfg(test)]
mod tests;
