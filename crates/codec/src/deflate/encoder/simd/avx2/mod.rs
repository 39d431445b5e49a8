//! Encoder with AVX2, for processors from Haswell and Zen 1 on: vectors of eight elements, masks in
//! vectors, no population count, no scatter.

mod chains;
mod near_optimal;
mod tokens;

pub(crate) use chains::insert_range;
pub(crate) use near_optimal::search;
pub(crate) use tokens::emit;

use std::arch::x86_64::*;

use super::vector::{self, Simd, Vector};
use crate::deflate::encoder::match_finder::GROUP;
use crate::deflate::isa;

/// Lanes in a vector; a group has two vectors.
const WIDTH: usize = 8;

const _: () = assert!(GROUP == 2 * WIDTH);

/// Proof that the processor has AVX2 and the bit instructions that come with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

impl Avx2 {
    pub(crate) fn new() -> Option<Self> {
        isa::has_avx2().then_some(Self(()))
    }
}

/// Vector of eight elements, or the mask of one: ones in the elements that it has.
#[derive(Clone, Copy)]
pub(crate) struct U32x8(__m256i);

/// An element for each lane of a vector.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(crate) struct Eight([u32; WIDTH]);

impl vector::Array for Eight {
    const ZEROS: Self = Self([0; WIDTH]);

    #[inline(always)]
    fn elements(&self) -> &[u32] {
        &self.0
    }

    #[inline(always)]
    fn elements_mut(&mut self) -> &mut [u32] {
        &mut self.0
    }
}

/// By a mask of elements: the elements in the mask, in order.
const IN_MASK: [[u8; WIDTH]; 1 << WIDTH] = {
    let mut in_mask = [[0; WIDTH]; 1 << WIDTH];
    let mut bits = 0;
    while bits < in_mask.len() {
        let (mut element, mut to) = (0, 0);
        while element < WIDTH {
            if bits >> element & 1 == 1 {
                in_mask[bits][to] = element as u8;
                to += 1;
            }
            element += 1;
        }
        bits += 1;
    }
    in_mask
};

/// Indices of the four bytes at each of eight positions, in both halves of a vector.
const WINDOWS: [u8; 4 * WIDTH] = {
    let mut places = [0; 4 * WIDTH];
    let mut i = 0;
    while i < places.len() {
        places[i] = (i / 4 + i % 4) as u8;
        i += 1;
    }
    places
};

/// Returns the low halves of the elements of two vectors. Packing works on halves of vectors, so
/// the order is restored.
#[inline]
#[target_feature(enable = "avx2")]
fn narrow(low: __m256i, high: __m256i) -> __m256i {
    _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(low, high))
}

// SAFETY of all blocks: a value of the type, or a vector, proves that the features are there, and
// callers that pass pointers have made sure of the memory.
impl Simd for Avx2 {
    type Vector = U32x8;
    type Array = Eight;
    type Bytes = __m256i;
    /// In 32 bits.
    type Narrow = U32x8;

    const LOADED: usize = 16;

    #[inline(always)]
    fn splat(self, value: i32) -> U32x8 {
        // SAFETY: see above.
        U32x8(unsafe { _mm256_set1_epi32(value) })
    }

    #[inline(always)]
    fn get(self, array: &Eight) -> U32x8 {
        // SAFETY: an array has 32 bytes, and their alignment.
        U32x8(unsafe { _mm256_load_si256(array.0.as_ptr().cast()) })
    }

    #[inline(always)]
    fn set(self, array: &mut Eight, vector: U32x8) {
        // SAFETY: as in `get`.
        unsafe { _mm256_store_si256(array.0.as_mut_ptr().cast(), vector.0) }
    }

