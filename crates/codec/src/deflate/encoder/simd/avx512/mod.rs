//! Encoder with AVX-512, from Ice Lake and Zen 4 on: vectors of sixteen elements, mask registers.

mod chains;
mod near_optimal;
mod tokens;

pub(crate) use chains::insert_range;
pub(crate) use near_optimal::search;
pub(crate) use tokens::emit;

use std::arch::x86_64::*;

use super::vector::{self, Simd, Vector};
use crate::deflate::encoder::match_finder::GROUP;
use crate::deflate::encoder::parser::greedy::Row;
use crate::deflate::isa;

/// Proof that the processor has the AVX-512 extensions that the encoder needs, and AVX2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512(());

impl Avx512 {
    pub(crate) fn new() -> Option<Self> {
        isa::has_avx512_for_encoding().then_some(Self(()))
    }
}

/// Vector of sixteen elements.
#[derive(Clone, Copy)]
pub(crate) struct U32x16(__m512i);

impl vector::Array for Row {
    const ZEROS: Self = Self([0; GROUP]);

    #[inline(always)]
    fn elements(&self) -> &[u32] {
        &self.0
    }

    #[inline(always)]
    fn elements_mut(&mut self) -> &mut [u32] {
        &mut self.0
    }
}

/// Indices of the four bytes at each position of a group.
const WINDOWS: [u8; 4 * GROUP] = {
    let mut places = [0; 4 * GROUP];
    let mut i = 0;
    while i < places.len() {
        places[i] = (i / 4 + i % 4) as u8;
        i += 1;
    }
    places
};

/// The first elements of two vectors in turns.
const PAIRS: [u32; GROUP] = [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23];

// SAFETY of all blocks: a value of the type, or a vector, proves that the features are there, and
// callers that pass pointers have made sure of the memory.
impl Simd for Avx512 {
    type Vector = U32x16;
    type Array = Row;
    type Bytes = __m512i;
    type Narrow = __m256i;

    const LOADED: usize = 32;

    #[inline(always)]
    fn splat(self, value: i32) -> U32x16 {
        // SAFETY: see above.
        U32x16(unsafe { _mm512_set1_epi32(value) })
    }

    #[inline(always)]
    fn get(self, array: &Row) -> U32x16 {
        // SAFETY: a row has 64 bytes, and their alignment.
        U32x16(unsafe { _mm512_load_si512(array.0.as_ptr().cast()) })
    }

    #[inline(always)]
    fn set(self, array: &mut Row, vector: U32x16) {
        // SAFETY: as in `get`.
        unsafe { _mm512_store_si512(array.0.as_mut_ptr().cast(), vector.0) }
    }

