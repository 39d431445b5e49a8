//! Decoder of a block's symbols that checks only at the beginning of each turn: up to three
//! literals, or up to two and a match. All `unsafe` of streaming is here.
//!
//! Between turns the register has at least 56 bits, enough for two literals and a length; a
//! distance gets bits of its own. The next symbol is looked up before a match is copied.

#![allow(unsafe_code)]

use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

use super::bit_reader::BitReader;
use super::fault::StreamFault;
use super::output::{Match, OutputRegion};
use super::tables::{
    CODEWORD_BITS, DISTANCE_ROOT, END, LITERAL, LITERAL_ROOT, OTHER, TABLE_LINK, TAKEN, Tables, VALUE,
};
#[cfg(target_arch = "x86_64")]
use crate::deflate::inflate::simd::{
    barrier::barrier,
    copy::{REPEATED, WHOLE as WHOLE_32},
};
#[cfg(target_arch = "x86_64")]
use crate::deflate::isa::has_avx2;
use crate::deflate::isa::{IsaLevel, has_avx512_for_decoding};

/// Bytes past the end of a match that may be written.
pub(super) const PAST: usize = 40;
/// Bytes that one turn reads at most, with those that it looks at: 8 for each of two fills.
const READ: usize = 16;
/// The same for the first turn, with another fill before it.
const FIRST_READ: usize = 24;

/// Distance between bytes that [`touch_pages`] writes.
const PAGE: usize = 4 << 10;

/// The longest match.
const MAX_MATCH: usize = 258;

/// Turns without checks, as far as they are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fast {
    /// Not at all: every symbol is decoded with all checks.
    Never,
    /// With no higher ISA level than this.
    UpTo(IsaLevel),
}

impl Fast {
    /// Decodes symbols. Returns `false` if too little input or room remains for a turn, and `true`
    /// at the end of the block.
    pub(super) fn run(
        self,
        tables: &Tables,
        bits: &mut BitReader<'_>,
        region: &mut OutputRegion<'_>,
    ) -> Result<bool, StreamFault> {
        let Self::UpTo(_isa_level) = self else { return Ok(false) };
        if !has_turn(bits, region) {
            return Ok(false);
        }
        // SAFETY: the preconditions of `turns` have just been checked, and the features, too.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            if self.is_exact() {
                return turns_avx512(tables, bits, region);
            } else if _isa_level >= IsaLevel::Avx2 && has_avx2() {
                return turns_avx2(tables, bits, region);
            }
            turns::<Words>(tables, bits, region)
        }
    }

    /// Returns whether no byte behind a match is written.
    pub(super) fn is_exact(self) -> bool {
        self == Self::UpTo(IsaLevel::Avx512) && has_avx512_for_decoding()
    }
}

/// Checks the preconditions of [`turns`]: whether there is input and room for one.
fn has_turn(bits: &BitReader<'_>, region: &OutputRegion<'_>) -> bool {
    if bits.input.len() - bits.at < FIRST_READ || region.at + 2 > region.until {
        return false;
    }
    assert!(region.floor <= region.at && region.until + 1 + MAX_MATCH + PAST <= region.bytes.len());
    true
}

/// # Safety
/// As for [`turns`], and the processor has AVX2 and BMI2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2")]
unsafe fn turns_avx2(
    tables: &Tables,
    bits: &mut BitReader<'_>,
    region: &mut OutputRegion<'_>,
) -> Result<bool, StreamFault> {
    // SAFETY: the caller's.
    unsafe { turns::<Vectors>(tables, bits, region) }
}

/// # Safety
/// As for [`turns`], and the processor has AVX-512 and BMI2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,avx512f,avx512bw,avx512vl")]
unsafe fn turns_avx512(
    tables: &Tables,
    bits: &mut BitReader<'_>,
    region: &mut OutputRegion<'_>,
) -> Result<bool, StreamFault> {
    // SAFETY: the caller's.
    unsafe { turns::<Masked>(tables, bits, region) }
}

