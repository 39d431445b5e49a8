//! Steps of the batch decoder for x86-64: with AVX2, and with AVX-512 where that is faster: the
//! token partition, sorting symbols, and copying near matches. All `unsafe` of the batch decoder is
//! here.

#![allow(unsafe_code)]
#![cfg(target_arch = "x86_64")]

mod avx2;
mod avx512;
pub(crate) mod barrier;
pub(crate) mod copy;
mod decode;
mod sort;

use crate::deflate::isa;
use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};

use crate::deflate::inflate::batch::entry::{Counts, ENTRIES, Sorted};
use crate::deflate::inflate::batch::tokens::{Cursor, LANES, Sequences, Tables, Tokens};

/// Proof that the processor has AVX2 and the bit instructions that the steps need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

impl Avx2 {
    pub(crate) fn new() -> Option<Self> {
        isa::has_avx2().then_some(Self(()))
    }

    /// Has the start of `input` brought in, for when it is needed.
    pub(crate) fn prefetch(self, input: &[u8]) {
        for line in input.chunks(64).take(4) {
            // SAFETY: SSE is part of x86-64, and a prefetch of readable bytes has no other effect.
            unsafe { _mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast()) };
        }
    }

    /// As `portable::sort`.
    pub(crate) fn sort(self, lengths: &[u8], of: &[u16], to: &mut Sorted) -> Counts {
        sort::sort_avx2(lengths, of, to)
    }

    /// Looks up a chunk's tokens, one lane for each cursor.
    pub(crate) fn decode(self, tables: &Tables, cursors: &mut [Cursor<'_>], tokens: &mut [Tokens; LANES]) {
        decode::decode(self, tables, cursors, tokens);
    }

    /// The same for lanes that have their tables in common.
    pub(crate) fn decode_alike(
        self,
        entries: &[u16; ENTRIES],
        cursors: &mut [Cursor<'_>],
        tokens: &mut [Tokens; LANES],
        groups: usize,
    ) {
        decode::decode_alike(self, entries, cursors, tokens, groups);
    }

    /// As `portable::partition`.
    pub(crate) fn partition(self, tokens: &Tokens, at_distance: bool, to: &mut Sequences) {
        // SAFETY: the value proves that the features are there.
        unsafe { avx2::partition(tokens, at_distance, to) }
    }

    /// As `portable::copy` of all.
    pub(crate) fn copy(
        self,
        sequences: &Sequences,
        output: &mut [u8],
        start: usize,
        at: usize,
    ) -> Option<usize> {
        // SAFETY: the value proves that the features are there.
        unsafe { copy::copy(sequences, output, start, at) }
    }
}

/// Proof that the processor has AVX-512 too. Steps that are no faster with it use AVX2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512(Avx2);

impl Avx512 {
    pub(crate) fn new() -> Option<Self> {
        Avx2::new().filter(|_| isa::has_avx512_for_decoding()).map(Self)
    }

    /// Returns the proof of AVX2.
    pub(crate) fn avx2(self) -> Avx2 {
        self.0
    }

    /// As `portable::sort`.
    pub(crate) fn sort(self, lengths: &[u8], of: &[u16], to: &mut Sorted) -> Counts {
        // SAFETY: the value proves that the features are there.
        unsafe { sort::sort_avx512(lengths, of, to) }
    }

    /// As `portable::partition`.
    pub(crate) fn partition(self, tokens: &Tokens, at_distance: bool, to: &mut Sequences) {
        // SAFETY: the value proves that the features are there.
        unsafe { avx512::partition(tokens, at_distance, to) }
    }
    /// As `portable::copy` of all.
    pub(crate) fn copy(
        self,
        sequences: &Sequences,
        output: &mut [u8],
        start: usize,
        at: usize,
    ) -> Option<usize> {
        match sequences.are_near() {
            // SAFETY: the value proves that the features are there.
            true => unsafe { avx512::copy_near(sequences, output, start, at) },
            false => self.0.copy(sequences, output, start, at),
        }
    }
}
