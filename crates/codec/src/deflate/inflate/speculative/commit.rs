//! Commit of a round: the tokens of its lanes become output, in order.

use std::ops::ControlFlow;

use super::segment::Segment;
use super::synchronise::{Meeting, TokenPosition, synchronise};
use super::{CHUNKS, SpeculativeError, SpeculativeInflater, SpeculativeState};
use crate::deflate::inflate::batch::entry::TABLE_LINK;
use crate::deflate::inflate::batch::lane::{Lane, Step};
use crate::deflate::inflate::streaming::touch_pages;

/// Groups of look-ups of a lane that has not met the next one: three times the mean that it needs.
const MORE: usize = 16;

/// Bytes of the longest match, and its maximum distance.
const MAX_MATCH: usize = 258;
const MAX_DISTANCE: usize = 32 << 10;

/// Bytes of input that more look-ups of the lanes take at most.
const MORE_BYTES: usize = CHUNKS * MORE * 8;

/// Bytes of input for a symbol at most.
const MAX_SYMBOL_BYTES: usize = 8;

/// Bytes past the end of a chunk's data that copies write at most.
const PAST: usize = 32;

/// A token that stands for nothing: a link, which has no symbol yet.
const NOTHING: u16 = TABLE_LINK | 1;
/// Entry after the last token, up to the chunk's end: a stop.
const END: u16 = 0;

impl SpeculativeInflater {
    /// Writes the useful tokens of the first `count` lanes. Chunks from `chunk` on are free for
    /// more look-ups.
    pub(crate) fn commit(
        &mut self,
        lane: &mut Lane<'_>,
        output: &mut [u8],
        count: usize,
        mut chunk: usize,
    ) -> Result<ControlFlow<()>, SpeculativeError> {
        let end = 8 * lane.input.len();
        self.is_undoable = self.work[0].segments[..count].iter().any(|of| of.at + 8 * MORE_BYTES > end);
        let mut from = TokenPosition::default();
        for i in 0..count {
            let met = if i + 1 < count { self.meet(lane, i, from, &mut chunk)? } else { None };
            self.write(lane, i, from, met.map(|(until, _)| until), output)?;
            let Some((_, there)) = met else {
                return self.end(lane, i, count, output);
            };
            from = there;
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Returns the tokens at which a lane meets the next, after more look-ups if necessary; `None`
    /// if it does not.
    fn meet(
        &mut self,
        lane: &mut Lane<'_>,
        i: usize,
        from: TokenPosition,
        chunk: &mut usize,
    ) -> Result<Option<(TokenPosition, TokenPosition)>, SpeculativeError> {
        loop {
            let segments = &self.work[0].segments;
            match synchronise(&self.store, &segments[i], from, &segments[i + 1]) {
                Meeting::At(until, there) => return Ok(Some((until, there))),
                Meeting::Further if *chunk < CHUNKS => {
                    self.look_up(lane.input, &[i], *chunk, MORE);
                    *chunk += 1;
                    lane.eviction.count_stop().ok_or(SpeculativeError::GivenUp)?;
                }
                Meeting::Further | Meeting::Never => return Ok(None),
            }
        }
    }

    /// Goes on after the last written symbol, of lane `i`, which is the last lane or has not met
    /// the next: with a symbol that has a stop, or with another round.
    fn end(
        &mut self,
        lane: &mut Lane<'_>,
        i: usize,
        count: usize,
        output: &mut [u8],
    ) -> Result<ControlFlow<()>, SpeculativeError> {
        let Segment { at, next, is_stopped, .. } = self.work[0].segments[i];
        (lane.at, lane.next) = (at, next);
        if lane.is_past_input() {
            return Err(SpeculativeError::Undecodable);
        }
        if !is_stopped {
            // The work of the later lanes is lost.
            (i + 1..count).try_for_each(|_| lane.eviction.count_stop()).ok_or(SpeculativeError::GivenUp)?;
            return Ok(ControlFlow::Continue(()));
        }
        lane.eviction.count_stop().ok_or(SpeculativeError::GivenUp)?;
        if lane.input.len() - lane.at / 8 < MAX_SYMBOL_BYTES {
            if !self.is_undoable {
                self.journal.begin(lane.end);
            }
            self.journal.record(output, lane.end + MAX_MATCH).ok_or(SpeculativeError::GivenUp)?;
        }
        let step = lane.symbol(&self.work[0].codes, output).ok_or(SpeculativeError::GivenUp)?;
        if lane.is_past_input() {
            return Err(SpeculativeError::Undecodable);
        }
        Ok(match step {
            Step::Symbols => ControlFlow::Continue(()),
            Step::End => ControlFlow::Break(()),
        })
    }

    /// Writes a segment's tokens from `from` up to `until`.
    fn write(
        &mut self,
        lane: &mut Lane<'_>,
        i: usize,
        from: TokenPosition,
        until: Option<TokenPosition>,
        output: &mut [u8],
    ) -> Result<(), SpeculativeError> {
        let Self { isa, journal, is_undoable, .. } = self;
        let SpeculativeState { segments, sequences, .. } = &mut self.work[0];
        for (index, chunk) in segments[i].chunks().iter().enumerate().skip(from.chunk) {
            let tokens = &mut self.store[usize::from(chunk.slot.0)][usize::from(chunk.slot.1)];
            let (mut next, mut end) = (chunk.next, usize::from(chunk.len));
            if index == from.chunk && from.token > 0 {
                // Lanes meet before a literal or a length.
                tokens.entries[..from.token].fill(NOTHING);
                next = 0;
            }
            let is_last = until.is_some_and(|until| until.chunk == index);
            if let Some(until) = until.filter(|_| is_last) {
                end = until.token;
            }
            tokens.entries[end..].fill(END);
            let before = lane.end;
            lane.partition(*isa, tokens, next, sequences);
            let end = before + sequences.output_len();
            let room = output.len();
            touch_pages(&mut output[before..room.min(end + PAST)]);
            let behind: Option<[u8; PAST]> = output.get(end..).and_then(|rest| rest.first_chunk()).copied();
            let may_fail = before - lane.start < MAX_DISTANCE && sequences.reaches_past(before - lane.start);
            if *is_undoable || may_fail || behind.is_none() {
                if !*is_undoable {
                    journal.begin(before);
                }
                journal.record(output, end + PAST).ok_or(SpeculativeError::GivenUp)?;
                lane.copy(*isa, sequences, output).ok_or(SpeculativeError::Undecodable)?;
                journal.restore(output, end);
            } else {
                lane.copy(*isa, sequences, output).ok_or(SpeculativeError::Undecodable)?;
                behind.iter().for_each(|behind| output[end..end + PAST].copy_from_slice(behind));
            }
            let len = lane.end - before;
            lane.eviction.count_chunk(false, || sequences.wait(len)).ok_or(SpeculativeError::GivenUp)?;
            if is_last {
                break;
            }
        }
        Ok(())
    }
}
