//! Look-ups for several lanes in turn, without branches: while one lane waits for its table, the
//! others use the core.
//!
//! A lane's state is a bit buffer of the next bits, lowest first, with a one above them, and a
//! pointer to the byte that the buffer starts in. The zeros above the one count the consumed bits.

use std::arch::x86_64::{_bzhi_u64, _lzcnt_u64};

use super::Avx2;
use crate::deflate::inflate::batch::entry::{CONSUMED, ENTRIES, INDEX_BITS, NEXT_TABLE};
use crate::deflate::inflate::batch::tokens::{CHUNK_INPUT, Cursor, GROUP, GROUPS, LANES, Tables, Tokens};

pub(crate) fn decode(_: Avx2, tables: &Tables, cursors: &mut [Cursor<'_>], tokens: &mut [Tokens; LANES]) {
    check(cursors);
    // SAFETY: Avx2 proves the features; the inputs and offsets have just been checked; each lane
    // has its own tables.
    unsafe { any_number::<ENTRIES>(tables.as_flattened(), cursors, tokens, GROUPS) }
}

pub(crate) fn decode_alike(
    _: Avx2,
    entries: &[u16; ENTRIES],
    cursors: &mut [Cursor<'_>],
    tokens: &mut [Tokens; LANES],
    groups: usize,
) {
    check(cursors);
    assert!(groups <= GROUPS);
    // SAFETY: Avx2 proves the features; the inputs and offsets have just been checked; all lanes
    // share the tables.
    unsafe { any_number::<0>(entries, cursors, tokens, groups) }
}

/// Checks the preconditions of the look-ups.
fn check(cursors: &[Cursor<'_>]) {
    assert!(cursors.len() <= LANES);
    for cursor in cursors {
        assert!(
            cursor.input.len().saturating_sub(cursor.at / 8) >= CHUNK_INPUT && cursor.next & !NEXT_TABLE == 0
        );
    }
}

/// # Safety
/// As for `lanes`, whatever number of cursors there is.
#[target_feature(enable = "bmi1,bmi2,lzcnt")]
unsafe fn any_number<const STRIDE: usize>(
    entries: &[u16],
    cursors: &mut [Cursor<'_>],
    tokens: &mut [Tokens; LANES],
    groups: usize,
) {
    // SAFETY: the caller's.
    unsafe {
        match cursors.len() {
            0 => {}
            1 => lanes::<1, STRIDE>(entries, cursors, tokens, groups),
            2 => lanes::<2, STRIDE>(entries, cursors, tokens, groups),
            3 => lanes::<3, STRIDE>(entries, cursors, tokens, groups),
            4 => lanes::<4, STRIDE>(entries, cursors, tokens, groups),
            _ => lanes::<LANES, STRIDE>(entries, cursors, tokens, groups),
        }
    }
}

/// The one above the window's bits.
const MARK: u64 = 1 << 63;

/// # Safety
/// There are `N` cursors, each with `CHUNK_INPUT` bytes of input from its position and an offset of
/// `NEXT_TABLE`; a lane's four tables start `STRIDE` entries after those of the lane before it.
#[target_feature(enable = "bmi1,bmi2,lzcnt")]
unsafe fn lanes<const N: usize, const STRIDE: usize>(
    entries: &[u16],
    cursors: &mut [Cursor<'_>],
    tokens: &mut [Tokens; LANES],
    groups: usize,
) {
    let base = entries.as_ptr().cast::<u8>();
    let index_bits = std::hint::black_box(INDEX_BITS);
    let Some(cursors) = cursors.first_chunk_mut::<N>() else { return };
    let mut input = [base; N];
    let mut window = [0_u64; N];
    let mut table = [base; N];
    for (i, cursor) in cursors.iter().enumerate() {
        // SAFETY: CHUNK_INPUT bytes follow, and the offset is below a lane's tables.
        unsafe {
            input[i] = cursor.input.as_ptr().add(cursor.at / 8);
            window[i] = (input[i].cast::<u64>().read_unaligned() | MARK) >> (cursor.at % 8);
            table[i] = base.add(usize::from(cursor.next));
        }
    }
    let tokens = tokens.as_mut_ptr();
    let mut at = 0;
    while at < GROUP * groups {
        for k in 0..GROUP {
            for i in 0..N {
                // SAFETY: the index is below a table's length, and the offset in `table` at most
                // that of the last of four tables, so with that of the lane it is within `entries`;
                // `at + k` is below TOKENS.
                unsafe {
                    let index = _bzhi_u64(window[i], index_bits) as usize;
                    let entry = table[i].cast::<u16>().add(i * STRIDE + index).read();
                    (&raw mut (*tokens.add(i)).entries).cast::<u16>().add(at + k).write(entry);
                    (&raw mut (*tokens.add(i)).bit_buffers).cast::<u32>().add(at + k).write(window[i] as u32);
                    window[i] >>= entry & CONSUMED;
                    table[i] = base.add(usize::from(entry & NEXT_TABLE));
                }
            }
        }
        for i in 0..N {
            let consumed = _lzcnt_u64(window[i]);
            // SAFETY: at most a bit buffer is consumed, so the input moves by its bytes at most for
            // each of GROUPS groups, and as much is read: CHUNK_INPUT.
            unsafe {
                input[i] = input[i].add((consumed / 8) as usize);
                window[i] = (input[i].cast::<u64>().read_unaligned() | MARK) >> (consumed % 8);
            }
        }
        at += GROUP;
    }
    for (i, cursor) in cursors.iter_mut().enumerate() {
        let bytes = input[i].addr() - cursor.input.as_ptr().addr();
        cursor.at = 8 * bytes + window[i].leading_zeros() as usize;
        cursor.next = (table[i].addr() - base.addr()) as u16;
    }
}