    #[inline(always)]
    unsafe fn load(self, from: *const u32) -> U32x16 {
        // SAFETY: see above.
        U32x16(unsafe { _mm512_loadu_si512(from.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, vector: U32x16, to: *mut u32) {
        // SAFETY: see above.
        unsafe { _mm512_storeu_si512(to.cast(), vector.0) }
    }

    #[inline(always)]
    unsafe fn load_u8(self, from: *const u8) -> U32x16 {
        // SAFETY: see above.
        U32x16(unsafe { _mm512_cvtepu8_epi32(_mm_loadu_si128(from.cast())) })
    }

    #[inline(always)]
    unsafe fn gather<const SCALE: i32>(self, base: *const u8, offsets: U32x16) -> U32x16 {
        // SAFETY: see above.
        U32x16(unsafe { _mm512_i32gather_epi32::<SCALE>(offsets.0, base.cast()) })
    }

    #[inline(always)]
    fn look_up(self, table: &[u32; 32], index: U32x16) -> U32x16 {
        // SAFETY: the table has two vectors.
        unsafe {
            let (low, high) = (self.load(table.as_ptr()), self.load(table.as_ptr().add(GROUP)));
            U32x16(_mm512_permutex2var_epi32(low.0, index.0, high.0))
        }
    }

    #[inline(always)]
    unsafe fn load_bytes(self, from: *const u8) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_broadcast_i64x4(_mm256_loadu_si256(from.cast())) }
    }

    #[inline(always)]
    fn four_at_each(self, bytes: __m512i, by: u8) -> U32x16 {
        // SAFETY: there are 64 indices.
        unsafe {
            let windows = _mm512_loadu_si512(WINDOWS.as_ptr().cast());
            let windows = _mm512_add_epi8(windows, _mm512_set1_epi8(by as i8));
            U32x16(_mm512_permutexvar_epi8(windows, bytes))
        }
    }

    #[inline(always)]
    unsafe fn equal_bytes(self, a: *const u8, b: *const u8) -> u32 {
        // SAFETY: see above.
        unsafe { _mm256_cmpeq_epi8_mask(_mm256_loadu_si256(a.cast()), _mm256_loadu_si256(b.cast())) }
    }

    #[inline(always)]
    unsafe fn load_narrow(self, from: *const u16) -> __m256i {
        // SAFETY: see above.
        unsafe { _mm256_loadu_si256(from.cast()) }
    }

    #[inline(always)]
    fn select_narrow(self, mask: __mmask16, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: see above.
        unsafe { _mm256_mask_mov_epi16(b, mask, a) }
    }

    #[inline(always)]
    fn widen(self, narrow: __m256i) -> U32x16 {
        // SAFETY: see above.
        U32x16(unsafe { _mm512_cvtepu16_epi32(narrow) })
    }

    #[inline(always)]
    unsafe fn store_narrow(self, vector: U32x16, to: *mut u16) {
        // SAFETY: see above.
        unsafe { _mm256_storeu_si256(to.cast(), _mm512_cvtepi32_epi16(vector.0)) }
    }

    #[inline(always)]
    fn store_group(self, [all, _]: [U32x16; 2], to: &mut [u16; GROUP]) {
        // SAFETY: a group has 32 bytes.
        unsafe { self.store_narrow(all, to.as_mut_ptr()) }
    }

    #[inline(always)]
    unsafe fn store_pairs(self, first: U32x16, second: U32x16, to: *mut u32) {
        // SAFETY: there are 64 bytes of indices; see above.
        unsafe {
            let pairs = self.load(PAIRS.as_ptr());
            let pairs = _mm512_permutex2var_epi32(first.0, pairs.0, second.0);
            self.store(U32x16(pairs), to);
        }
    }

    #[inline(always)]
    fn compress(self, vector: U32x16, mask: __mmask16) -> U32x16 {
        // SAFETY: see above.
        U32x16(unsafe { _mm512_maskz_compress_epi32(mask, vector.0) })
    }

    #[inline(always)]
    fn non_zeros(self, elements: &[u16; 32]) -> u32 {
        // SAFETY: there are 64 bytes.
        unsafe {
            let elements = _mm512_loadu_si512(elements.as_ptr().cast());
            _mm512_test_epi16_mask(elements, elements)
        }
    }
}

vector::binary!(U32x16: Add add _mm512_add_epi32, Sub sub _mm512_sub_epi32, Mul mul _mm512_mullo_epi32,
    BitAnd bitand _mm512_and_si512, BitOr bitor _mm512_or_si512);

impl Vector for U32x16 {
    type Mask = __mmask16;

    const LANES: usize = GROUP;
    const LOG2_BIAS: i32 = 0;
    const LOW_ONES_BIAS: i32 = 0;

    vector::binary!(min_u32 _mm512_min_epu32, max_i32 _mm512_max_epi32, max_u32 _mm512_max_epu32,
        mul_u16 _mm512_mullo_epi16, shr_each _mm512_srlv_epi32);

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_andnot_si512(other.0, self.0) })
    }

    #[inline(always)]
    fn shl(self, bits: u32) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_sll_epi32(self.0, _mm_cvtsi32_si128(bits as i32)) })
    }

    #[inline(always)]
    fn shr(self, bits: u32) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_srl_epi32(self.0, _mm_cvtsi32_si128(bits as i32)) })
    }

    #[inline(always)]
    fn permute(self, table: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_permutexvar_epi32(self.0, table.0) })
    }

    /// 31 less the zeros in front.
    #[inline(always)]
    fn biased_log2(self) -> Self {
        // SAFETY: see above.
        Avx512(()).splat(31) - Self(unsafe { _mm512_lzcnt_epi32(self.0) })
    }

    #[inline(always)]
    fn biased_low_ones(self) -> Self {
        self.and_not(self + Avx512(()).splat(1)).count_low_ones()
    }

    #[inline(always)]
    fn count_low_ones(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_popcnt_epi32(self.0) })
    }

    #[inline(always)]
    fn trailing_zeros(self) -> Self {
        (self + Avx512(()).splat(-1)).and_not(self).count_low_ones()
    }

    #[inline(always)]
    fn equals(self, other: Self) -> __mmask16 {
        // SAFETY: see above.
        unsafe { _mm512_cmpeq_epi32_mask(self.0, other.0) }
    }

    #[inline(always)]
    fn greater(self, other: Self) -> __mmask16 {
        // SAFETY: see above.
        unsafe { _mm512_cmpgt_epi32_mask(self.0, other.0) }
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> __mmask16 {
        // SAFETY: see above.
        unsafe { _mm512_cmple_epu32_mask(self.0, other.0) }
    }

    #[inline(always)]
    fn select(mask: __mmask16, a: Self, b: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_mask_mov_epi32(b.0, mask, a.0) })
    }

    #[inline(always)]
    fn keep(self, mask: __mmask16) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_maskz_mov_epi32(mask, self.0) })
    }

    #[inline(always)]
    fn bits(mask: __mmask16) -> u32 {
        mask.into()
    }
}
