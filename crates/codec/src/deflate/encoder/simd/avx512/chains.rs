//! Hash chains, a group of positions at a time: a gather from the table and a scatter to it, which
//! AVX2 has none of; masks also do the groups that are not whole.

use super::Avx512;
use crate::deflate::encoder::match_finder::buckets::SPREAD;
use crate::deflate::encoder::match_finder::chains::{CHUNK, Chains, GROUP, HASHED, MAX_BACKWARD, TAG};
use crate::deflate::encoder::simd::vector::Simd;
use crate::deflate::encoder::symbols::WINDOW;
use std::arch::x86_64::*;
use std::ops::Range;

/// As `Chains::insert_range`.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
pub(crate) unsafe fn insert_range(simd: Avx512, chains: &mut Chains, buffer: &[u8], range: Range<usize>) {
    let len = range.len();
    let places = chains.place(range.start)..chains.place(range.end);
    assert!(range.end <= buffer.len() && chains.distances.len() >= WINDOW + CHUNK);
    assert!(chains.table.len() == 1 << chains.bits && (1..=16).contains(&chains.bits));
    let inserter = ChainInserter::new(simd, chains);
    let distances = chains.distances[places].as_mut_ptr();
    // Whole groups; the first one must have bytes before all of its positions.
    let start = if range.start < MAX_BACKWARD { len.min(GROUP) } else { 0 };
    let loaded = (buffer.len() + 1).saturating_sub(LOADED + range.start);
    let bulk = start..start + len.min(loaded).saturating_sub(start) / GROUP * GROUP;
    // SAFETY: positions are in the buffer, and there is a distance for each. LOADED bytes follow
    // the start of each group of the bulk, and only those are loaded whole. Nothing else has the
    // table until the inserter is gone.
    unsafe {
        if start > 0 {
            inserter.insert_part(distances, buffer, range.start..range.start + start);
        }
        // Hashed a group ahead: loads after a scatter wait for it.
        let mut hash = if bulk.is_empty() {
            _mm512_set1_epi32(0)
        } else {
            inserter.hash(load(buffer, range.start + start))
        };
        for group in bulk.clone().step_by(GROUP) {
            let next = group + GROUP;
            let next = if next < bulk.end { inserter.hash(load(buffer, range.start + next)) } else { hash };
            let links = inserter.insert(hash, range.start + group, ALL);
            _mm256_storeu_si256(distances.add(group).cast(), links);
            hash = next;
        }
        for group in (bulk.end..len).step_by(GROUP) {
            let positions = range.start + group..range.start + len.min(group + GROUP);
            inserter.insert_part(distances.add(group), buffer, positions);
        }
    }
}

/// Bytes from a group's first position on that are loaded.
pub(crate) const LOADED: usize = 32;

const _: () = assert!(GROUP == 16 && HASHED == 5 && GROUP + HASHED <= LOADED);

/// All positions of a group.
pub(crate) const ALL: __mmask16 = __mmask16::MAX;

/// Returns a mask of the first `count` positions of a group.
fn first(count: usize) -> __mmask16 {
    if count < GROUP { (1 << count) - 1 } else { ALL }
}

/// The bytes that are hashed for a group.
///
/// # Safety
/// The processor has the features, and `LOADED` bytes follow.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
pub(crate) unsafe fn load(buffer: &[u8], at: usize) -> __m256i {
    // SAFETY: see above.
    unsafe { _mm256_loadu_si256(buffer.as_ptr().add(at).cast()) }
}

/// Constants of all groups. Points into the table of its chains.
pub(crate) struct ChainInserter {
    simd: Avx512,
    table: *mut u32,
    base: usize,
    window: __m512i,
    fifth: __m512i,
    /// Shifts of a hash: up for the tag, and down for the number of its entry.
    up: __m128i,
    down: __m128i,
    /// Mask of the inserted positions of a group.
    insert_step: __mmask16,
}

