//! Which bytes of two times 16 belong into which lane (`vpshufb`), and how far they are to be
//! shifted.
//!
//! AVX2 moves bytes only within 128 bits, so that each half of a vector is loaded from where its
//! values start. It shifts lanes of 32 bits each by its own number; those of 16 bits it can
//! multiply, which shifts to the left.

use crate::arch::places::{ORDERS, above, lowest};
use crate::source::{Order, Packed};

/// A byte that is 0.
const NONE: u8 = 0x80;

/// For values of up to seven bits: 16 in each half, of which every other goes into a lane of 16
/// bits, and then the others. Where 32 values are in 16 bytes, both halves have all of those
/// ([`is_in_one_load`]).
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct Small {
    /// For the even values and the odd ones, the bytes that a value is in.
    pub gather: [[u8; 32]; 2],
    /// What brings each value to the top of a byte: an even one to that of the lowest byte of a
    /// product's high half, an odd one to that of its low half.
    pub factors: [[u16; 16]; 2],
}

/// For values of nine to 16 bits: eight in each half, each of which is brought to the top of its
/// lane.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct Middle {
    /// The first two bytes of a value, for what has to be shifted down.
    pub lower: [u8; 32],
    /// Two to the power of 16 less the bits of the third byte that it has; 0 if it has none. The
    /// high half of the product is what the first two have of it.
    pub down: [u16; 16],
    /// The third byte of a value, or the first two if it has none.
    pub upper: [u8; 32],
    /// What brings those to their places.
    pub up: [u16; 16],
}

/// For values of any width: four in each half, the second of which starts [`Large::half`] bytes
/// after the first. Each is brought to the top of its lane.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct Large {
    /// The first four bytes of a value that has a fifth.
    pub lower: [u8; 32],
    /// How far those are to be shifted down.
    pub down: [u32; 8],
    /// The fifth byte of a value, or all that it has if it has none.
    pub upper: [u8; 32],
    /// How far those are to be shifted up.
    pub up: [u32; 8],
}

/// Whether 32 values of a width are in the 16 bytes of a load.
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
            // Of a value in one byte, that is taken for the second of two where the product's high
            // half is needed.
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

    /// The table for values of at most seven bits.
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

    /// Whether no value of a width has a third byte: of nine bits, they start with any bit up to
    /// the eighth, of ten with an even one, of twelve with the first or the fifth.
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

    /// The table for values of nine to 16 bits.
    pub fn of(packed: &Packed<'_>) -> &'static Self {
        static ALL: [[Middle; 17]; 2] = Middle::ALL;
        &ALL[packed.order() as usize][packed.width() as usize]
    }
}

impl Large {
    const NEW: Self = Large { lower: [NONE; 32], down: [0; 8], upper: [NONE; 32], up: [0; 8] };

    /// Whether no value of a width has a fifth byte: up to 25 bits they start with any bit; of 26
    /// bits with an even one, of 28 with the first or the fifth, of 32 with the first.
    pub const fn is_in_four(width: u32) -> bool {
        matches!(width, 0..=26 | 28 | 32)
    }

    /// How far after the first half the second one starts: where value 4 does.
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

    /// The table.
    pub fn of(packed: &Packed<'_>) -> &'static Self {
        static ALL: [[Large; 33]; 2] = Large::ALL;
        &ALL[packed.order() as usize][packed.width() as usize]
    }
}