    #[inline(always)]
    unsafe fn load(self, from: *const u32) -> U32x8 {
        // SAFETY: see above.
        U32x8(unsafe { _mm256_loadu_si256(from.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, vector: U32x8, to: *mut u32) {
        // SAFETY: see above.
        unsafe { _mm256_storeu_si256(to.cast(), vector.0) }
    }

    #[inline(always)]
    unsafe fn load_u8(self, from: *const u8) -> U32x8 {
        // SAFETY: see above.
        U32x8(unsafe { _mm256_cvtepu8_epi32(_mm_loadl_epi64(from.cast())) })
    }

    #[inline(always)]
    unsafe fn gather<const SCALE: i32>(self, base: *const u8, offsets: U32x8) -> U32x8 {
        // SAFETY: see above.
        U32x8(unsafe { _mm256_i32gather_epi32::<SCALE>(base.cast(), offsets.0) })
    }

    #[inline(always)]
    fn look_up(self, table: &[u32; 32], index: U32x8) -> U32x8 {
        // A gather takes longer. Permutations use the lowest three bits of an index, and blends the
        // sign: the fourth bit, and then the fifth.
        let (fourth, fifth) = (index.shl(28), index.shl(27));
        // SAFETY: see above; the table is four vectors.
        unsafe {
            let table: *const __m256i = table.as_ptr().cast();
            let first = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(table), index.0);
            let second = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(table.add(1)), index.0);
            let third = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(table.add(2)), index.0);
            let last = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(table.add(3)), index.0);
            let (fourth, fifth) = (_mm256_castsi256_ps(fourth.0), _mm256_castsi256_ps(fifth.0));
            let low = _mm256_blendv_ps(_mm256_castsi256_ps(first), _mm256_castsi256_ps(second), fourth);
            let high = _mm256_blendv_ps(_mm256_castsi256_ps(third), _mm256_castsi256_ps(last), fourth);
            U32x8(_mm256_castps_si256(_mm256_blendv_ps(low, high, fifth)))
        }
    }

    #[inline(always)]
    unsafe fn load_bytes(self, from: *const u8) -> __m256i {
        // SAFETY: see above.
        unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(from.cast())) }
    }

    #[inline(always)]
    fn four_at_each(self, bytes: __m256i, by: u8) -> U32x8 {
        // SAFETY: there are 32 indices.
        unsafe {
            let windows = _mm256_loadu_si256(WINDOWS.as_ptr().cast());
            U32x8(_mm256_shuffle_epi8(bytes, _mm256_add_epi8(windows, _mm256_set1_epi8(by as i8))))
        }
    }

    #[inline(always)]
    unsafe fn equal_bytes(self, a: *const u8, b: *const u8) -> u32 {
        // SAFETY: see above.
        unsafe {
            let (a, b) = (_mm256_loadu_si256(a.cast()), _mm256_loadu_si256(b.cast()));
            _mm256_movemask_epi8(_mm256_cmpeq_epi8(a, b)) as u32
        }
    }

    #[inline(always)]
    unsafe fn load_narrow(self, from: *const u16) -> U32x8 {
        // SAFETY: see above.
        U32x8(unsafe { _mm256_cvtepu16_epi32(_mm_loadu_si128(from.cast())) })
    }

    #[inline(always)]
    fn select_narrow(self, mask: U32x8, a: U32x8, b: U32x8) -> U32x8 {
        U32x8::select(mask, a, b)
    }

    #[inline(always)]
    fn widen(self, narrow: U32x8) -> U32x8 {
        narrow
    }

    #[inline(always)]
    unsafe fn store_narrow(self, vector: U32x8, to: *mut u16) {
        // SAFETY: see above.
        unsafe { _mm_storeu_si128(to.cast(), _mm256_castsi256_si128(narrow(vector.0, vector.0))) }
    }

    #[inline(always)]
    fn store_group(self, [low, high]: [U32x8; 2], to: &mut [u16; GROUP]) {
        // SAFETY: a group has 32 bytes.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), narrow(low.0, high.0)) }
    }

    #[inline(always)]
    unsafe fn store_pairs(self, first: U32x8, second: U32x8, to: *mut u32) {
        // SAFETY: see above.
        unsafe {
            let (low, high) =
                (_mm256_unpacklo_epi32(first.0, second.0), _mm256_unpackhi_epi32(first.0, second.0));
            let to: *mut __m256i = to.cast();
            _mm256_storeu_si256(to, _mm256_permute2x128_si256::<0x20>(low, high));
            _mm256_storeu_si256(to.add(1), _mm256_permute2x128_si256::<0x31>(low, high));
        }
    }

    #[inline(always)]
    fn compress(self, vector: U32x8, mask: U32x8) -> U32x8 {
        // SAFETY: a row has eight bytes.
        let elements = unsafe { self.load_u8(IN_MASK[U32x8::bits(mask) as usize].as_ptr()) };
        elements.permute(vector)
    }

    #[inline(always)]
    fn non_zeros(self, elements: &[u16; 32]) -> u32 {
        // SAFETY: there are two vectors.
        unsafe {
            let from: *const __m256i = elements.as_ptr().cast();
            let zero = _mm256_setzero_si256();
            let low = _mm256_cmpeq_epi16(_mm256_loadu_si256(from), zero);
            let high = _mm256_cmpeq_epi16(_mm256_loadu_si256(from.add(1)), zero);
            let none = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi16(low, high));
            !_mm256_movemask_epi8(none) as u32
        }
    }
}