impl ChainInserter {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    pub(crate) fn new(simd: Avx512, chains: &mut Chains) -> Self {
        Self {
            simd,
            table: chains.table.as_mut_ptr(),
            base: chains.base,
            window: _mm512_set1_epi32(chains.window as i32),
            fifth: _mm512_set1_epi32(chains.fifth as i32),
            up: _mm_cvtsi32_si128(chains.bits as i32),
            down: _mm_cvtsi32_si128(32 - chains.bits as i32),
            insert_step: if chains.insert_step == 1 { ALL } else { 0x5555 },
        }
    }

    /// Returns the hashes of a group's positions from its first bytes.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    pub(crate) fn hash(&self, bytes: __m256i) -> __m512i {
        let bytes = _mm512_broadcast_i64x4(bytes);
        let four = self.simd.four_at_each(bytes, 0).0;
        let fifth = _mm512_srli_epi32::<24>(self.simd.four_at_each(bytes, 1).0);
        _mm512_add_epi32(
            _mm512_mullo_epi32(four, _mm512_set1_epi32(SPREAD as i32)),
            _mm512_mullo_epi32(fifth, self.fifth),
        )
    }

    /// Looks up some positions of a group, and inserts those in `insert_step`. Returns the
    /// distances; 0 for the other positions.
    ///
    /// # Safety
    /// The processor has the features, and the table is still there, with an entry for each hash.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    pub(crate) unsafe fn insert(&self, hash: __m512i, at: usize, of: __mmask16) -> __m256i {
        let numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let tag = _mm512_set1_epi32(TAG as i32);
        let positions = _mm512_add_epi32(_mm512_set1_epi32((self.base + at) as i32), numbers);
        // The tag where its bits are ones, and the position elsewhere.
        let new = _mm512_ternarylogic_epi32::<0xca>(tag, _mm512_sll_epi32(hash, self.up), positions);
        let number = _mm512_srl_epi32(hash, self.down);
        // SAFETY: see above.
        let old = unsafe {
            let old = _mm512_mask_i32gather_epi32::<4>(_mm512_set1_epi32(0), of, number, self.table.cast());
            _mm512_mask_i32scatter_epi32::<4>(self.table.cast(), self.insert_step & of, number, new);
            old
        };
        let is_same = _mm512_mask_testn_epi32_mask(of, _mm512_xor_si512(new, old), tag);
        let distance = _mm512_andnot_si512(tag, _mm512_sub_epi32(new, old));
        // Within the window and behind the bytes before the candidate. Less one, 0 exceeds any
        // distance. From a chunk's length on, the window is nearer.
        let before = _mm512_add_epi32(_mm512_set1_epi32(at.min(CHUNK) as i32 - MAX_BACKWARD as i32), numbers);
        let max_distance = _mm512_min_epu32(self.window, before);
        let is_link = _mm512_mask_cmplt_epu32_mask(
            is_same,
            _mm512_sub_epi32(distance, _mm512_set1_epi32(1)),
            max_distance,
        );
        _mm512_maskz_cvtepi32_epi16(is_link, distance)
    }

    /// As `insert`, for a group that is not whole, or has no bytes before it or too few after it.
    ///
    /// # Safety
    /// As for `insert`; the positions, at most `GROUP`, are in the buffer, and there is a distance
    /// for each.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    pub(crate) unsafe fn insert_part(&self, distances: *mut u16, buffer: &[u8], group: Range<usize>) {
        let rest = &buffer[group.start..];
        let hashed = (rest.len() + 1).saturating_sub(HASHED).min(group.len());
        let of = first(hashed) & !first(MAX_BACKWARD.saturating_sub(group.start));
        // SAFETY: only bytes of the buffer are loaded, and distances of the group's stored.
        unsafe {
            let loaded = if rest.len() < LOADED { (1 << rest.len()) - 1 } else { u32::MAX };
            let bytes = _mm256_maskz_loadu_epi8(loaded, rest.as_ptr().cast());
            let links = self.insert(self.hash(bytes), group.start, of);
            _mm256_mask_storeu_epi16(distances.cast(), first(group.len()), links);
        }
    }
}
