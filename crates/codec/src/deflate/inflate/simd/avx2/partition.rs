//! Token partition, 32 at a time: literals into their list, lengths and distances into another, so
//! that only those are turned into numbers.

use crate::deflate::inflate::batch::entry::{CONSUMED, DISTANCE_TABLE, SYMBOL_SHIFT, TABLE_LINK};
use crate::deflate::inflate::batch::tokens::{Sequences, TOKENS, Tokens};
use crate::deflate::inflate::simd::barrier::{barrier, vector_barrier};
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

/// Tokens that are classified at once.
const WIDTH: usize = 32;

/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(crate) unsafe fn partition(tokens: &Tokens, at_distance: bool, to: &mut Sequences) {
    let (pending, pending_len) = (to.number_count, to.matches[0]);
    assert!(to.literal_count == 0 && pending <= 1, "a chunk starts with empty lists");
    let mut numbers = Numbers::new();
    let zero = _mm256_setzero_si256();
    // SAFETY: there is room. It stands for a pending length, with no symbol before it.
    unsafe { numbers.put(0, zero, zero) };
    let (mut literals, mut count, mut symbols) = (0, pending, pending);
    let mut carry = u32::from(at_distance);
    for first in (0..TOKENS).step_by(WIDTH) {
        let entries = load(tokens, first);
        let high =
            _mm256_packus_epi16(_mm256_srli_epi16::<8>(entries[0]), _mm256_srli_epi16::<8>(entries[1]));
        // Without the barriers, the compiler would use vectors of masks for the following steps.
        let to_distance = barrier(mask::<{ DISTANCE_TABLE.leading_zeros() as i32 }>(high)) as u32;
        let links = barrier(mask::<{ TABLE_LINK.leading_zeros() as i32 }>(high)) as u32;
        let at_distance = to_distance << 1 | carry;
        carry = to_distance >> 31;
        let mut is_literal = !(at_distance | to_distance | links);
        let mut is_number = to_distance & !links & !at_distance | at_distance & !to_distance;
        // A stop is followed by nothing else.
        let stops = tokens.entries[first + WIDTH - 1] & CONSUMED == 0;
        if stops {
            let valid = before_stop(entries);
            (is_literal, is_number) = (is_literal & valid, is_number & valid);
        }
        let bytes = literal_bytes(entries, high);
        let words = with_symbols_before(entries, high, symbols as i16);
        for i in 0..WIDTH / ELEMENTS {
            let chosen = (is_number >> (ELEMENTS * i)) as u8;
            let places = place_words(chosen);
            // SAFETY: ELEMENTS bit buffers are from there on. No more tokens than there are before
            // these have been appended to a list, and one pending length, so they have room for
            // ELEMENTS more.
            unsafe {
                let bit_buffers =
                    _mm256_loadu_si256(tokens.bit_buffers.as_ptr().add(first + ELEMENTS * i).cast());
                let bit_buffers = _mm256_permutevar8x32_epi32(bit_buffers, places);
                numbers.put(count, _mm256_permutevar8x32_epi32(words[i], places), bit_buffers);
            }
            count += chosen.count_ones() as usize;

            let chosen = (is_literal >> (ELEMENTS * i)) as u8;
            let chosen_bytes = _mm_shuffle_epi8(bytes[i], place_bytes(chosen));
            // SAFETY: as above.
            unsafe { _mm_storel_epi64(to.literals.as_mut_ptr().add(literals).cast(), chosen_bytes) };
            literals += chosen.count_ones() as usize;
        }
        symbols += links.count_zeros() as usize;
        if stops {
            break;
        }
    }
    // SAFETY: at most TOKENS and a pending one have been put; with these, READ more.
    unsafe {
        numbers.put(count, zero, zero);
        numbers.put(count + READ / 2, zero, zero);
        matches(&numbers, count, to);
    }
    if pending == 1 {
        to.matches[0] = pending_len;
    }
    (to.literal_count, to.number_count) = (literals, count);
}

