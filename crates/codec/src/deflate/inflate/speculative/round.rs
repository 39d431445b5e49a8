//! A round: one segment for each lane.

use std::array;
use std::ops::ControlFlow;

use super::segment::Segment;
use super::{CHUNKS, SpeculativeError, SpeculativeInflater};
use crate::deflate::inflate::batch::lane::Lane;
use crate::deflate::inflate::batch::tokens::{Cursor, GROUP, GROUPS, LANES};

/// Target number of look-ups of a segment. In shorter segments, meeting the next lane weighs more;
/// in longer ones, the work beyond the end of a block.
const LOOK_UPS: usize = 1200;

/// Look-ups that a lane makes in the next segment before a meeting is looked for: more than the
/// mean that it takes. Lanes that need more go on alone.
const BEYOND: usize = 24;

/// Bytes of a segment at least: some 300 look-ups.
const MIN_SEGMENT_BYTES: usize = 256;

/// Segments of a block at least, if it is as long as the one before it.
const MIN_SEGMENTS: usize = 5;

/// Bytes of a block below which it is decoded by one lane: two segments.
const MIN_BLOCK_BYTES: usize = 2 * MIN_SEGMENT_BYTES;

/// Groups of look-ups on top of the expected need of a lane, and their minimum number.
const SPARE_GROUPS: usize = 4;
const MIN_GROUPS: usize = 8;

/// Lanes that make look-ups next, and the expected need of the slowest.
struct Turn {
    lanes: [usize; LANES],
    count: usize,
    look_ups: usize,
}

impl SpeculativeInflater {
    /// Decodes one segment for each lane from the position of `lane`, or up to the block's end,
    /// which it reports as `Break`. The block's symbols begin in byte `block`.
    pub(crate) fn round(
        &mut self,
        lane: &mut Lane<'_>,
        block: usize,
        output: &mut [u8],
    ) -> Result<ControlFlow<()>, SpeculativeError> {
        let left = lane.input.len().saturating_sub(lane.at / 8);
        let wanted = LOOK_UPS * self.density / 16 / 8;
        // The expected length of the block is that of the one before, or the known part of this
        // one.
        let likely = self.last_block.max(lane.at / 8 - block);
        let (stride, count) = if likely < MIN_BLOCK_BYTES {
            (MIN_SEGMENT_BYTES.min(likely + 1), 1)
        } else {
            let stride = (left / LANES).min(wanted).min(likely / MIN_SEGMENTS).max(MIN_SEGMENT_BYTES);
            (stride, (left / stride).clamp(1, LANES))
        };
        for (i, segment) in self.work[0].segments.iter_mut().enumerate() {
            match i {
                0 => segment.begin(lane.at, lane.next),
                _ => segment.begin((lane.at / 8 + i * stride) * 8, 0),
            }
        }
        let mut chunk = 0;
        // Some are left for lanes that have not met.
        while chunk < CHUNKS - LANES
            && let Some(turn) = self.unfinished(count, stride, lane.input.len())
        {
            let groups = (turn.look_ups / GROUP + SPARE_GROUPS).clamp(MIN_GROUPS, GROUPS);
            self.look_up(lane.input, &turn.lanes[..turn.count], chunk, groups);
            chunk += 1;
            // Fixed codes have a short codeword for the end of the block, which a lane often meets
            // by mistake before it is synchronised.
            for segment in &mut self.work[0].segments[1..count] {
                if segment.has_gone_astray(&self.store) {
                    segment.begin(segment.at / 8 * 8 + 8, 0);
                }
            }
        }
        let first = &self.work[0].segments[0];
        if !first.is_stopped {
            self.density = (16 * (first.at - first.start) / first.look_ups).clamp(16, 16 * 16);
        }
        self.commit(lane, output, count, chunk)
    }

    /// Returns the lanes that have not reached their end; none once the first has met a stop, which
    /// is nearly always the end of the block. The last lane has no such end, and goes on as long as
    /// another does.
    fn unfinished(&self, count: usize, stride: usize, input: usize) -> Option<Turn> {
        let (segments, last) = (&self.work[0].segments[..count], count - 1);
        let beyond = BEYOND * self.density / 16;
        let goes = |segment: &Segment| !segment.is_stopped && segment.at <= 8 * input;
        let mut turn = Turn { lanes: [0; LANES], count: 0, look_ups: 0 };
        for (i, segment) in segments.iter().enumerate().filter(|&(_, segment)| goes(segment)) {
            let end = match segments.get(i + 1) {
                Some(next) => next.start + beyond,
                None if i == 0 => segment.start + 8 * stride,
                None => segment.start,
            };
            if segment.at < end || (i == last && turn.count > 0) {
                turn.look_ups = turn.look_ups.max(segment.look_ups_to(end, self.density));
                turn.lanes[turn.count] = i;
                turn.count += 1;
            }
        }
        (turn.count > 0 && !segments[0].is_stopped).then_some(turn)
    }

    /// Makes look-ups for some lanes.
    pub(crate) fn look_up(&mut self, input: &[u8], slots: &[usize], chunk: usize, groups: usize) {
        let segments = &mut self.work[0].segments;
        let mut tails = self.tails.iter_mut();
        let mut cursors: [Cursor<'_>; LANES] = array::from_fn(|slot| match (slots.get(slot), tails.next()) {
            (Some(&of), Some(tail)) => {
                let segment = &segments[of];
                Cursor::new(input, segment.at, segment.next, tail)
            }
            _ => Cursor { input: &[], at: 0, next: 0 },
        });
        let cursors = &mut cursors[..slots.len()];
        self.isa.decode_alike(&self.entries[0], cursors, &mut self.store[chunk], groups);
        for (slot, (cursor, &of)) in cursors.iter().zip(slots).enumerate() {
            segments[of].took(&self.store, (chunk, slot), groups * GROUP, cursor);
        }
    }
}
