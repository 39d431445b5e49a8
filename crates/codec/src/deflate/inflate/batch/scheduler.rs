//! Lane scheduling: gives the lanes of a batch to its streams.

use std::array;

use super::dispatch::Isa;
use super::lane::{Lane, Step};
use super::stream::{Stream, open};
use super::tokens::{Cursor, LANES};
use super::{BatchInflater, MIN_LANES, State};
use crate::deflate::{gzip, zlib};
use crate::{Format, Progress};

/// When few lanes are busy, a stream that is not farther than one part in this many is restarted by
/// [`crate::Decoder`]: a lane alone is slower than libdeflate, and the lost work is small.
const EARLY: usize = 8;

impl BatchInflater {
    /// Decodes the streams of `order` in lanes.
    pub(crate) fn lanes(&mut self, isa: Isa, streams: &mut [Stream<'_>]) {
        // The longest first, so that lanes run out of work at the same time; from the back.
        self.order.sort_by_key(|&index| streams[index].input.len());
        let state = &mut *self.state;
        let mut active: Vec<(usize, Lane<'_>)> = Vec::with_capacity(LANES);
        loop {
            while active.len() < LANES
                && let Some(index) = self.order.pop()
            {
                let slot = active.len();
                if let Some(&next) = self.order.last() {
                    isa.prefetch(streams[next].input);
                }
                let stream = &mut streams[index];
                let turn = open(stream, 0, 0).and_then(|mut lane| {
                    let turn = state.enter(isa, slot, &mut lane, stream)?;
                    Some((lane, turn))
                });
                match turn {
                    Some((lane, Turn::Goes)) => active.push((index, lane)),
                    Some((_, Turn::Done(progress))) => stream.done(progress),
                    None => self.last.decode(stream),
                }
            }
            if !self.is_forced && self.order.is_empty() && active.len() < MIN_LANES {
                for slot in (0..active.len()).rev() {
                    let (index, lane) = &active[slot];
                    if lane.at / 8 < lane.input.len() / EARLY {
                        self.decoder.decode(&mut streams[*index]);
                        state.leave(&mut active, slot);
                    }
                }
            }
            if active.is_empty() {
                return;
            }
            let mut tails = state.tails.iter_mut();
            let mut cursors: [Cursor<'_>; LANES] =
                array::from_fn(|slot| match (active.get(slot), tails.next()) {
                    (Some((_, lane)), Some(tail)) => lane.cursor(tail),
                    _ => Cursor { input: &[], at: 0, next: 0 },
                });
            isa.decode(&state.tables, &mut cursors[..active.len()], &mut state.tokens);
            let ends = cursors.map(|cursor| (cursor.at, cursor.next));
            // From the back, so that a lane that takes a removed one's place has had its turn.
            for slot in (0..active.len()).rev() {
                let (index, lane) = &mut active[slot];
                let stream = &mut streams[*index];
                let (tokens, codes) = (&state.tokens[slot], &state.codes[slot]);
                let step = lane.take(isa, ends[slot], tokens, &mut state.sequences, codes, stream.output);
                let turn = match step {
                    Some(Step::Symbols) => Some(Turn::Goes),
                    Some(Step::End) => state.enter(isa, slot, lane, stream),
                    None => None,
                };
                match turn {
                    Some(Turn::Goes) => continue,
                    Some(Turn::Done(progress)) => stream.done(progress),
                    None => self.last.decode(stream),
                }
                state.leave(&mut active, slot);
            }
        }
    }
}

/// Result of a lane's turn.
enum Turn {
    Goes,
    Done(Progress),
}

impl State {
    /// Moves a lane to its next symbols, over the ends of members and the starts of others.
    fn enter<'a>(
        &mut self,
        isa: Isa,
        slot: usize,
        lane: &mut Lane<'a>,
        stream: &mut Stream<'a>,
    ) -> Option<Turn> {
        let (entries, codes) = (&mut self.tables[slot], &mut self.codes[slot]);
        loop {
            if let Step::Symbols = lane.enter(isa, entries, codes, &mut self.lengths, stream.output)? {
                return Some(Turn::Goes);
            }
            let (input, end) = (lane.input, lane.at.div_ceil(8));
            let checksum = lane.checksum.finish(stream.output, lane.end);
            let consumed = match stream.format {
                Format::Zlib => zlib::check_checksum(input, end, checksum),
                Format::Gzip => gzip::check_checksum(input, end, checksum, lane.end - lane.start),
                _ => Ok(end),
            };
            let consumed = consumed.ok()?;
            if stream.format != Format::Gzip || !gzip::is_member(&input[consumed..]) {
                return Some(Turn::Done(Progress { consumed, produced: lane.end }));
            }
            let eviction = lane.eviction;
            *lane = open(stream, consumed, lane.end)?;
            lane.eviction = eviction;
        }
    }
    /// Takes a lane from the active ones; the last takes its place.
    fn leave(&mut self, active: &mut Vec<(usize, Lane<'_>)>, slot: usize) {
        active.swap_remove(slot);
        let last = active.len();
        if slot < last {
            self.tables[slot] = self.tables[last];
            self.codes.swap(slot, last);
            // The codes swapped here belong to the lane that left; the tables were copied.
            self.codes[last].forget();
        }
    }
}