vector::binary!(U32x8: Add add _mm256_add_epi32, Sub sub _mm256_sub_epi32, Mul mul _mm256_mullo_epi32,
    BitAnd bitand _mm256_and_si256, BitOr bitor _mm256_or_si256);

impl Vector for U32x8 {
    type Mask = Self;

    const LANES: usize = WIDTH;
    /// Bias of the exponent of single-precision floats.
    const LOG2_BIAS: i32 = 127;
    const LOW_ONES_BIAS: i32 = Self::LOG2_BIAS;

    vector::binary!(min_u32 _mm256_min_epu32, max_i32 _mm256_max_epi32, max_u32 _mm256_max_epu32, mul_u16 _mm256_mullo_epi16,
        shr_each _mm256_srlv_epi32, equals _mm256_cmpeq_epi32, greater _mm256_cmpgt_epi32);

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_andnot_si256(other.0, self.0) })
    }

    #[inline(always)]
    fn shl(self, bits: u32) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_sll_epi32(self.0, _mm_cvtsi32_si128(bits as i32)) })
    }

    #[inline(always)]
    fn shr(self, bits: u32) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_srl_epi32(self.0, _mm_cvtsi32_si128(bits as i32)) })
    }

    #[inline(always)]
    fn permute(self, table: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_permutevar8x32_epi32(table.0, self.0) })
    }

    /// As the exponent of a float: there is no instruction for it.
    #[inline(always)]
    fn biased_log2(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_srli_epi32::<23>(_mm256_castps_si256(_mm256_cvtepi32_ps(self.0))) })
    }

    #[inline(always)]
    fn biased_low_ones(self) -> Self {
        let one = Avx2(()).splat(1);
        (self + one).and_not(self).biased_log2()
    }

    #[inline(always)]
    fn count_low_ones(self) -> Self {
        // One more than half of the number is a power of two, and its logarithm the count of that
        // half. 2^31 is taken for negative, so the sign is removed.
        let simd = Avx2(());
        let log2 = (self.shr(1) + simd.splat(1)).biased_log2() & simd.splat(0xff);
        log2 - simd.splat(Self::LOG2_BIAS) + (self & simd.splat(1))
    }

    #[inline(always)]
    fn trailing_zeros(self) -> Self {
        let simd = Avx2(());
        (self & (simd.splat(0) - self)).biased_log2() - simd.splat(Self::LOG2_BIAS)
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> Self {
        self.max_u32(other).equals(other)
    }

    #[inline(always)]
    fn select(mask: Self, a: Self, b: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_blendv_epi8(b.0, a.0, mask.0) })
    }

    #[inline(always)]
    fn keep(self, mask: Self) -> Self {
        self & mask
    }

    #[inline(always)]
    fn bits(mask: Self) -> u32 {
        // SAFETY: see above.
        unsafe { _mm256_movemask_ps(_mm256_castsi256_ps(mask.0)) as u32 }
    }
}
