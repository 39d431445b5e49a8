//! Tables of the bytes and bits of each lane, for a vector of packed values.
//!
//! Each part of eight bytes gets the bytes with the values of its lanes (`vpermb`); then each byte
//! of a lane gets eight bits of them, from any bit on (`vpmultishiftqb`). The bits of a lane above
//! its value are masked off.

use crate::arch::places::{ORDERS, above, lowest};
use crate::packed::{Order, Packed};

/// Table for lanes of one size, values of one width, in one order.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Table {
    /// For each byte, the number of the byte that comes there.
    pub gather: [u8; 64],
    /// For each byte, its first bit among those of its eight bytes.
    pub shifts: [u8; 64],
}

/// The width of values that come in pairs with more than eight bytes: a pair can start with any
/// even bit.
pub(super) const ODD: u32 = 31;

/// Table for values of [`ODD`] bits, which have up to five bytes each.
#[repr(C, align(64))]
pub(super) struct OddTable {
    /// For each byte, the one that comes there: four bytes of each value.
    pub gather: [u8; 64],
    /// The same for the fifth byte, in each lane's lowest byte. The higher ones are shifted out.
    pub fifth: [u8; 64],
    /// The bit of the first byte that each value starts with.
    pub shifts: [u32; 16],
}

impl Table {
    const fn new(lane: usize, width: usize, order: Order) -> Self {
        let mut table = Table { gather: [0; 64], shifts: [0; 64] };
        let lanes = 8 / lane;
        let mut part = 0;
        while part < 8 {
            // The value with the lowest bit in the number that the bytes are.
            let (first, last) = (part * lanes, part * lanes + lanes - 1);
            let (byte, shift) =
                lowest(if matches!(order, Order::Little) { first } else { last }, width, order);
            let mut n = 0;
            while n < 8 {
                table.gather[part * 8 + n] = (above(byte, n, order) % 64) as u8;
                let below = if matches!(order, Order::Little) { n / lane } else { lanes - 1 - n / lane };
                table.shifts[part * 8 + n] = ((shift + below * width + n % lane * 8) % 64) as u8;
                n += 1;
            }
            part += 1;
        }
        table
    }

    /// Returns the tables for every order and width with lanes of `bytes` bytes; with 0, with the
    /// smallest lanes that hold the values.
    const fn all(lane: usize) -> [[Self; 33]; 2] {
        let mut all = [[Table { gather: [0; 64], shifts: [0; 64] }; 33]; 2];
        let mut i = 0;
        while i < 2 * 32 {
            let width = i / 2 + 1;
            let least = if width <= 8 {
                1
            } else if width <= 16 {
                2
            } else {
                4
            };
            all[i % 2][width] = Table::new(if lane == 0 { least } else { lane }, width, ORDERS[i % 2]);
            i += 1;
        }
        all
    }

    /// Returns the table for the smallest lanes that hold the values.
    pub fn narrow(packed: &Packed<'_>) -> &'static Self {
        &NARROW[packed.order() as usize][packed.width() as usize]
    }

    /// Returns the table for lanes of 32 bits.
    pub fn wide(packed: &Packed<'_>) -> &'static Self {
        &WIDE[packed.order() as usize][packed.width() as usize]
    }
}

impl OddTable {
    const fn new(order: Order) -> Self {
        let mut table = OddTable { gather: [0; 64], fifth: [0; 64], shifts: [0; 16] };
        let mut i = 0;
        while i < 16 {
            let (byte, shift) = lowest(i, ODD as usize, order);
            let mut n = 0;
            while n < 4 {
                table.gather[i * 4 + n] = (above(byte, n, order) % 64) as u8;
                n += 1;
            }
            table.fifth[i * 4] = (above(byte, 4, order) % 64) as u8;
            table.shifts[i] = shift as u32;
            i += 1;
        }
        table
    }

    /// Returns the table.
    pub fn of(packed: &Packed<'_>) -> &'static Self {
        &ODDS[packed.order() as usize]
    }
}

static NARROW: [[Table; 33]; 2] = Table::all(0);
static WIDE: [[Table; 33]; 2] = Table::all(4);
static ODDS: [OddTable; 2] = [OddTable::new(Order::Little), OddTable::new(Order::Big)];
