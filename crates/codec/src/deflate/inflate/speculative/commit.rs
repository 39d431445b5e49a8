//! What the lanes of a round have done becomes output, in order.

use std::ops::ControlFlow;

use super::segment::Segment;
use super::synchronise::{Join, Place, join};
use super::{CHUNKS, SegmentError, SegmentInflater, Work};
use crate::deflate::inflate::batch::entry::LINK;
use crate::deflate::inflate::batch::lane::{Lane, Step};

/// Groups of look-ups that a lane makes alone which has not met the next: three times those that it takes as a mean.
const MORE: usize = 16;

/// A token that stands for nothing: a link, which has no symbol yet.
const NOTHING: u16 = LINK | 1;
/// What is after the last token, up to the chunk's end: stops.
const END: u16 = 0;

impl SegmentInflater {
    /// Writes what the first `count` lanes have done, as far as it is of use. There are chunks for more look-ups from `chunk` on.
    pub(crate) fn take(
        &mut self,
        lane: &mut Lane<'_>,
        output: &mut [u8],
        count: usize,
        mut chunk: usize,
    ) -> Result<ControlFlow<()>, SegmentError> {
        let mut from = Place::default();
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

    /// Where a lane meets the next, after having gone on if it has not; `None` if it doesn't.
    fn meet(
        &mut self,
        lane: &mut Lane<'_>,
        i: usize,
        from: Place,
        chunk: &mut usize,
    ) -> Result<Option<(Place, Place)>, SegmentError> {
        loop {
            let segments = &self.work[0].segments;
            match join(&self.store, &segments[i], from, &segments[i + 1]) {
                Join::At(until, there) => return Ok(Some((until, there))),
                Join::Further if *chunk < CHUNKS => {
                    self.look_up(lane.input, &[i], *chunk, MORE);
                    *chunk += 1;
                    lane.pace.stop().ok_or(SegmentError::GivenUp)?;
                }
                Join::Further | Join::Never => return Ok(None),
            }
        }
    }

    /// Goes on from the last symbol that has been written, lane `i`'s, which is the last lane or has not met the next: with a symbol
    /// that the tables have a stop for, or with another round.
    fn end(
        &self,
        lane: &mut Lane<'_>,
        i: usize,
        count: usize,
        output: &mut [u8],
    ) -> Result<ControlFlow<()>, SegmentError> {
        let Segment { at, next, is_stopped, .. } = self.work[0].segments[i];
        (lane.at, lane.next) = (at, next);
        if lane.is_past_input() {
            return Err(SegmentError::Undecodable);
        }
        if !is_stopped {
            // What the later lanes have done is lost.
            (i + 1..count).try_for_each(|_| lane.pace.stop()).ok_or(SegmentError::GivenUp)?;
            return Ok(ControlFlow::Continue(()));
        }
        lane.pace.stop().ok_or(SegmentError::GivenUp)?;
        let step = lane.symbol(&self.work[0].codes, output).ok_or(SegmentError::GivenUp)?;
        if lane.is_past_input() {
            return Err(SegmentError::Undecodable);
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
        from: Place,
        until: Option<Place>,
        output: &mut [u8],
    ) -> Result<(), SegmentError> {
        let (engine, Work { segments, sequences, .. }) = (self.engine, &mut self.work[0]);
        for (index, chunk) in segments[i].chunks().iter().enumerate().skip(from.chunk) {
            let tokens = &mut self.store[usize::from(chunk.slot.0)][usize::from(chunk.slot.1)];
            let (mut next, mut end) = (chunk.next, usize::from(chunk.len));
            if index == from.chunk && from.token > 0 {
                // Where lanes meet, a literal or a length comes next.
                tokens.entries[..from.token].fill(NOTHING);
                next = 0;
            }
            let is_last = until.is_some_and(|until| until.chunk == index);
            if let Some(until) = until.filter(|_| is_last) {
                end = until.token;
            }
            tokens.entries[end..].fill(END);
            let before = lane.end;
            lane.write(engine, tokens, next, sequences, output).ok_or(SegmentError::Undecodable)?;
            let len = lane.end - before;
            lane.pace.chunk(false, || sequences.wait(len)).ok_or(SegmentError::GivenUp)?;
            if is_last {
                break;
            }
        }
        Ok(())
    }
}
