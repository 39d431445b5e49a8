//! Sorts tokens by kind, 32 at a time.

use std::arch::x86_64::*;

use crate::deflate::inflate::batch::entry::{
    BASES, CONSUMED, DISTANCE_TABLE, EXTRAS, SYMBOL_SHIFT, TABLE_LINK,
};
use crate::deflate::inflate::batch::tokens::{Sequences, TOKENS, Tokens};

/// Tokens in a vector.
const WIDTH: usize = 32;

/// By token of a vector: its place, and twice that.
const PLACES: [[u16; WIDTH]; 2] = {
    let mut places = [[0; WIDTH]; 2];
    let mut i = 0;
    while i < WIDTH {
        places[0][i] = i as u16;
        places[1][i] = 2 * i as u16;
        i += 1;
    }
    places
};

/// Places of the low halves of 32-bit elements in two vectors; the high halves are one further.
const HALVES: [u16; WIDTH] = {
    let mut places = [0; WIDTH];
    let mut i = 0;
    while i < WIDTH {
        places[i] = 2 * i as u16;
        i += 1;
    }
    places
};

/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(crate) unsafe fn partition(tokens: &Tokens, at_distance: bool, to: &mut Sequences) {
    // SAFETY: the arrays have 32 or 64 elements.
    let load = |from: &[u16]| unsafe { _mm512_loadu_si512(from[..WIDTH].as_ptr().cast()) };
    let bases = [load(&BASES), load(&BASES[WIDTH..])];
    let extras = [load(&EXTRAS), load(&EXTRAS[WIDTH..])];
    let [places, twice] = [load(&PLACES[0]), load(&PLACES[1])];
    let low = load(&HALVES);
    let high = _mm512_add_epi16(low, _mm512_set1_epi16(1));
    let set = |value: u16| _mm512_set1_epi16(value as i16);

    let pending = to.number_count;
    assert!(to.literal_count == 0 && pending <= 1, "a chunk starts with empty lists");
    let (mut literals, mut lengths, mut numbers, mut symbols) = (0, pending, pending, 0);
    let mut carry = u32::from(at_distance);
    for first in (0..TOKENS).step_by(WIDTH) {
        let entry = load(&tokens.entries[first..]);
        // SAFETY: `bit_buffers` has TOKENS elements, and WIDTH of them from `first` on.
        let bit_buffers = unsafe {
            let from = tokens.bit_buffers.as_ptr().add(first);
            [_mm512_loadu_si512(from.cast()), _mm512_loadu_si512(from.add(WIDTH / 2).cast())]
        };
        let stops = _mm512_testn_epi16_mask(entry, set(CONSUMED));
        // The tokens before the first stop; all if there is none.
        let valid = (stops & stops.wrapping_neg()).wrapping_sub(1);
        let to_distance = _mm512_test_epi16_mask(entry, set(DISTANCE_TABLE));
        let links = _mm512_test_epi16_mask(entry, set(TABLE_LINK));
        let at_distance = to_distance << 1 | carry;
        carry = to_distance >> 31;
        let is_literal = !(at_distance | to_distance | links) & valid;
        let is_len = to_distance & !links & !at_distance & valid;
        let is_number = is_len | at_distance & !to_distance & valid;

        // The low bits from one shift and the high ones from the other: 0xca selects by the first
        // operand.
        let symbol = _mm512_srli_epi16::<SYMBOL_SHIFT>(entry);
        let literal = _mm512_ternarylogic_epi32::<0xca>(set(0x1f), symbol, _mm512_srli_epi16::<8>(entry));
        let literal = _mm256_maskz_compress_epi8(is_literal, _mm512_cvtepi16_epi8(literal));

        // base + (bits >> codeword length) % 2^extra. The shift is below 16, over the two halves of
        // the bit buffer.
        let base = _mm512_permutex2var_epi16(bases[0], symbol, bases[1]);
        let extra = _mm512_permutex2var_epi16(extras[0], symbol, extras[1]);
        let code = _mm512_sub_epi16(_mm512_and_si512(entry, set(CONSUMED)), extra);
        let bits = _mm512_shrdv_epi16(
            _mm512_permutex2var_epi16(bit_buffers[0], low, bit_buffers[1]),
            _mm512_permutex2var_epi16(bit_buffers[0], high, bit_buffers[1]),
            code,
        );
        let mask = _mm512_srlv_epi16(set(u16::MAX), _mm512_sub_epi16(set(16), extra));
        let value = _mm512_add_epi16(base, _mm512_and_si512(bits, mask));

        // Literals before each length: the symbols before it, that is the tokens but links, less
        // the lengths and distances before it: two for every match before it in the list, one for a
        // pending one.
        let before = _mm512_maskz_compress_epi16(_pext_u32(is_len, !links), places);
        let offset = set((symbols + pending).wrapping_sub(2 * lengths) as u16);
        let before = _mm512_add_epi16(_mm512_sub_epi16(before, twice), offset);

        // SAFETY: the lists were empty but for one length that may be pending, and no more tokens
        // than `first` have been appended to any; each has room for TOKENS and 64 more elements.
        unsafe {
            _mm256_storeu_si256(to.literals.as_mut_ptr().add(literals).cast(), literal);
            // A length is never followed by a length, so at most half of 32 tokens are lengths.
            let before = _mm512_castsi512_si256(before);
            _mm256_storeu_si256(to.before.as_mut_ptr().add(lengths).cast(), before);
            let value = _mm512_maskz_compress_epi16(is_number, value);
            _mm512_storeu_si512(to.matches.as_mut_ptr().add(numbers).cast(), value);
        }
        symbols += links.count_zeros() as usize;
        literals += is_literal.count_ones() as usize;
        lengths += is_len.count_ones() as usize;
        numbers += is_number.count_ones() as usize;
        if stops != 0 {
            break;
        }
    }
    (to.literal_count, to.number_count) = (literals, numbers);
}
