//! A round: as many segments as there are lanes.

use std::array;
use std::ops::ControlFlow;

use super::segment::Segment;
use super::{CHUNKS, SpeculativeError, SpeculativeInflater};
use crate::deflate::inflate::batch::lane::Lane;
use crate::deflate::inflate::batch::tokens::{Cursor, GROUP, GROUPS, LANES};

/// Look-ups that a segment is meant to commit. A synchronise costs as much as a hundred look-ups or two, by what shorter segments cost; the end of a block costs those of two
/// segments, as a mean. Measured: with 500 a tenth slower, with 900 as fast, with 1,800 the same for long blocks and slower for
/// those of 3,000 symbols.
const LOOK_UPS: usize = 1200;

/// Look-ups that a lane makes in the next segment before its synchronise is looked for. It takes 15 as a mean; those lanes for which these
/// do not do go on alone.
const BEYOND: usize = 24;

/// Bytes of a segment at least: some 300 look-ups.
const MIN_SEGMENT_BYTES: usize = 256;

/// Segments of a block at least, if it is as long as the one before it.
const MIN_SEGMENTS: usize = 5;

/// Bytes of a block below which it is decoded by one lane: two segments.
const MIN_BLOCK_BYTES: usize = 2 * MIN_SEGMENT_BYTES;

/// Groups of look-ups that are made beside those that a lane probably needs, and that are made at least.
const SPARE_GROUPS: usize = 4;
const MIN_GROUPS: usize = 8;

/// The lanes that are next to make look-ups, and how many the slowest probably needs.
struct Turn {
    lanes: [usize; LANES],
    count: usize,
    look_ups: usize,
}

impl SpeculativeInflater {
    /// Decodes five segments from where `lane` is, or up to the block's end, which it says by `Break`. The block's symbols begin in
    /// byte `block`.
    pub(crate) fn round(
        &mut self,
        lane: &mut Lane<'_>,
        block: usize,
        output: &mut [u8],
    ) -> Result<ControlFlow<()>, SpeculativeError> {
        let left = lane.input.len().saturating_sub(lane.at / 8);
        let wanted = LOOK_UPS * self.density / 16 / 8;
        // The block is taken to be as long as the one before it, or as what is known of it.
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
            // Fixed codes have a word of seven bits for the end of the block. Over the 15 to 20 symbols until it is in step, one
            // lane in seven should come to it by mistake: 20 / 128.
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

    /// The lanes that have not come to where they are to end; none once the first has met a stop, which is nearly always the end
    /// of the block. The last lane, whose end is no one's beginning, goes on as long as another does.
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