/// The lowest `count` bits.
#[inline(always)]
fn low(bits: u64, count: u32) -> usize {
    (bits & !(u64::MAX << (count & 63))) as usize
}

/// A table entry, and the bits that it was found by.
#[derive(Clone, Copy)]
struct Found {
    entry: u32,
    bits: u64,
}

impl Found {
    #[inline(always)]
    fn is(self, what: u32) -> bool {
        self.entry & what != 0
    }

    /// The value of a length or distance.
    #[inline(always)]
    fn value(self) -> usize {
        let Self { entry, bits } = self;
        (entry >> VALUE) as usize + (low(bits, entry & TAKEN) >> (entry >> CODEWORD_BITS & TAKEN))
    }
}

/// The next bits of the input.
struct Register {
    bits: u64,
    /// Number of valid bits: the lowest byte, as whole entries are subtracted.
    count: u32,
    input: *const u8,
}

impl Register {
    /// Provides 56 bits at least.
    ///
    /// # Safety
    /// Eight bytes of input can be read.
    #[inline(always)]
    unsafe fn fill(&mut self) {
        // SAFETY: the caller's.
        unsafe {
            self.bits |= u64::from_le(self.input.cast::<u64>().read_unaligned()).wrapping_shl(self.count);
            self.input = self.input.add(7 - (self.count >> 3 & 7) as usize);
        }
        self.count |= 56;
    }

    /// Takes a word.
    #[inline(always)]
    fn take(&mut self, entry: u32) -> Found {
        let found = Found { entry, bits: self.bits };
        self.bits >>= entry & TAKEN;
        self.count = self.count.wrapping_sub(entry);
        found
    }

    /// Returns the index of the entry that a link leads to.
    #[inline(always)]
    fn linked(&self, link: Found) -> usize {
        (link.entry >> VALUE) as usize + low(self.bits, link.entry >> CODEWORD_BITS & 15)
    }
}

/// # Safety
/// There are `FIRST_READ` bytes of input, `floor` is at most `at`, and there is room for a match
/// and `PAST` after `until`.
#[inline(always)]
unsafe fn turns<C: Copy>(
    tables: &Tables,
    from: &mut BitReader<'_>,
    region: &mut OutputRegion<'_>,
) -> Result<bool, StreamFault> {
    let (literals, distances) = (tables.literals.as_ptr(), tables.distances.as_ptr());
    let base = region.bytes.as_mut_ptr();
    let start = from.input.as_ptr();
    // A turn begins only with READ bytes of input, the first one with more, and reads no more. It
    // begins not behind `until` less 2, from where literals get to `until` and a match to MAX_MATCH
    // behind that. Matches are read from `floor` on.
    // SAFETY: so input and output are as far as the caller says. Indexes of tables: bits of the
    // root are fewer than entries, and links lead to filled entries.
    unsafe {
        let last_input = start.add(from.input.len() - READ);
        let last_output = base.add(region.until - 2);
        let floor = base.add(region.floor);
        let mut next = Register { bits: from.bits, count: from.count, input: start.add(from.at) };
        let mut output = base.add(region.at);
        next.fill();
        // Looked up before a match is copied, which takes as long.
        let mut entry = *literals.add(low(next.bits, LITERAL_ROOT));
        region.last = Match::default();
        let result = loop {
            let mut found = next.take(entry);
            if found.is(LITERAL) {
                output.write((found.entry >> VALUE) as u8);
                output = output.add(1);
                found = next.take(*literals.add(low(next.bits, LITERAL_ROOT)));
                if found.is(LITERAL) {
                    output.write((found.entry >> VALUE) as u8);
                    output = output.add(1);
                    found = next.take(*literals.add(low(next.bits, LITERAL_ROOT)));
                    if found.is(LITERAL) {
                        output.write((found.entry >> VALUE) as u8);
                        output = output.add(1);
                        entry = *literals.add(low(next.bits, LITERAL_ROOT));
                        next.fill();
                        if next.input > last_input || output > last_output {
                            break Ok(false);
                        }
                        continue;
                    }
                }
            }
            if found.is(OTHER) {
                if found.is(TABLE_LINK) {
                    found = next.take(*literals.add(next.linked(found)));
                }
                if found.is(LITERAL) {
                    output.write((found.entry >> VALUE) as u8);
                    output = output.add(1);
                    entry = *literals.add(low(next.bits, LITERAL_ROOT));
                    next.fill();
                    if next.input > last_input || output > last_output {
                        break Ok(false);
                    }
                    continue;
                }
                if found.is(OTHER) {
                    break if found.is(END) { Ok(true) } else { Err(StreamFault::Symbol) };
                }
            }
            let len = found.value();
            entry = *distances.add(low(next.bits, DISTANCE_ROOT));
            next.fill();
            let mut found = next.take(entry);
            if found.is(OTHER) {
                if found.is(TABLE_LINK) {
                    found = next.take(*distances.add(next.linked(found)));
                }
                if found.is(OTHER) {
                    break Err(StreamFault::Distance);
                }
            }
            let distance = found.value();
            if distance > output.offset_from_unsigned(floor) {
                region.last = Match { len, distance };
                break Err(StreamFault::TooFar);
            }
            entry = *literals.add(low(next.bits, LITERAL_ROOT));
            next.fill();
            C::copy(output, distance, len);
            output = output.add(len);
            if next.input > last_input || output > last_output {
                region.last = Match { len, distance };
                break Ok(false);
            }
        };
        (from.bits, from.count) = (next.bits, next.count & 63);
        from.at = next.input.offset_from_unsigned(start);
        region.at = output.offset_from_unsigned(base);
        result
    }
}

