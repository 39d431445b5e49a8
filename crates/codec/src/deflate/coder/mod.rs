//! DEFLATE blocks, with a search and a parse that hardly branch on the data.
//!
//! What a compressor waits for is branches: is there a match, is the next one better, how long is it. Here, as in
//! `batch/`, they are avoided, and the work goes through the data in passes:
//!
//! 1. *find* (`finder.rs`): the longest match at every position, from buckets of the last positions with the same hash.
//! 2. *parse*: the next position's match is preferred if it is longer (`parse.rs`), or the cheapest path through the data is
//!    taken, given what symbols cost (`optimal.rs`).
//! 3. *split* (`split.rs`): a block ends where codes of their own pay for what follows.
//! 4. *Huffman* (`huffman.rs`, `header.rs`): the best codes for a block's tokens, and what they cost against the fixed
//!    codes and against no compression.
//! 5. *emit* (`emit.rs`): bits.
//!
//! Pieces of data in which hardly a match is found are only sampled, until one is.
//!
//! `engine.rs` chooses between safe, portable steps and those in `arch/`. All give the same bytes.

#[cfg(target_arch = "x86_64")]
mod arch;
mod bits;
mod blocks;
mod emit;
mod engine;
mod finder;
mod header;
mod huffman;
mod level;
mod look;
mod optimal;
mod parse;
mod split;
mod symbols;

pub use bits::{BitWriter, Pending};
use blocks::Blocks;
use engine::Engine;
use finder::{Finder, HASHED};
use level::{EFFORTS, Effort};
use optimal::{Costs, Paths};
use parse::Counters;
use symbols::{Find, MIN_MATCH, Token, WINDOW};

use crate::{Error, Format};

/// Positions that are searched and parsed at a time, and after which a block may end: what is found for them, 4 bytes
/// each, stays in a second-level cache.
const CHUNK: usize = 16 << 10;
/// Positions that are sampled or searched as one.
const PIECE: usize = 4 << 10;
/// Positions of a piece that are searched if the piece before was dull. An eighth: data that does not compress costs little,
/// and data that does is noticed.
const SAMPLE: usize = PIECE / 8;
/// Bytes that [`BlockEncoder::suits`] looks at: a hundredth of the time that level 6 takes for 256 KB.
const LOOK: usize = 8 << 10;
/// How it does that.
const LOOKING: Effort = EFFORTS[0];
/// Hundredths of bytes a token in such a sample from which on data repeats a lot. Measured: TPC-H's rows 3.4 to 4.1, JSON 4.2
/// to 4.3, source code 4.0 to 6.4.
const REPETITIVE: usize = 415;

/// The farthest back that matches may reach.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Window {
    /// 4 KB: what Intel's IAA decompresses.
    Small,
    /// 32 KB, the format's limit.
    #[default]
    Full,
}

impl Window {
    const fn bytes(self) -> usize {
        match self {
            Self::Small => 4 << 10,
            Self::Full => WINDOW,
        }
    }
}

/// Compresses blocks that join at the bit, keeping its state between them. One for a thread.
///
/// Its memory depends on the level: 0.3 MB at level 1, 1.3 MB at level 9, and a copy of what is compressed with history.
pub struct BlockEncoder {
    engine: Engine,
    window: Window,
    finder: Finder,
    finds: Vec<Find>,
    draft: Vec<Token>,
    paths: Paths,
    blocks: Blocks,
    joined: Vec<u8>,
}

impl Default for BlockEncoder {
    fn default() -> Self {
        Self::new()
    }
}

impl BlockEncoder {
    /// An encoder with the fastest steps that this processor has.
    pub fn new() -> Self {
        Self::with_engine(Engine::best())
    }

    /// An encoder in safe, portable code. Its output is that of [`Self::new`].
    pub fn portable() -> Self {
        Self::with_engine(Engine::Portable)
    }

    /// Whether there are faster steps than portable ones here. If not, this coder is slower than libdeflate.
    pub fn is_accelerated(&self) -> bool {
        !matches!(self.engine, Engine::Portable)
    }

    fn with_engine(engine: Engine) -> Self {
        Self {
            engine,
            window: Window::Full,
            finder: Finder::new(),
            finds: vec![0; CHUNK + 1],
            draft: Vec::new(),
            paths: Paths::new(),
            blocks: Blocks::new(),
            joined: Vec::new(),
        }
    }

    /// Limits how far back matches reach, from the next call on.
    pub fn set_window(&mut self, window: Window) {
        self.window = window;
    }

    /// Compresses `input` at level 0 to 9 as one block or several, the last of them marked as the stream's last if
    /// `is_last`. Matches may reach into `history`, the plain data before: its last 32 KB are looked at.
    ///
    /// # Errors
    /// `BadLevel`, and `OutputTooSmall` if the blocks don't fit; what was written until then is of no use. They take at most
    /// five bytes more than the input, plus six for each 16 KB of it.
    pub fn deflate_block(
        &mut self,
        input: &[u8],
        history: &[u8],
        level: i32,
        is_last: bool,
        to: &mut BitWriter<'_>,
    ) -> Result<(), Error> {
        let format = Format::Deflate;
        let room = (to.room() / 8) as usize;
        let effort = match usize::try_from(level) {
            Ok(0) => None,
            Ok(level @ 1..=9) => Some(EFFORTS[level - 1]),
            _ => return Err(Error::BadLevel { format, level }),
        };
        let history = &history[history.len().saturating_sub(self.window.bytes())..];
        let done = match effort {
            None => emit::stored(input, is_last, to),
            Some(effort) if history.is_empty() => self.encode(input, 0, effort, is_last, to),
            Some(effort) => {
                let mut joined = std::mem::take(&mut self.joined);
                joined.clear();
                joined.extend_from_slice(history);
                joined.extend_from_slice(input);
                let done = self.encode(&joined, history.len(), effort, is_last, to);
                self.joined = joined;
                done
            }
        };
        done.ok_or(Error::OutputTooSmall { format, room })
    }

