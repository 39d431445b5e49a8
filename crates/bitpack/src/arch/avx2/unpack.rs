//! Unpacking of eight values at a time, and loads for all steps.

use std::arch::x86_64::*;

use super::tables::Large;
use crate::packed::Packed;
use crate::steps;

/// Bytes that a load has, and that may be read past the end of values.
pub(super) const HALF: usize = 16;
/// Bytes of 64 of the widest values, and those that may be read past them.
const LARGEST: usize = 64 * 32 / 8 + HALF;

/// Loads 32 bytes.
///
/// # Safety
/// They can be read.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) unsafe fn load<T>(from: &T) -> __m256i {
    debug_assert!(size_of::<T>() >= 32);
    // SAFETY: the caller's.
    unsafe { _mm256_loadu_si256(std::ptr::from_ref(from).cast()) }
}

/// Loads 16 bytes at `at`, and 16 at `high`.
///
/// # Safety
/// They can be read.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) unsafe fn halves(bytes: &[u8], at: usize, high: usize) -> __m256i {
    debug_assert!(at.max(high) + HALF <= bytes.len());
    // SAFETY: the caller's.
    unsafe {
        let low = _mm_loadu_si128(bytes.as_ptr().add(at).cast());
        _mm256_inserti128_si256::<1>(
            _mm256_castsi128_si256(low),
            _mm_loadu_si128(bytes.as_ptr().add(high).cast()),
        )
    }
}

/// Loads 16 bytes at `at`, twice.
///
/// # Safety
/// They can be read.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) unsafe fn twice(bytes: &[u8], at: usize) -> __m256i {
    debug_assert!(at + HALF <= bytes.len());
    // SAFETY: the caller's.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(bytes.as_ptr().add(at).cast()) })
}

/// Returns the bytes from `at` on if there are at least `needed`, and otherwise a copy of them with
/// zeros after it.
#[inline(always)]
pub(super) fn padded<'a>(bytes: &'a [u8], at: usize, needed: usize, copy: &'a mut Padded) -> &'a [u8] {
    let left = &bytes[at..];
    if left.len() >= needed {
        return left;
    }
    copy.0[..left.len()].copy_from_slice(left);
    copy.0[left.len()..].fill(0);
    &copy.0
}

/// Room for the last bytes of a source.
pub(super) struct Padded([u8; LARGEST]);

impl Padded {
    pub fn new() -> Self {
        Padded([0; LARGEST])
    }
}

/// Puts eight values into lanes; `FIFTH` if one may have a fifth byte.
#[derive(Clone, Copy)]
pub(super) struct Unpack<const FIFTH: bool> {
    lower: __m256i,
    down: __m256i,
    upper: __m256i,
    up: __m256i,
    below: __m256i,
    half: usize,
}

impl<const FIFTH: bool> Unpack<FIFTH> {
    #[target_feature(enable = "avx2")]
    pub fn new(packed: &Packed<'_>) -> Self {
        let table = Large::of(packed);
        // SAFETY: each has 32 bytes.
        let [lower, upper] = unsafe { [load(&table.lower), load(&table.upper)] };
        // SAFETY: as above.
        let [down, up] = unsafe { [load(&table.down), load(&table.up)] };
        let below = _mm256_set1_epi32((32 - packed.width()) as i32);
        Unpack { lower, down, upper, up, below, half: Large::half(packed.width() as usize) }
    }

    /// Returns the values that start with byte `at`, in the top bits of their lanes, with any bits
    /// below them.
    ///
    /// # Safety
    /// Bytes can be read as far as their last one, and `HALF` further.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub unsafe fn raised(self, bytes: &[u8], at: usize) -> __m256i {
        // SAFETY: the caller's; the second half starts before the last byte.
        let bytes = unsafe { halves(bytes, at, at + self.half) };
        let upper = _mm256_sllv_epi32(_mm256_shuffle_epi8(bytes, self.upper), self.up);
        if !FIFTH {
            return upper;
        }
        _mm256_or_si256(upper, _mm256_srlv_epi32(_mm256_shuffle_epi8(bytes, self.lower), self.down))
    }

    /// Returns the values that start with byte `at`.
    ///
    /// # Safety
    /// As of [`Unpack::raised`].
    #[target_feature(enable = "avx2")]
    #[inline]
    pub unsafe fn lanes(self, bytes: &[u8], at: usize) -> __m256i {
        // SAFETY: the caller's.
        _mm256_srlv_epi32(unsafe { self.raised(bytes, at) }, self.below)
    }
}

/// Appends all values.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(super) fn unpack(packed: Packed<'_>, to: &mut Vec<u32>) {
    if Large::is_in_four(packed.width()) {
        unpack_by(Unpack::<false>::new(&packed), packed, to);
    } else {
        unpack_by(Unpack::<true>::new(&packed), packed, to);
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn unpack_by<const FIFTH: bool>(by: Unpack<FIFTH>, packed: Packed<'_>, to: &mut Vec<u32>) {
    let (bytes, len, step) = (packed.bytes(), packed.len(), packed.width() as usize);
    to.reserve(len);
    let out = to.as_mut_ptr().wrapping_add(to.len());
    let (mut done, mut at) = (0, 0);
    while done + 8 <= len && at + step + HALF <= bytes.len() {
        // SAFETY: both have just been checked; there is room for `len` values.
        unsafe { _mm256_storeu_si256(out.add(done).cast(), by.lanes(bytes, at)) };
        done += 8;
        at += step;
    }
    let mut copy = Padded::new();
    while done < len {
        let bytes = padded(bytes, at, step + HALF, &mut copy);
        let count = (len - done).min(8);
        // SAFETY: the bytes were padded; both types are a vector; there is room for `len` values.
        unsafe {
            let values: [u32; 8] = std::mem::transmute(by.lanes(bytes, 0));
            out.add(done).copy_from_nonoverlapping(values.as_ptr(), count);
        }
        done += count;
        at += step;
    }
    // SAFETY: this number of values was written after the existing ones.
    unsafe { to.set_len(to.len() + len) };
}

/// Returns the greatest of some values; 0 if there are none.
#[target_feature(enable = "avx2")]
pub(super) fn greatest(values: &[u32]) -> u32 {
    steps::greatest(values)
}
