//! Tables of the bytes of each lane (`vpshufb`), and of the shifts after that.
//!
//! AVX2 moves bytes only within half a vector, so each half is loaded from the start of its values.
//! It shifts each lane of 32 bits by its own number; smaller lanes are multiplied, which shifts to
//! the left.

use crate::arch::places::{ORDERS, above, lowest};
use crate::packed::{Order, Packed};

/// A byte that is 0.
const NONE: u8 = 0x80;

/// Table for values of up to seven bits: every other value of a half goes into a lane of two
/// bytes, and then the others. If one load has all values, both halves have them
/// ([`is_in_one_load`]).
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct Small {
    /// For the even values and the odd ones, the bytes that a value is in.
    pub gather: [[u8; 32]; 2],
    /// Factors that move each value to the top of a byte: an even one in the high half of the
    /// product, an odd one in the low half.
    pub factors: [[u16; 16]; 2],
}

/// Table for values of nine to 16 bits: a half has eight, and each is moved to the top of its lane.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct Middle {
    /// The first two bytes of a value that has a third.
    pub lower: [u8; 32],
    /// Factors of these bytes, powers of two: the high half of the product is the part of the value
    /// in its first two bytes. 0 without a third byte.
    pub down: [u16; 16],
    /// The third byte of a value, or the first two if it has none.
    pub upper: [u8; 32],
    /// Factors that move those bytes to their places.
    pub up: [u16; 16],
}

/// Table for values of any width: a half has four, and the second half starts [`Large::half`] bytes
/// after the first. Each value is moved to the top of its lane.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct Large {
    /// The first four bytes of a value that has a fifth.
    pub lower: [u8; 32],
    /// Bits by which those are shifted down.
    pub down: [u32; 8],
    /// The fifth byte of a value, or its bytes if it has no fifth.
    pub upper: [u8; 32],
    /// Bits by which those are shifted up.
    pub up: [u32; 8],
}

/// Returns whether one load has 32 values of a width.
pub(super) const fn is_in_one_load(width: usize) -> bool {
    32 * width / 8 <= 16
}

impl Small {
    const NEW: Self = Small { gather: [[NONE; 32]; 2], factors: [[0; 16]; 2] };

    const fn new(width: usize, order: Order) -> Self {
        let mut table = Self::NEW;
        let mut i = 0;
        while i < 32 {
            let (is_odd, place) = (i % 2, i / 2);
            // The halves are alike if each has bytes of its own.
            let (byte, shift) = lowest(if is_in_one_load(width) { i } else { i % 16 }, width, order);
            // The byte of a value in one byte is the second of two where the product's high half
            // is used.
            let is_in_one = shift + width <= 8;
            let first = place * 2 + (is_in_one && is_odd == 0) as usize;
            table.gather[is_odd][first] = byte as u8;
            if !is_in_one {
                table.gather[is_odd][first + 1] = above(byte, 1, order) as u8;
            }
            let to = if is_odd == 1 { 16 } else { 24 - 8 * is_in_one as usize };
            table.factors[is_odd][place] = 1 << (to - width - shift);
            i += 1;
        }
        table
    }

    const ALL: [[Self; 8]; 2] = {
        let mut all = [[Self::NEW; 8]; 2];
        let mut i = 0;
        while i < 2 * 7 {
            all[i % 2][i / 2 + 1] = Self::new(i / 2 + 1, ORDERS[i % 2]);
            i += 1;
        }
        all
    };

    /// Returns the table for values of at most seven bits.
    pub fn of(packed: &Packed<'_>) -> &'static Self {
        static ALL: [[Small; 8]; 2] = Small::ALL;
        &ALL[packed.order() as usize][packed.width() as usize]
    }
}

impl Middle {
    const NEW: Self = Middle { lower: [NONE; 32], down: [0; 16], upper: [NONE; 32], up: [0; 16] };

    const fn new(width: usize, order: Order) -> Self {
        let mut table = Self::NEW;
        let mut place = 0;
        while place < 16 {
            let (byte, shift) = lowest(place % 8, width, order);
            let two = [byte as u8, above(byte, 1, order) as u8];
            (table.lower[place * 2], table.lower[place * 2 + 1]) = (two[0], two[1]);
            if shift + width > 16 {
                let factor = 1 << (32 - shift - width);
                (table.down[place], table.up[place]) = (factor, factor);
                table.upper[place * 2] = above(byte, 2, order) as u8;
            } else {
                table.up[place] = 1 << (16 - shift - width);
                (table.upper[place * 2], table.upper[place * 2 + 1]) = (two[0], two[1]);
            }
            place += 1;
        }
        table
    }

    /// Returns whether no value of a width has a third byte: the width restricts the bits of a byte
    /// that a value can start with.
    pub const fn is_in_two(width: u32) -> bool {
        matches!(width, 9 | 10 | 12 | 16)
    }

    const ALL: [[Self; 17]; 2] = {
        let mut all = [[Self::NEW; 17]; 2];
        let mut i = 0;
        while i < 2 * 8 {
            all[i % 2][i / 2 + 9] = Self::new(i / 2 + 9, ORDERS[i % 2]);
            i += 1;
        }
        all
    };

    /// Returns the table for values of nine to 16 bits.
    pub fn of(packed: &Packed<'_>) -> &'static Self {
        static ALL: [[Middle; 17]; 2] = Middle::ALL;
        &ALL[packed.order() as usize][packed.width() as usize]
    }
}

impl Large {
    const NEW: Self = Large { lower: [NONE; 32], down: [0; 8], upper: [NONE; 32], up: [0; 8] };

    /// Returns whether no value of a width has a fifth byte: the width restricts the bits of a byte
    /// that a value can start with.
    pub const fn is_in_four(width: u32) -> bool {
        matches!(width, 0..=26 | 28 | 32)
    }

    /// Returns the bytes from the start of the first half to that of the second.
    pub const fn half(width: usize) -> usize {
        4 * width / 8
    }

    const fn new(width: usize, order: Order) -> Self {
        let mut table = Self::NEW;
        let mut lane = 0;
        while lane < 8 {
            let (byte, shift) = lowest(lane, width, order);
            let byte = byte - lane / 4 * Self::half(width);
            let has_fifth = shift + width > 32;
            let four = if has_fifth { &mut table.lower } else { &mut table.upper };
            let mut n = 0;
            while n < 4 && shift + width > n * 8 {
                four[lane * 4 + n] = above(byte, n, order) as u8;
                n += 1;
            }
            if has_fifth {
                table.upper[lane * 4] = above(byte, 4, order) as u8;
                table.down[lane] = (shift + width - 32) as u32;
                table.up[lane] = (64 - shift - width) as u32;
            } else {
                table.up[lane] = (32 - shift - width) as u32;
            }
            lane += 1;
        }
        table
    }

    const ALL: [[Self; 33]; 2] = {
        let mut all = [[Self::NEW; 33]; 2];
        let mut i = 0;
        while i < 2 * 32 {
            all[i % 2][i / 2 + 1] = Self::new(i / 2 + 1, ORDERS[i % 2]);
            i += 1;
        }
        all
    };

    /// Returns the table.
    pub fn of(packed: &Packed<'_>) -> &'static Self {
        static ALL: [[Large; 33]; 2] = Large::ALL;
        &ALL[packed.order() as usize][packed.width() as usize]
    }
}
