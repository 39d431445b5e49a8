//! Which bytes of two times 16 belong into which lane (`vpshufb`), and how far they are to be shifted.
//!
//! AVX2 moves bytes only within 128 bits, so that each half of a vector is loaded from where its values start. It shifts lanes of 32
//! bits each by its own number; those of 16 bits it can multiply, which shifts to the left.

use crate::arch::places::{ORDERS, above, lowest};
use crate::source::{Order, Packed};

/// A byte that is 0.
const NONE: u8 = 0x80;

/// For values of up to eight bits: 16 in each half, of which eight go into lanes of 16 bits, and then the other eight.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct Small {
    /// For the first eight of each half and the second, the bytes that a value is in.
    pub gather: [[u8; 32]; 2],
    /// What brings each value to the top of its lane.
    pub factors: [[u16; 16]; 2],
}

/// For values of nine to 16 bits: eight in each half.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct Middle {
    /// The first byte of a value, as the high one of its lane.
    pub first: [u8; 32],
    /// The two bytes above.
    pub next: [u8; 32],
    /// Two to the power of 8 less the bit that the value starts with: the high half of the first byte's product, and the low half of
    /// the others', are the value and what is above.
    pub factors: [u16; 16],
}

/// For values of any width: four in each half, the second of which starts [`Large::half`] bytes after the first.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct Large {
    /// The first four bytes of a value.
    pub gather: [u8; 32],
    /// The fifth, if it has one.
    pub fifth: [u8; 32],
    /// The bit of the first byte that the value starts with.
    pub shifts: [u32; 8],
}

impl Small {
    const NEW: Self = Small { gather: [[NONE; 32]; 2], factors: [[0; 16]; 2] };

    const fn new(width: usize, order: Order) -> Self {
        let mut table = Self::NEW;
        let mut i = 0;
        while i < 32 {
            // The halves are alike.
            let (half, which, lane) = (i / 16, i / 8 % 2, i % 8);
            let (byte, shift) = lowest(i % 16, width, order);
            let place = half * 8 + lane;
            table.gather[which][place * 2] = byte as u8;
            if shift + width > 8 {
                table.gather[which][place * 2 + 1] = above(byte, 1, order) as u8;
            }
            table.factors[which][place] = 1 << (16 - width - shift);
            i += 1;
        }
        table
    }

    const ALL: [[Self; 9]; 2] = {
        let mut all = [[Self::NEW; 9]; 2];
        let mut i = 0;
        while i < 2 * 8 {
            all[i % 2][i / 2 + 1] = Self::new(i / 2 + 1, ORDERS[i % 2]);
            i += 1;
        }
        all
    };

    /// The table for values of at most eight bits.
    pub fn of(packed: &Packed<'_>) -> &'static Self {
        static ALL: [[Small; 9]; 2] = Small::ALL;
        &ALL[packed.order() as usize][packed.width() as usize]
    }
}

impl Middle {
    const NEW: Self = Middle { first: [NONE; 32], next: [NONE; 32], factors: [0; 16] };

    const fn new(width: usize, order: Order) -> Self {
        let mut table = Self::NEW;
        let mut place = 0;
        while place < 16 {
            let (byte, shift) = lowest(place % 8, width, order);
            table.first[place * 2 + 1] = byte as u8;
            table.next[place * 2] = above(byte, 1, order) as u8;
            if shift + width > 16 {
                table.next[place * 2 + 1] = above(byte, 2, order) as u8;
            }
            table.factors[place] = 1 << (8 - shift);
            place += 1;
        }
        table
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
    const NEW: Self = Large { gather: [NONE; 32], fifth: [NONE; 32], shifts: [0; 8] };

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
            let mut n = 0;
            while n < 4 && shift + width > n * 8 {
                table.gather[lane * 4 + n] = above(byte, n, order) as u8;
                n += 1;
            }
            if shift + width > 32 {
                table.fifth[lane * 4] = above(byte, 4, order) as u8;
            }
            table.shifts[lane] = shift as u32;
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