/// Copies of matches, on a kind of processor.
trait Copy {
    /// Copies `len` bytes from `distance` before `to`, as if one by one.
    ///
    /// # Safety
    /// The processor has the features. `distance` bytes before `to` can be read; `len`, of 258 at
    /// most, and `PAST` from it on be written.
    unsafe fn copy(to: *mut u8, distance: usize, len: usize);
}

/// Words of eight bytes.
struct Words;

impl Copy for Words {
    #[inline(always)]
    unsafe fn copy(to: *mut u8, distance: usize, len: usize) {
        // SAFETY: everything below reads from `to - distance` on, and writes less than 32 bytes
        // past the end.
        unsafe {
            let from = to.sub(distance).cast_const();
            if distance >= 8 {
                // Most matches are short, and a loop that runs once costs more than needless
                // copies.
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
}

/// By distance: bytes of eight that are whole repetitions.
static WHOLE: [u8; 8] = [8, 8, 8, 6, 8, 5, 6, 7];

/// Copies a match of fewer than eight bytes back, as a word of repetitions.
///
/// # Safety
/// As for [`Copy::copy`], and `distance` is 1 to 7.
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

/// Distance to output that is brought to the cache: a call saves what a chunk of it holds before it
/// decodes to that.
const AHEAD: usize = 12 << 10;

/// Vectors of 32 bytes.
#[cfg(target_arch = "x86_64")]
struct Vectors;

#[cfg(target_arch = "x86_64")]
impl Copy for Vectors {
    #[inline(always)]
    unsafe fn copy(to: *mut u8, distance: usize, len: usize) {
        use std::arch::x86_64::*;
        // SAFETY: everything below reads from `to - distance` on, and writes less than 32 bytes
        // past the end. Bytes that the match itself writes are read after that, or past its end. A
        // prefetch has no effect but on the cache.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(to.wrapping_add(AHEAD).cast());
            let from = to.sub(distance).cast_const();
            if (distance >= 32) | (len <= distance) {
                _mm256_storeu_si256(to.cast(), _mm256_loadu_si256(from.cast()));
                let mut moved = 32;
                while moved < len {
                    _mm256_storeu_si256(to.add(moved).cast(), _mm256_loadu_si256(from.add(moved).cast()));
                    // So that the compiler does not unroll a loop that mostly runs once.
                    moved = barrier(moved + 32);
                }
            } else if distance >= 16 {
                let mut moved = 0;
                while moved < len {
                    _mm_storeu_si128(to.add(moved).cast(), _mm_loadu_si128(from.add(moved).cast()));
                    moved = barrier(moved + 16);
                }
            } else {
                let places = _mm256_loadu_si256(REPEATED[distance].as_ptr().cast());
                let bytes = _mm256_broadcastsi128_si256(_mm_loadu_si128(from.cast()));
                let pattern = _mm256_shuffle_epi8(bytes, places);
                let whole = usize::from(WHOLE_32[distance]);
                let mut moved = 0;
                while moved < len {
                    _mm256_storeu_si256(to.add(moved).cast(), pattern);
                    moved = barrier(moved + whole);
                }
            }
        }
    }
}

/// Vectors of 32 bytes, of which the last one is written up to the end of the match.
#[cfg(target_arch = "x86_64")]
struct Masked;

#[cfg(target_arch = "x86_64")]
impl Copy for Masked {
    #[inline(always)]
    unsafe fn copy(to: *mut u8, distance: usize, len: usize) {
        use std::arch::x86_64::*;
        // SAFETY: everything below reads from `to - distance` on, and writes the match only. Bytes
        // that the match itself writes are read after that, or are not written.
        unsafe {
            let from = to.sub(distance).cast_const();
            let mut moved = 0;
            if (distance >= 32) | (len <= distance) {
                while len - moved > 32 {
                    _mm256_storeu_si256(to.add(moved).cast(), _mm256_loadu_si256(from.add(moved).cast()));
                    // So that the compiler does not unroll a loop that mostly does not run.
                    moved = barrier(moved + 32);
                }
                let bytes = _mm256_loadu_si256(from.add(moved).cast());
                _mm256_mask_storeu_epi8(to.add(moved).cast(), first(len - moved), bytes);
            } else if distance >= 16 {
                while len - moved > 16 {
                    _mm_storeu_si128(to.add(moved).cast(), _mm_loadu_si128(from.add(moved).cast()));
                    moved = barrier(moved + 16);
                }
                let bytes = _mm_loadu_si128(from.add(moved).cast());
                _mm_mask_storeu_epi8(to.add(moved).cast(), first(len - moved) as u16, bytes);
            } else {
                let places = _mm256_loadu_si256(REPEATED[distance].as_ptr().cast());
                let bytes = _mm256_broadcastsi128_si256(_mm_loadu_si128(from.cast()));
                let pattern = _mm256_shuffle_epi8(bytes, places);
                let whole = usize::from(WHOLE_32[distance]);
                while len - moved > 32 {
                    _mm256_storeu_si256(to.add(moved).cast(), pattern);
                    moved = barrier(moved + whole);
                }
                _mm256_mask_storeu_epi8(to.add(moved).cast(), first(len - moved), pattern);
            }
        }
    }
}

/// Returns the mask of the first `count` bytes of a vector, up to 32.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn first(count: usize) -> u32 {
    low(u64::from(u32::MAX), count as u32) as u32
}

/// Writes a byte of every page that begins in `bytes`, as it is. A page of fresh memory that is
/// read before it is written takes two page faults.
pub(crate) fn touch_pages(bytes: &mut [u8]) {
    let first = bytes.as_ptr().align_offset(PAGE);
    for byte in bytes.iter_mut().skip(first).step_by(PAGE) {
        // SAFETY: an exclusive reference is valid for reads and writes, and has no other user.
        let byte = unsafe { AtomicU8::from_ptr(byte) };
        // The processor writes the byte whether it is 0 or not.
        let _ = byte.compare_exchange(0, 0, Relaxed, Relaxed);
    }
}