/// Returns the entries of the first and the third eight tokens from `first` on, and of the second
/// and the fourth: packing restores their order.
#[target_feature(enable = "avx2")]
#[inline]
fn load(tokens: &Tokens, first: usize) -> [__m256i; 2] {
    let from = tokens.entries[first..first + WIDTH].as_ptr().cast::<__m128i>();
    // SAFETY: WIDTH entries are four vectors.
    unsafe { [_mm256_loadu2_m128i(from.add(2), from), _mm256_loadu2_m128i(from.add(3), from.add(1))] }
}

/// Returns a mask of the bytes, in order, that have the bit `SHIFT` below the highest.
#[target_feature(enable = "avx2")]
#[inline]
fn mask<const SHIFT: i32>(bytes: __m256i) -> usize {
    _mm256_movemask_epi8(_mm256_slli_epi16::<SHIFT>(bytes)) as u32 as usize
}

/// The tokens before the first stop.
#[target_feature(enable = "avx2,bmi1")]
#[inline]
fn before_stop(entries: [__m256i; 2]) -> u32 {
    let consumed = entries.map(|of| _mm256_and_si256(of, _mm256_set1_epi16(CONSUMED as i16)));
    let consumed = _mm256_packus_epi16(consumed[0], consumed[1]);
    let stops = _mm256_movemask_epi8(_mm256_cmpeq_epi8(consumed, _mm256_setzero_si256())) as u32;
    (stops & stops.wrapping_neg()).wrapping_sub(1)
}

/// Returns the tokens as literals, by eight. `high` holds their entries' high bytes.
#[target_feature(enable = "avx2")]
#[inline]
fn literal_bytes(entries: [__m256i; 2], high: __m256i) -> [__m128i; 4] {
    let low = entries.map(|of| {
        _mm256_and_si256(_mm256_srli_epi16::<{ SYMBOL_SHIFT as i32 }>(of), _mm256_set1_epi16(0x1f))
    });
    let high = _mm256_and_si256(high, _mm256_set1_epi8(0xe0_u8 as i8));
    let all = _mm256_or_si256(_mm256_packus_epi16(low[0], low[1]), high);
    let [first, second] = [_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all)];
    [first, _mm_srli_si128::<8>(first), second, _mm_srli_si128::<8>(second)]
}

/// Returns the tokens' entries, by eight, below the number of symbols before each, which is
/// `before` for the first. `high` holds the entries' high bytes.
#[target_feature(enable = "avx2")]
#[inline]
fn with_symbols_before(entries: [__m256i; 2], high: __m256i, before: i16) -> [__m256i; 4] {
    // Tokens before each but the links, which are summed in each half of the vector; then the sum
    // of the first half is added to the second.
    let link = _mm256_srli_epi16::<{ TABLE_LINK.ilog2() as i32 - 8 }>(high);
    let link = _mm256_and_si256(link, _mm256_set1_epi8(1));
    let sum = _mm256_add_epi8(link, _mm256_slli_si256::<1>(link));
    let sum = _mm256_add_epi8(sum, _mm256_slli_si256::<2>(sum));
    let sum = _mm256_add_epi8(sum, _mm256_slli_si256::<4>(sum));
    let sum = _mm256_add_epi8(sum, _mm256_slli_si256::<8>(sum));
    let first = _mm256_shuffle_epi8(_mm256_permute2x128_si256::<0x08>(sum, sum), _mm256_set1_epi8(15));
    let places: [u8; WIDTH] = const {
        let mut places = [0; WIDTH];
        let mut i = 0;
        while i < WIDTH {
            places[i] = i as u8;
            i += 1;
        }
        places
    };
    // SAFETY: it has 32 bytes.
    let places = unsafe { _mm256_loadu_si256(places.as_ptr().cast()) };
    let places = _mm256_sub_epi8(places, _mm256_add_epi8(sum, first));
    let zero = _mm256_setzero_si256();
    let before = _mm256_set1_epi16(before);
    let places = [
        _mm256_add_epi16(_mm256_unpacklo_epi8(places, zero), before),
        _mm256_add_epi16(_mm256_unpackhi_epi8(places, zero), before),
    ];
    // Each half of a vector has four tokens: the first four of each sixteen, then the following
    // ones.
    let low = [_mm256_unpacklo_epi16(entries[0], places[0]), _mm256_unpackhi_epi16(entries[0], places[0])];
    let high = [_mm256_unpacklo_epi16(entries[1], places[1]), _mm256_unpackhi_epi16(entries[1], places[1])];
    [
        _mm256_permute2x128_si256::<0x20>(low[0], low[1]),
        _mm256_permute2x128_si256::<0x20>(high[0], high[1]),
        _mm256_permute2x128_si256::<0x31>(low[0], low[1]),
        _mm256_permute2x128_si256::<0x31>(high[0], high[1]),
    ]
}

