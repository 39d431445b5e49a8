//! Dispatch of the batch decoder's steps to the implementation of an ISA level.

use super::entry::{Counts, ENTRIES, Sorted};
use super::portable;
use super::tokens::{Cursor, GROUPS, LANES, Sequences, Tables, Tokens};
#[cfg(target_arch = "x86_64")]
use crate::deflate::inflate::simd::{Avx2, Avx512};
use crate::deflate::isa::{BatchIsaLevel, by_isa};

/// The steps of an ISA level that this processor can run.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Isa {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

impl Isa {
    /// The fastest there is, if it is faster than stream by stream.
    pub(crate) fn best() -> Option<Self> {
        Self::of(BatchIsaLevel::Avx512).or_else(|| Self::of(BatchIsaLevel::Avx2))
    }

    /// Returns the token of an ISA level; `None` if this processor can't run it, or for
    /// [`BatchIsaLevel::OneByOne`].
    pub(crate) fn of(isa_level: BatchIsaLevel) -> Option<Self> {
        match isa_level {
            BatchIsaLevel::Portable => Some(Self::Portable),
            #[cfg(target_arch = "x86_64")]
            BatchIsaLevel::Avx2 => Avx2::new().map(Self::Avx2),
            #[cfg(target_arch = "x86_64")]
            BatchIsaLevel::Avx512 => Avx512::new().map(Self::Avx512),
            _ => None,
        }
    }

    pub(crate) fn isa_level(self) -> BatchIsaLevel {
        match self {
            Self::Portable => BatchIsaLevel::Portable,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => BatchIsaLevel::Avx2,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => BatchIsaLevel::Avx512,
        }
    }

    /// Prefetches the start of a stream; its first read waits for memory otherwise.
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables))]
    pub(crate) fn prefetch(self, input: &[u8]) {
        by_isa!(self,
            portable => {},
            avx2 => avx2.prefetch(input),
            avx512 => avx512.avx2().prefetch(input)
        )
    }

    /// Puts the elements of `of` with non-zero `lengths` in the order of these lengths, and counts
    /// them by length.
    pub(crate) fn sort(self, lengths: &[u8], of: &[u16], to: &mut Sorted) -> Counts {
        by_isa!(self,
            portable => portable::sort(lengths, of, to),
            simd => simd.sort(lengths, of, to)
        )
    }

    /// Looks up a chunk's tokens, one lane for each cursor.
    pub(crate) fn decode(self, tables: &Tables, cursors: &mut [Cursor<'_>], tokens: &mut [Tokens; LANES]) {
        by_isa!(self,
            portable => {
                for ((entries, cursor), tokens) in tables.iter().zip(cursors).zip(tokens) {
                    portable::decode(entries, cursor, tokens, GROUPS);
                }
            },
            avx2 => avx2.decode(tables, cursors, tokens),
            avx512 => avx512.avx2().decode(tables, cursors, tokens)
        )
    }

    /// The same for lanes that have their tables in common.
    pub(crate) fn decode_alike(
        self,
        entries: &[u16; ENTRIES],
        cursors: &mut [Cursor<'_>],
        tokens: &mut [Tokens; LANES],
        groups: usize,
    ) {
        by_isa!(self,
            portable => {
                for (cursor, tokens) in cursors.iter_mut().zip(tokens) {
                    portable::decode(entries, cursor, tokens, groups);
                }
            },
            avx2 => avx2.decode_alike(entries, cursors, tokens, groups),
            avx512 => avx512.avx2().decode_alike(entries, cursors, tokens, groups)
        )
    }

    /// Sorts a chunk's tokens by kind. `at_distance` says whether the first one is a distance.
    pub(crate) fn partition(self, tokens: &Tokens, at_distance: bool, to: &mut Sequences) {
        by_isa!(self,
            portable => portable::partition(tokens, at_distance, to),
            simd => simd.partition(tokens, at_distance, to)
        )
    }

    /// Writes a chunk's data to `output` from `at`; matches reach back to `start` at most. Returns
    /// the new end, or `None` if the data does not fit or a distance is invalid.
    pub(crate) fn copy(
        self,
        sequences: &Sequences,
        output: &mut [u8],
        start: usize,
        at: usize,
    ) -> Option<usize> {
        by_isa!(self,
            portable => portable::copy(sequences, (0, 0), output, start, at),
            simd => simd.copy(sequences, output, start, at)
        )
    }
}

#[cfg(test)]
mod tests;
