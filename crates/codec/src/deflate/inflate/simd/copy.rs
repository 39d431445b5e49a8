//! Writes literals and matches, 32 bytes at a time and past their ends where there is room.

use std::arch::x86_64::*;

use super::barrier::barrier;
use crate::deflate::inflate::batch::portable::copy as copy_exactly;
use crate::deflate::inflate::batch::tokens::Sequences;

/// Bytes of one copy.
const WIDE: usize = 32;
/// Bytes that a shuffle reaches.
const HALF: usize = WIDE / 2;

/// By distance below `HALF`: indices of a pattern of that many bytes, repeated.
pub(crate) static REPEATED: [[u8; WIDE]; HALF] = {
    let mut places = [[0; WIDE]; HALF];
    let mut distance = 1;
    while distance < HALF {
        let mut i = 0;
        while i < WIDE {
            places[distance][i] = (i % distance) as u8;
            i += 1;
        }
        distance += 1;
    }
    places
};

/// By distance below `HALF`: bytes of that which are whole patterns.
pub(crate) static WHOLE: [u8; HALF] = {
    let mut lengths = [0; HALF];
    let mut distance = 1;
    while distance < HALF {
        lengths[distance] = (WIDE - WIDE % distance) as u8;
        distance += 1;
    }
    lengths
};

/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(crate) unsafe fn copy(
    sequences: &Sequences,
    output: &mut [u8],
    start: usize,
    at: usize,
) -> Option<usize> {
    assert!(start <= at && sequences.literal_count <= sequences.literals.len() - WIDE);
    let mut at = at;
    let base = output.as_mut_ptr();
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
        if distance > to - start {
            return None;
        }
        // SAFETY: literals are read up to WIDE past `before`, and output is written up to WIDE past
        // the match; both have just been checked. A match is read from `start` on, and less than
        // WIDE beyond its end, which is before the end of `to`.
        unsafe {
            let literals = sequences.literals.as_ptr().add(done);
            wide(literals, base.add(at));
            if run > WIDE {
                more(literals, base.add(at), WIDE, run);
            }
            let from = base.add(to - distance);
            let to = base.add(to);
            // Near or not: bytes that the match itself writes are read past its end only. Matches
            // that read their own bytes are rare; near ones are too frequent for a branch.
            if len <= distance {
                wide(from, to);
                if len > WIDE {
                    more(from, to, WIDE, len);
                }
            } else {
                overlapping(from, to, distance, len)?;
            }
        }
        at = to + len;
        done = before;
    }
    // SAFETY: the processor has the features.
    unsafe { last_literals(sequences, done, output, start, at) }
}

/// Writes the literals after the last match, from the `done`th on, to `output` from `at`.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) unsafe fn last_literals(
    sequences: &Sequences,
    done: usize,
    output: &mut [u8],
    start: usize,
    at: usize,
) -> Option<usize> {
    let run = sequences.literal_count.checked_sub(done)?;
    let end = at + run;
    if end + WIDE > output.len() {
        return copy_exactly(sequences, (sequences.number_count / 2, done), output, start, at);
    }
    assert!(sequences.literal_count <= sequences.literals.len() - WIDE);
    // SAFETY: literals are read up to WIDE past the last, and output is written up to WIDE past the
    // end: just checked.
    unsafe { more(sequences.literals.as_ptr().add(done), output.as_mut_ptr().add(at), 0, run) };
    Some(end)
}

/// Copies a match that reads its own bytes. `None` if the distance is 0.
///
/// # Safety
/// The processor has the features; the match can be read from `from`, and `len` and `WIDE` bytes
/// can be written to `to`, which is `distance` further.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn overlapping(from: *const u8, to: *mut u8, distance: usize, len: usize) -> Option<()> {
    // SAFETY: the caller's.
    unsafe {
        if distance == 0 {
            return None;
        }
        if distance >= HALF {
            let mut moved = 0;
            while moved < len {
                _mm_storeu_si128(to.add(moved).cast(), _mm_loadu_si128(from.add(moved).cast()));
                moved = barrier(moved + HALF);
            }
            return Some(());
        }
        let places = _mm256_loadu_si256(REPEATED[distance].as_ptr().cast());
        let bytes = _mm256_broadcastsi128_si256(_mm_loadu_si128(from.cast()));
        let pattern = _mm256_shuffle_epi8(bytes, places);
        _mm256_storeu_si256(to.cast(), pattern);
        let whole = usize::from(WHOLE[distance]);
        let mut moved = whole;
        while moved < len {
            _mm256_storeu_si256(to.add(moved).cast(), pattern);
            moved = barrier(moved + whole);
        }
    }
    Some(())
}

/// Copies from `moved` to `len` and less than WIDE further.
///
/// # Safety
/// The bytes can be read and written.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) unsafe fn more(from: *const u8, to: *mut u8, mut moved: usize, len: usize) {
    while moved < len {
        // SAFETY: the caller's.
        unsafe { wide(from.add(moved), to.add(moved)) };
        // So that the compiler does not unroll a loop that mostly runs once.
        moved = barrier(moved + WIDE);
    }
}

/// # Safety
/// WIDE bytes can be read and written.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn wide(from: *const u8, to: *mut u8) {
    // SAFETY: the caller's.
    unsafe { _mm256_storeu_si256(to.cast(), _mm256_loadu_si256(from.cast())) }
}