/// Numbers that are read at once.
pub(crate) const READ: usize = 16;
/// Capacity for a pending length, all tokens, and the elements written and read past them.
const ROOM: usize = TOKENS + 2 * READ;

/// Tokens of lengths and distances: entries, with the number of symbols before each above, and bit
/// buffers.
pub(crate) struct Numbers {
    entries: [MaybeUninit<u32>; ROOM],
    bit_buffers: [MaybeUninit<u32>; ROOM],
}

impl Numbers {
    pub(crate) const fn new() -> Self {
        Self { entries: [MaybeUninit::uninit(); ROOM], bit_buffers: [MaybeUninit::uninit(); ROOM] }
    }

    /// Writes the `at`th and the seven after it.
    ///
    /// # Safety
    /// `at` is at most `TOKENS + READ`.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(crate) unsafe fn put(&mut self, at: usize, entries: __m256i, bit_buffers: __m256i) {
        const { assert!(TOKENS + READ + ELEMENTS <= ROOM) };
        // SAFETY: there is room for ELEMENTS.
        unsafe {
            _mm256_storeu_si256(self.entries.as_mut_ptr().add(at).cast(), entries);
            _mm256_storeu_si256(self.bit_buffers.as_mut_ptr().add(at).cast(), bit_buffers);
        }
    }

    /// Returns `READ` entries and their bit buffers from the `at`th on: every other one, and those
    /// between. [`every_other`] describes the order.
    ///
    /// # Safety
    /// They have been written.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(crate) unsafe fn pairs(&self, at: usize) -> ([__m256i; 2], [__m256i; 2]) {
        // SAFETY: the caller's.
        unsafe {
            (
                every_other(self.entries.as_ptr().add(at).cast()),
                every_other(self.bit_buffers.as_ptr().add(at).cast()),
            )
        }
    }
}

/// Returns all first elements of eight pairs, and all second ones. In both, the third and the
/// fourth pair change places with the fifth and the sixth.
///
/// # Safety
/// `READ` elements can be read.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn every_other(from: *const f32) -> [__m256i; 2] {
    // SAFETY: the caller's.
    let (low, high) = unsafe { (_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(READ / 2))) };
    let (first, second) =
        (_mm256_shuffle_ps::<0b10_00_10_00>(low, high), _mm256_shuffle_ps::<0b11_01_11_01>(low, high));
    [_mm256_castps_si256(first), _mm256_castps_si256(second)]
}

/// Elements that a mask is about.
pub(crate) const ELEMENTS: usize = 8;

/// By mask: the places of its ones, in order. One more, as 16 bytes are loaded.
#[repr(C, align(64))]
struct Places([[u8; ELEMENTS]; 257]);

static PLACES: Places = {
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
    Places(places)
};

/// The places as bytes, and eight more.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn place_bytes(mask: u8) -> __m128i {
    // SAFETY: an entry follows that of the largest mask.
    unsafe { _mm_loadu_si128(PLACES.0.as_ptr().add(usize::from(mask)).cast()) }
}

