//! Copies of matches, 16 bytes at a time and past their ends.

/// Copies `len` bytes from `distance` before `to`, as if one by one.
///
/// # Safety
/// `distance` bytes before `to` can be read; `len`, of 258 at most, and `PAST` from it on be written.
#[inline(always)]
pub(super) unsafe fn copy(to: *mut u8, distance: usize, len: usize) {
    // SAFETY: everything below reads from `to - distance` on, and writes less than 32 bytes past the end.
    unsafe {
        let from = to.sub(distance).cast_const();
        if distance >= 8 {
            // Most matches have no more than 32 bytes, and a loop that runs once costs more than copies for nothing.
            move_8(from, to);
            move_8(from.add(8), to.add(8));
            move_8(from.add(16), to.add(16));
            move_8(from.add(24), to.add(24));
            let mut moved = 32;
            while moved < len {
                move_8(from.add(moved), to.add(moved));
                move_8(from.add(moved + 8), to.add(moved + 8));
                moved += 16;
            }
        } else {
            repeat(from, to, distance, len);
        }
    }
}

/// By distance: how many of eight bytes are whole repetitions.
static WHOLE: [u8; 8] = [8, 8, 8, 6, 8, 5, 6, 7];

/// A match of what is nearer than eight bytes: a word of repetitions.
///
/// # Safety
/// As for [`copy`], and `distance` is 1 to 7.
#[inline(always)]
unsafe fn repeat(from: *const u8, to: *mut u8, distance: usize, len: usize) {
    // SAFETY: the caller's; eight bytes past the end at most.
    unsafe {
        let mut word = 0;
        if distance == 1 {
            word = u64::from(from.read()) * 0x0101_0101_0101_0101;
        } else {
            let mut bytes = [0; 8];
            for (i, byte) in bytes.iter_mut().enumerate() {
                *byte = from.add(i % distance).read();
            }
            word |= u64::from_ne_bytes(bytes);
        }
        let step = usize::from(WHOLE[distance % 8]);
        let mut moved = 0;
        while moved < len {
            to.add(moved).cast::<u64>().write_unaligned(word);
            moved += step;
        }
    }
}

/// # Safety
/// Eight bytes can be read and written.
#[inline(always)]
unsafe fn move_8(from: *const u8, to: *mut u8) {
    // SAFETY: the caller's.
    unsafe { to.cast::<u64>().write_unaligned(from.cast::<u64>().read_unaligned()) };
}
