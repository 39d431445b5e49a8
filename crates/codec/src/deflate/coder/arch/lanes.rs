//! The walks of `quick::walk`, thirty-two lanes at once: positions and what is found there are in vectors, but bytes are compared
//! one candidate after the other, 32 at a time. Gathers of so many would take longer.

use std::arch::x86_64::*;

use super::chosen::{Chosen, Look, choose};
use crate::deflate::coder::follow::common;
use crate::deflate::coder::quick::{
    BACK, CHUNK, COMPARED, Chains, GROUP, LOOKS, MARGIN, PASSED, Parts, Quick, Row,
};
use crate::deflate::coder::symbols::{MAX_MATCH, WINDOW};

/// Where the lanes of a vector are, from the start of the chunk.
#[derive(Clone, Copy)]
struct Lanes {
    at: __m512i,
    end: __m512i,
    /// The first position with a candidate, or where the step ends without.
    first: __m512i,
}

/// What a vector's lanes compare.
#[derive(Clone, Copy)]
struct Compared<const DEPTH: usize> {
    first: Row,
    /// By look and candidate: what the look's position is compared with.
    candidates: [[Row; DEPTH]; LOOKS],
    /// Which of the bytes from `BACK` before it on differ.
    differ: [[Row; DEPTH]; LOOKS],
}

const ZEROS: Row = Row([0; GROUP]);

#[inline]
#[target_feature(enable = "avx512f")]
fn set(value: i32) -> __m512i {
    _mm512_set1_epi32(value)
}

impl Row {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load(&self) -> __m512i {
        // SAFETY: a row has 64 bytes, and its alignment.
        unsafe { _mm512_load_si512(self.0.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn store(&mut self, vector: __m512i) {
        // SAFETY: as above.
        unsafe { _mm512_store_si512(self.0.as_mut_ptr().cast(), vector) }
    }
}

/// The walks of all lanes, of which each step goes into the rows: how many literals, from bit 3 the length of what follows them, from
/// bit 12 its distance less one. A length of 1 is a literal's, and a lane that is at its end has steps of no length.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn walk<const DEPTH: usize>(quick: &mut Quick, buffer: &[u8], parts: &Parts) {
    let Quick { chains, rows, .. } = quick;
    let (start, end) = (parts.range.start, parts.range.end);
    if start == end {
        return;
    }
    assert!(start >= BACK && end + MARGIN <= buffer.len());
    assert!(chains.chunk <= start && start <= end && end <= chains.chunk + CHUNK);
    assert!(rows.len() >= parts.groups * parts.len && (1..=Parts::GROUPS).contains(&parts.groups));
    let relative = |position: usize| (position - chains.chunk) as i32;
    let mut of = [Lanes { at: set(0), end: set(0), first: set(0) }; Parts::GROUPS];
    let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (group, of) in of.iter_mut().enumerate() {
        let number = _mm512_add_epi32(lanes, set((group * GROUP) as i32));
        let at = _mm512_mullo_epi32(number, set(parts.len as i32));
        let at = _mm512_add_epi32(at, set(relative(start)));
        of.at = _mm512_min_epu32(at, set(relative(end)));
        of.end = _mm512_min_epu32(_mm512_add_epi32(at, set(parts.len as i32)), set(relative(end)));
    }
    let of = &mut of[..parts.groups];
    let mut compared =
        [Compared::<DEPTH> { first: ZEROS, candidates: [[ZEROS; DEPTH]; LOOKS], differ: [[ZEROS; DEPTH]; LOOKS] };
            Parts::GROUPS];
    for rows in rows.chunks_exact_mut(parts.groups) {
        // One vector's lanes after the other in each part of a step, so that none waits for what another has just written.
        let mut is_going = 0;
        for (of, compared) in of.iter_mut().zip(&mut compared) {
            is_going |= _mm512_cmplt_epu32_mask(of.at, of.end);
            // SAFETY: lanes are in the chunk, whose distances and bits were checked to exist.
            unsafe { find(chains, of, compared) };
        }
        if is_going == 0 {
            break;
        }
        for compared in &mut compared[..of.len()] {
            // SAFETY: positions are at most the end, which `MARGIN` bytes follow; candidates are before them, and not below
            // `BACK`.
            unsafe { compare(buffer.as_ptr().add(chains.chunk), compared) };
        }
        for ((of, compared), row) in of.iter_mut().zip(&compared).zip(rows) {
            row.store(step(buffer, chains.chunk, of, compared));
        }
    }
}

/// Looks for positions with candidates, and for these.
///
/// # Safety
/// The processor has the features, and lanes are in the chunk.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn find<const DEPTH: usize>(chains: &Chains, of: &mut Lanes, to: &mut Compared<DEPTH>) {
    assert!(chains.distances.len() >= WINDOW + CHUNK + 4 && chains.found.len() >= CHUNK / 8 + 4);
    // No candidate is below: the bytes before it exist, and so does its own distance.
    let least = set(BACK as i32 - chains.chunk.min(WINDOW + BACK) as i32);
    let window = set(chains.window as i32);
    // SAFETY: positions of lanes are at most CHUNK, so of bits and distances there are four bytes from each on. Those of candidates
    // are from -WINDOW on, where distances start.
    unsafe {
        let distances = chains.distances.as_ptr().add(WINDOW);
        let distance_at = |at: __m512i| {
            _mm512_and_si512(_mm512_i32gather_epi32::<2>(at, distances.cast()), set(0xffff))
        };
        let bits = _mm512_i32gather_epi32::<1>(_mm512_srli_epi32::<3>(of.at), chains.found.as_ptr().cast());
        let bits = _mm512_srlv_epi32(bits, _mm512_and_si512(of.at, set(7)));
        let bits = _mm512_or_si512(bits, set(1 << PASSED));
        let passed = _mm512_popcnt_epi32(_mm512_andnot_si512(bits, _mm512_add_epi32(bits, set(-1))));
        of.first = _mm512_min_epu32(_mm512_add_epi32(of.at, passed), of.end);
        to.first.store(of.first);
        // The distances of two neighbours at once.
        // The distances of two neighbours at once.
        let pair = _mm512_i32gather_epi32::<2>(of.first, distances.cast());
        let third = distance_at(_mm512_add_epi32(of.first, set(2)));
        let nearest = [_mm512_and_si512(pair, set(0xffff)), _mm512_srli_epi32::<16>(pair), third];
        for (look, (candidates, nearest)) in to.candidates.iter_mut().zip(nearest).enumerate() {
            let at = _mm512_add_epi32(of.first, set(look as i32));
            let mut candidate = _mm512_max_epi32(_mm512_sub_epi32(at, nearest), least);
            candidates[0].store(candidate);
            for row in &mut candidates[1..] {
                let next = _mm512_max_epi32(_mm512_sub_epi32(candidate, distance_at(candidate)), least);
                let is_near = _mm512_cmple_epu32_mask(_mm512_sub_epi32(at, next), window);
                candidate = _mm512_mask_mov_epi32(candidate, is_near, next);
                row.store(candidate);
            }
        }
    }
}

/// Compares bytes from `BACK` before positions on.
///
/// # Safety
/// The processor has the features; from `BACK` before all positions and candidates on, `COMPARED` bytes may be read.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn compare<const DEPTH: usize>(chunk: *const u8, of: &mut Compared<DEPTH>) {
    const { assert!(COMPARED == 32) };
    for lane in 0..GROUP {
        // SAFETY: see above. Volatile, as the compiler would otherwise take elements from vectors, and put vectors together of
        // elements, each of which takes longer than a store and a load.
        unsafe {
            let first = (&raw const of.first.0[lane]).read_volatile() as usize;
            for look in 0..LOOKS {
                let here = _mm256_loadu_si256(chunk.add(first + look - BACK).cast());
                for way in 0..DEPTH {
                    let candidate = (&raw const of.candidates[look][way].0[lane]).read_volatile() as i32;
                    let there = _mm256_loadu_si256(chunk.offset(candidate as isize - BACK as isize).cast());
                    let differ = _mm256_cmpneq_epi8_mask(here, there);
                    (&raw mut of.differ[look][way].0[lane]).write_volatile(differ);
                }
            }
        }
    }
}