/// The places as numbers of 32 bits.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn place_words(mask: u8) -> __m256i {
    // SAFETY: there is an entry for every mask.
    _mm256_cvtepu8_epi32(unsafe { _mm_loadl_epi64(PLACES.0.as_ptr().add(usize::from(mask)).cast()) })
}

/// A number is its symbol's *top* bits, then its *extra* bits, plus the base of its kind. Both are
/// looked up by half the symbol's number, whose last bit is then added to the top ones.
struct Kind {
    extra: [u8; 16],
    top: [u8; 16],
    base: u32,
}

/// Symbol 28, for length 258, has all of a byte for its top bits.
const LENGTHS: Kind = Kind {
    extra: [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0, 0],
    top: [0, 2, 4, 6, 4, 6, 4, 6, 4, 6, 4, 6, 4, 6, 255, 0],
    base: 3,
};

const DISTANCES: Kind = Kind {
    extra: [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0],
    top: [0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0],
    base: 1,
};

impl Kind {
    /// The numbers of eight tokens.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn of(&self, entries: __m256i, bit_buffers: __m256i) -> __m256i {
        let set = |value: u32| _mm256_set1_epi32(value as i32);
        // SAFETY: it has 16 bytes.
        let table =
            |of: &[u8; 16]| unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(of.as_ptr().cast())) };
        let symbols = _mm256_srli_epi32::<{ SYMBOL_SHIFT as i32 }>(entries);
        let halves = _mm256_and_si256(_mm256_srli_epi32::<{ SYMBOL_SHIFT as i32 + 1 }>(entries), set(15));
        let extra = _mm256_shuffle_epi8(table(&self.extra), halves);
        let top = _mm256_shuffle_epi8(table(&self.top), halves);
        let top = _mm256_add_epi32(top, _mm256_and_si256(symbols, set(1)));
        // The consumed bits end with the extra bits: the following bits are shifted out, then those
        // before.
        let consumed = _mm256_and_si256(entries, set(u32::from(CONSUMED)));
        let bits = _mm256_sllv_epi32(bit_buffers, _mm256_sub_epi32(set(32), consumed));
        // A visible shift would be followed by a select for a count of 32.
        let bits = vector_barrier(_mm256_srlv_epi32(bits, _mm256_sub_epi32(set(32), extra)));
        let top = _mm256_add_epi32(_mm256_sllv_epi32(top, extra), set(self.base));
        _mm256_add_epi32(top, bits)
    }
}

/// Sets the lists of matches and of the literals before each.
///
/// # Safety
/// `count` numbers, `TOKENS` and one at most, and `READ` more have been written.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) unsafe fn matches(numbers: &Numbers, count: usize, to: &mut Sequences) {
    // Before match i are 2i lengths and distances; in the order of `Numbers::pairs`.
    let mut twice = _mm256_setr_epi32(0, 2, 8, 10, 4, 6, 12, 14);
    for first in (0..count).step_by(READ) {
        // SAFETY: as `first` is less than `count`, READ numbers from it on have been written.
        let ([lengths, distances], [after_lens, after_distances]) = unsafe { numbers.pairs(first) };
        let matches = _mm256_or_si256(
            LENGTHS.of(lengths, after_lens),
            _mm256_slli_epi32::<16>(DISTANCES.of(distances, after_distances)),
        );
        let matches = _mm256_permute4x64_epi64::<0b11_01_10_00>(matches);
        let before = _mm256_sub_epi32(_mm256_srli_epi32::<16>(lengths), twice);
        let before = _mm256_packus_epi32(before, before);
        let before =
            _mm_unpacklo_epi32(_mm256_castsi256_si128(before), _mm256_extracti128_si256::<1>(before));
        twice = _mm256_add_epi32(twice, _mm256_set1_epi32(READ as i32));
        // SAFETY: `first` is at most TOKENS, and both lists have room for more than READ more
        // elements.
        unsafe {
            _mm256_storeu_si256(to.matches.as_mut_ptr().add(first).cast(), matches);
            _mm_storeu_si128(to.before.as_mut_ptr().add(first / 2).cast(), before);
        }
    }
}
