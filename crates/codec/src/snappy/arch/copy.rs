//! Copies that write past their ends, where there is room: without a branch on the length.

/// Bytes that [`wide`] copies.
pub(super) const WIDE: usize = 32;
/// Bytes of a step of [`repeat`].
pub(super) const STEP: usize = 16;

/// Copies WIDE bytes, of which all are loaded before any is stored.
///
/// # Safety
/// They can be read and written.
#[inline(always)]
pub(super) unsafe fn wide(from: *const u8, to: *mut u8) {
    // SAFETY: see above.
    unsafe { to.cast::<[u8; WIDE]>().write_unaligned(from.cast::<[u8; WIDE]>().read_unaligned()) }
}

/// By the length of a pattern of up to eight bytes: which bits of eight bytes are its, and what
/// repeats it in all of them when it is multiplied with it, 1 + 2^(8 len) + 2^(16 len) and so on.
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
/// Not inlined: what it takes to be quick in all of its cases, a loop that hardly comes to it need
/// not have in its registers.
///
/// # Safety
/// `offset` bytes before `to`, at least one, can be read, and `len + STEP` bytes from there on be
/// written and read.
#[inline(never)]
pub(super) unsafe fn repeat(to: *mut u8, offset: usize, len: usize) {
    let mut done = 0;
    // SAFETY: every step begins below `len`, and writes STEP bytes at most. What is read begins
    // `offset` bytes before what is written, and the eight bytes of a pattern end before `to +
    // STEP`.
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
                // As many whole patterns as eight bytes have.
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

/// Copies STEP bytes, of which all are loaded before any is stored.
///
/// # Safety
/// They can be read and written.
#[inline(always)]
unsafe fn step(from: *const u8, to: *mut u8) {
    // SAFETY: see above.
    unsafe { to.cast::<[u8; STEP]>().write_unaligned(from.cast::<[u8; STEP]>().read_unaligned()) }
}