    /// Whether the levels from 5 up are ahead of libdeflate's for data like this, by a sample from its middle. They are not
    /// for numbers, where libdeflate's deeper search finds more, nor for data that repeats so much that to search every
    /// position, as is done here, is a waste.
    pub(crate) fn suits(&mut self, input: &[u8]) -> bool {
        let middle = input.len() / 2;
        let sample = &input[middle.saturating_sub(LOOK / 2)..(middle + LOOK / 2).min(input.len())];
        if look::is_numeric(sample) {
            return false;
        }
        let finds = &mut self.finds[..=sample.len()];
        self.finder.reset(LOOKING.ways, LOOKING.bits_for(sample.len()), WINDOW);
        self.engine.find(&mut self.finder, sample, 0..sample.len(), finds);
        finds[sample.len()] = 0;
        self.engine.defer(sample, finds);
        self.draft.clear();
        let mut counters = Counters::EMPTY;
        self.engine.walk(&finds[..sample.len()], 0, &mut self.draft, &mut counters);
        // In hundredths, so that it is the same everywhere.
        sample.len() * 100 < self.draft.len() * REPETITIVE
    }

    /// Compresses what follows position `from` of a buffer. `None` if it does not fit.
    fn encode(
        &mut self,
        buffer: &[u8],
        from: usize,
        effort: Effort,
        is_last: bool,
        to: &mut BitWriter<'_>,
    ) -> Option<()> {
        let engine = self.engine;
        let bits = effort.bits_for(buffer.len());
        self.finder.reset(effort.ways, bits, self.window.bytes());
        self.finder.note(buffer, 0..from);
        self.blocks.start(from);
        let shortest = if effort.passes == 0 { HASHED } else { MIN_MATCH };
        let mut is_dull = false;
        let mut costs = None;
        // How far the tokens reach: a match may reach into the next chunk.
        let mut done = from;
        for start in (from..buffer.len()).step_by(CHUNK) {
            let end = (start + CHUNK).min(buffer.len());
            let chunk = &buffer[start..end];
            let finds = &mut self.finds[..=chunk.len()];
            let mut all_dull = true;
            for piece in (start..end).step_by(PIECE) {
                let piece = piece..(piece + PIECE).min(end);
                let sample = if is_dull { (piece.start + SAMPLE).min(piece.end) } else { piece.end };
                let searched = &mut finds[piece.start - start..];
                engine.find(&mut self.finder, buffer, piece.start..sample, searched);
                // What was searched last tells most of what comes.
                let recent = (sample - piece.start).saturating_sub(SAMPLE);
                is_dull = look::is_dull(&searched[recent..sample - piece.start], shortest);
                all_dull &= is_dull;
                let rest = &mut searched[sample - piece.start..piece.len()];
                match is_dull {
                    true => rest.fill(0),
                    false => engine.find(&mut self.finder, buffer, sample..piece.end, rest),
                }
            }
            if all_dull && look::is_dense(chunk) {
                self.blocks.store(engine, buffer, end, is_last && end == buffer.len(), to)?;
                done = end;
                continue;
            }
            // The last position has none after it to wait for.
            finds[chunk.len()] = 0;
            let skip = done - start;
            let mut counters = Counters::EMPTY;
            if effort.passes == 0 {
                engine.defer(chunk, finds);
            } else {
                let finds = &mut finds[..chunk.len()];
                let mut costs =
                    costs.take().unwrap_or_else(|| guess(engine, chunk, finds, &mut self.draft, skip));
                for _ in 1..effort.passes {
                    self.draft.clear();
                    self.draft.extend_from_slice(finds);
                    engine.optimise(chunk, &mut self.draft, &costs, &mut self.paths);
                    costs = Costs::of(&count(engine, &self.draft, skip));
                }
                engine.optimise(chunk, finds, &costs, &mut self.paths);
            }
            let before = self.blocks.tokens.len();
            done = start + engine.walk(&finds[..chunk.len()], skip, &mut self.blocks.tokens, &mut counters);
            if effort.passes > 0 {
                costs = Some(Costs::of(&counters));
            }
            self.blocks.add(engine, buffer, before, done, &counters.histogram(), to)?;
        }
        match self.blocks.is_empty() && buffer.len() > from {
            true => Some(()),
            false => self.blocks.finish(engine, buffer, is_last, to),
        }
    }
}

/// What symbols cost in a chunk that nothing is known of: as after lazy matching. `draft` is for the tokens of that.
fn guess(engine: Engine, chunk: &[u8], finds: &[Find], draft: &mut Vec<Token>, skip: usize) -> Costs {
    draft.clear();
    draft.extend_from_slice(finds);
    draft.push(0);
    engine.defer(chunk, draft);
    draft.pop();
    Costs::of(&count(engine, draft, skip))
}

/// The symbols of a walk over tokens.
fn count(engine: Engine, at_each: &[Token], skip: usize) -> Counters {
    let mut counters = Counters::EMPTY;
    engine.walk(at_each, skip, &mut Vec::new(), &mut counters);
    counters
}
