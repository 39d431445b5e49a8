//! Positions of packed values, for the tables that are made at compile time.

use crate::packed::Order;

/// Returns the byte of value `i`'s lowest bit, and the number of the bit in it.
pub(super) const fn lowest(i: usize, width: usize, order: Order) -> (usize, usize) {
    match order {
        Order::Little => (i * width / 8, i * width % 8),
        Order::Big => {
            let last = i * width + width - 1;
            (last / 8, 7 - last % 8)
        }
    }
}

/// Returns the `n`th byte from `byte` on towards a value's higher bits. Beyond the bytes of a value
/// it may be any.
pub(super) const fn above(byte: usize, n: usize, order: Order) -> usize {
    match order {
        Order::Little => byte + n,
        Order::Big => byte.wrapping_sub(n),
    }
}

/// Orders, by their index in tables.
pub(super) const ORDERS: [Order; 2] = [Order::Little, Order::Big];
