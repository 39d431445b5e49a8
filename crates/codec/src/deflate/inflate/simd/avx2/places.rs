//! The places of the elements that a mask leaves.

use std::arch::x86_64::*;

/// Elements that a mask is about.
pub(crate) const ELEMENTS: usize = 8;

/// By mask: the places of its ones, in order. One more, as 16 bytes are loaded.
#[repr(C, align(64))]
struct Table([[u8; ELEMENTS]; 257]);

static TABLE: Table = {
    let mut places = [[0; ELEMENTS]; 257];
    let mut mask = 0;
    while mask < 256 {
        let (mut place, mut count) = (0, 0);
        while place < ELEMENTS {
            if mask >> place & 1 != 0 {
                places[mask][count] = place as u8;
                count += 1;
            }
            place += 1;
        }
        mask += 1;
    }
    Table(places)
};

/// The places as bytes, and eight more.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn bytes(mask: u8) -> __m128i {
    // SAFETY: an entry follows that of the largest mask.
    unsafe { _mm_loadu_si128(TABLE.0.as_ptr().add(usize::from(mask)).cast()) }
}

/// The places as numbers of 32 bits.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn words(mask: u8) -> __m256i {
    // SAFETY: there is an entry for every mask.
    _mm256_cvtepu8_epi32(unsafe { _mm_loadl_epi64(TABLE.0.as_ptr().add(usize::from(mask)).cast()) })
}
