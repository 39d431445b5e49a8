//! Copies without a branch on the length, which write past their ends.

/// Bytes that [`wide`] copies.
pub(super) const WIDE: usize = 32;
/// Bytes of a step of [`repeat`].
pub(super) const STEP: usize = 16;

/// Copies WIDE bytes: loads all before it stores any.
///
/// # Safety
/// They can be read and written.
#[inline(always)]
pub(super) unsafe fn wide(from: *const u8, to: *mut u8) {
    // SAFETY: see above.
    unsafe { to.cast::<[u8; WIDE]>().write_unaligned(from.cast::<[u8; WIDE]>().read_unaligned()) }
}

/// By the length of a pattern of up to eight bytes: the mask of its bits, and a factor, with a bit
/// at each repetition, whose product with it fills eight bytes.
static PATTERNS: [(u64, u64); 9] = {
    let mut patterns = [(0, 0); 9];
    let mut len = 1;
    while len <= 8 {
        let (mut factor, mut at) = (0, 0);
        while at < 8 {
            factor |= 1 << (8 * at);
            at += len;
        }
        patterns[len] = (u64::MAX >> (64 - 8 * len), factor);
        len += 1;
    }
    patterns
};

/// Repeats the last `offset` bytes until there are `len` more.
///
/// Not inlined: its cases would take registers from loops that rarely call it.
///
/// # Safety
/// `offset` bytes before `to`, at least one, can be read, and `len + STEP` bytes from there on be
/// written and read.
#[inline(never)]
pub(super) unsafe fn repeat(to: *mut u8, offset: usize, len: usize) {
    let mut done = 0;
    // SAFETY: every step begins below `len`, and writes STEP bytes at most. It reads from `offset`
    // bytes before its place, and the eight bytes of a pattern end before `to + STEP`.
    unsafe {
        if offset <= 8 {
            let (mask, factor) = PATTERNS[offset];
            let last = u64::from_le_bytes(to.cast_const().sub(offset).cast::<[u8; 8]>().read_unaligned());
            let pattern = (last & mask).wrapping_mul(factor);
            if offset.is_power_of_two() {
                // Eight bytes are whole patterns, and so are sixteen.
                let pattern = u128::from(pattern) << 64 | u128::from(pattern);
                while done < len {
                    to.add(done).cast::<[u8; STEP]>().write_unaligned(pattern.to_le_bytes());
                    done += STEP;
                }
                return;
            }
            while done < len {
                to.add(done).cast::<[u8; 8]>().write_unaligned(pattern.to_le_bytes());
                // The whole patterns in eight bytes.
                done += 8 - 8 % offset;
            }
        } else if offset < STEP {
            while done < len {
                let at = to.add(done);
                at.cast::<[u8; 8]>()
                    .write_unaligned(at.cast_const().sub(offset).cast::<[u8; 8]>().read_unaligned());
                done += 8;
            }
        } else {
            while done < len {
                step(to.add(done).cast_const().sub(offset), to.add(done));
                done += STEP;
            }
        }
    }
}

/// Copies STEP bytes: loads all before it stores any.
///
/// # Safety
/// They can be read and written.
#[inline(always)]
unsafe fn step(from: *const u8, to: *mut u8) {
    // SAFETY: see above.
    unsafe { to.cast::<[u8; STEP]>().write_unaligned(from.cast::<[u8; STEP]>().read_unaligned()) }
}
