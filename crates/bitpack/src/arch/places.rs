//! Where packed values are: for the tables, which are made when this is compiled.

use crate::source::Order;

/// Where value `i`'s lowest bit is: in which byte, and which bit of it.
pub(super) const fn lowest(i: usize, width: usize, order: Order) -> (usize, usize) {
    match order {
        Order::Little => (i * width / 8, i * width % 8),
        Order::Big => {
            let last = i * width + width - 1;
            (last / 8, 7 - last % 8)
        }
    }
}

/// The byte that is the `n`th from `byte` on towards a value's higher bits, where no value has
/// more: then it may be any.
pub(super) const fn above(byte: usize, n: usize, order: Order) -> usize {
    match order {
        Order::Little => byte + n,
        Order::Big => byte.wrapping_sub(n),
    }
}

/// Where in tables an order's are.
pub(super) const ORDERS: [Order; 2] = [Order::Little, Order::Big];
