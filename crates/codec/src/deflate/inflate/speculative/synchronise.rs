//! Synchronisation of a lane with the next one.

use super::segment::{Segment, Store, tokens};
use crate::deflate::inflate::batch::entry::{CONSUMED, NEXT_TABLE, is_stop};

/// A token of a segment: its chunk, and its place there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TokenPosition {
    pub(crate) chunk: usize,
    pub(crate) token: usize,
}

/// Tokens that are passed over at once. Their bits fit 16 bits.
const SOME: usize = 16;

/// Goes through a segment's tokens.
struct TokenCursor<'a> {
    segment: &'a Segment,
    store: &'a Store,
    /// Those of its chunk.
    entries: &'a [u16],
    place: TokenPosition,
    /// The bit that the token starts at, and the offset of the table that it is from.
    at: usize,
    next: u16,
}

impl<'a> TokenCursor<'a> {
    fn new(segment: &'a Segment, store: &'a Store, chunk: usize) -> Option<Self> {
        let first = segment.chunks().get(chunk)?;
        let entries = &tokens(store, first).entries[..usize::from(first.len)];
        Some(Self {
            segment,
            store,
            entries,
            place: TokenPosition { chunk, token: 0 },
            at: first.at,
            next: first.next,
        })
    }

    /// Goes on within the chunk, to a token that starts before bit `at`.
    fn skip(&mut self, at: usize) {
        while let Some(some) = self.entries.get(self.place.token..self.place.token + SOME) {
            let consumed: u16 = some.iter().map(|entry| entry & CONSUMED).sum();
            if self.at + usize::from(consumed) >= at {
                return;
            }
            self.at += usize::from(consumed);
            self.next = some[SOME - 1] & NEXT_TABLE;
            self.place.token += SOME;
        }
    }

    /// Goes on to the next token; `None` if there is none.
    #[inline]
    fn step(&mut self) -> Option<()> {
        let entry = *self.entries.get(self.place.token)?;
        if is_stop(entry) {
            return None;
        }
        self.at += usize::from(entry & CONSUMED);
        self.next = entry & NEXT_TABLE;
        self.place.token += 1;
        if self.place.token == self.entries.len() {
            *self = Self::new(self.segment, self.store, self.place.chunk + 1)?;
        }
        Some(())
    }
}

/// Result of comparing two lanes.
pub(crate) enum Meeting {
    /// The first token that both have, by its position in each: a literal or length at the same
    /// bit.
    At(TokenPosition, TokenPosition),
    /// The first has to go on to meet the second.
    Further,
    /// They don't meet.
    Never,
}

/// Looks for the first token of `here`, from `from` on, that `there` has too.
pub(crate) fn synchronise(store: &Store, here: &Segment, from: TokenPosition, there: &Segment) -> Meeting {
    let further = if here.is_stopped || here.at > there.at { Meeting::Never } else { Meeting::Further };
    if here.at < there.start {
        return further;
    }
    meet(store, here, from, there).map_or(further, |(here, there)| Meeting::At(here, there))
}

fn meet(
    store: &Store,
    here: &Segment,
    from: TokenPosition,
    there: &Segment,
) -> Option<(TokenPosition, TokenPosition)> {
    // The chunk in which the first lane comes to the second's segment.
    let reach = here.chunks().iter().rposition(|chunk| chunk.at <= there.start)?;
    let mut here = TokenCursor::new(here, store, reach.max(from.chunk))?;
    while here.place < from {
        here.step()?;
    }
    here.skip(there.start);
    let mut there = TokenCursor::new(there, store, 0)?;
    loop {
        if there.at < here.at {
            there.step()?;
        } else if here.at < there.at || here.next != 0 || there.next != 0 {
            here.step()?;
        } else {
            return Some((here.place, there.place));
        }
    }
}