/// Chooses what lanes step on, takes the steps, and returns their row.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
fn step<const DEPTH: usize>(buffer: &[u8], chunk: usize, of: &mut Lanes, compared: &Compared<DEPTH>) -> __m512i {
    let mut looks = [None; LOOKS];
    for (number, look) in looks.iter_mut().enumerate() {
        let at = _mm512_add_epi32(of.first, set(number as i32));
        let is_inside = _mm512_cmplt_epu32_mask(at, of.end);
        for (candidate, differ) in compared.candidates[number].iter().zip(&compared.differ[number]) {
            let found = Look::of(differ.load(), candidate.load(), at, of.at, is_inside);
            *look = Some(look.map_or(found, |best: Look| best.or(found, 0)));
        }
    }
    let Chosen { is_match, start, mut len, distance } =
        choose(looks.map(|look| look.expect("there is a candidate for each look")), of.end);
    let is_long = _mm512_mask_cmpge_epu32_mask(is_match, len, set((COMPARED - BACK) as i32));
    if is_long != 0 {
        len = follow(buffer, chunk, is_long, start, len, distance);
    }
    let start = _mm512_mask_mov_epi32(of.first, is_match, start);
    len = _mm512_mask_mov_epi32(set(1), is_match, len);
    len = _mm512_min_epu32(len, _mm512_sub_epi32(of.end, start));
    let literals = _mm512_sub_epi32(start, of.at);
    of.at = _mm512_add_epi32(start, len);
    let less = _mm512_sub_epi32(distance, set(1));
    let row = _mm512_or_si512(literals, _mm512_slli_epi32::<3>(len));
    _mm512_or_si512(row, _mm512_slli_epi32::<12>(less))
}

/// The lengths of matches that do not end where they were compared.
#[cold]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
fn follow(
    buffer: &[u8],
    chunk: usize,
    is_long: __mmask16,
    start: __m512i,
    len: __m512i,
    distance: __m512i,
) -> __m512i {
    let [mut starts, mut lens, mut distances] = [ZEROS; 3];
    starts.store(start);
    lens.store(len);
    distances.store(distance);
    for lane in (0..GROUP).filter(|lane| is_long >> lane & 1 == 1) {
        let start = chunk + starts.0[lane] as usize;
        let limit = MAX_MATCH.min(buffer.len() - start);
        lens.0[lane] = common(buffer, start - distances.0[lane] as usize, start, limit) as u32;
    }
    lens.load()
}

