//! Copy of literals and matches for chunks with near matches, such as columns of numbers and runs.
//!
//! A load of bytes that several stores have just written waits until those have left the store
//! buffer, and a near match is such a load. So the last bytes written are kept in a register, and
//! near matches are taken from it.

use std::arch::x86_64::*;

use crate::deflate::inflate::batch::portable::copy as copy_exactly;
use crate::deflate::inflate::batch::tokens::{NEAR, Sequences};
use crate::deflate::inflate::simd::barrier::barrier;
use crate::deflate::inflate::simd::copy;

/// Bytes of one copy, and of the register.
const WIDE: usize = NEAR;

/// By distance: indices of a pattern of that many bytes, repeated, for a vector from any of them
/// on.
static REPEATED: [[u8; 2 * WIDE]; WIDE + 1] = {
    let mut places = [[0; 2 * WIDE]; WIDE + 1];
    let mut distance = 1;
    while distance <= WIDE {
        let mut i = 0;
        while i < 2 * WIDE {
            places[distance][i] = (i % distance) as u8;
            i += 1;
        }
        distance += 1;
    }
    places
};

/// By distance: bytes of a vector that are whole patterns.
static WHOLE: [u8; WIDE + 1] = {
    let mut lengths = [0; WIDE + 1];
    let mut distance = 1;
    while distance <= WIDE {
        lengths[distance] = (WIDE - WIDE % distance) as u8;
        distance += 1;
    }
    lengths
};

/// As `copy::copy`.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2")]
pub(crate) unsafe fn copy(
    sequences: &Sequences,
    output: &mut [u8],
    start: usize,
    at: usize,
) -> Option<usize> {
    assert!(start <= at && at <= output.len() && sequences.literal_count <= sequences.literals.len() - WIDE);
    let mut at = at;
    if at < WIDE {
        return copy_exactly(sequences, (0, 0), output, start, at);
    }
    let base = output.as_mut_ptr();
    // SAFETY: arrays of 64 bytes.
    let repeated = |distance: usize| unsafe { _mm256_loadu_si256(REPEATED[distance].as_ptr().cast()) };
    // A pattern as long as the vector: the numbers from 0 on.
    let up = repeated(WIDE);
    // SAFETY: 32 bytes have been written before `at`.
    let mut last = unsafe { _mm256_loadu_si256(base.add(at - WIDE).cast()) };
    let further = |places, by: usize| _mm256_add_epi8(places, _mm256_set1_epi8(by as i8));
    let matches = sequences.matches[..sequences.number_count].as_chunks().0;
    let mut done = 0;
    for (i, (&[len, distance], &before)) in matches.iter().zip(&sequences.before).enumerate() {
        let (len, distance, before) = (usize::from(len), usize::from(distance), usize::from(before));
        let run = before.checked_sub(done)?;
        let to = at + run;
        // Each copy below writes less than WIDE bytes past its end.
        if to + len + WIDE > output.len() || before > sequences.literal_count {
            return copy_exactly(sequences, (i, done), output, start, at);
        }
        if distance > to - start || distance == 0 {
            return None;
        }
        // SAFETY: literals are read up to WIDE past `before`, and output is written up to WIDE past
        // the match; both have just been checked. Output is read at WIDE or further, and from
        // `start` on for a match.
        unsafe {
            let literals = sequences.literals.as_ptr().add(done);
            let mut literal = _mm256_loadu_si256(literals.cast());
            _mm256_storeu_si256(base.add(at).cast(), literal);
            let mut after = run;
            if run > WIDE {
                copy::more(literals, base.add(at), WIDE, run);
                (last, literal, after) = (_mm256_loadu_si256(literals.add(run - WIDE).cast()), last, 0);
            }
            // The match is taken from the register before these literals and from the literals, not
            // from the register after them, so that the two don't wait for each other.
            let to = base.add(to);
            let first = match distance {
                ..=WIDE => {
                    let places = further(repeated(distance), WIDE - distance + after);
                    _mm256_permutex2var_epi8(last, places, literal)
                }
                _ => _mm256_loadu_si256(to.sub(distance).cast()),
            };
            _mm256_storeu_si256(to.cast(), first);
            last = _mm256_permutex2var_epi8(last, further(up, after), literal);
            last = match len {
                ..=WIDE => _mm256_permutex2var_epi8(last, further(up, len), first),
                _ => more(to, first, distance, len),
            };
        }
        at = to + len;
        done = before;
    }
    // SAFETY: the processor has the features.
    unsafe { copy::last_literals(sequences, done, output, start, at) }
}

/// Writes the rest of a match after its first `WIDE` bytes, `first`; returns its last `WIDE`.
///
/// # Safety
/// The processor has the features; the match can be read from `distance` before `to`, and `len` and
/// `WIDE` bytes can be written to `to`.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512vbmi")]
unsafe fn more(to: *mut u8, first: __m256i, distance: usize, len: usize) -> __m256i {
    // SAFETY: the caller's.
    unsafe {
        let step = if distance <= WIDE { usize::from(WHOLE[distance]) } else { WIDE };
        let mut moved = step;
        while moved < len {
            let next =
                if distance <= WIDE { first } else { _mm256_loadu_si256(to.add(moved).sub(distance).cast()) };
            _mm256_storeu_si256(to.add(moved).cast(), next);
            moved = barrier(moved + step);
        }
        if distance > WIDE {
            return _mm256_loadu_si256(to.add(len - WIDE).cast());
        }
        // The pattern, from where its last WIDE bytes begin.
        let places = _mm256_loadu_si256(REPEATED[distance].as_ptr().add((len - WIDE) % distance).cast());
        _mm256_permutexvar_epi8(places, first)
    }
}
