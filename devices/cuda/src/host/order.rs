//! Order in which the host build runs the threads of a block.

use crate::{Error, Result};

/// Order in which runnable threads of a block take turns. A kernel must not depend on it: a missing
/// barrier shows in one order or another, and each order is the same every time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Order {
    /// Lower threads first.
    #[default]
    Forward,
    /// Higher threads first.
    Backward,
    /// A random order with this seed, above 1.
    Random(u64),
}

/// `forward`, `backward`, or a seed above 1.
const VARIABLE: &str = "PELTON_HOST_ORDER";

impl Order {
    pub(super) fn of_environment() -> Result<Order> {
        match std::env::var(VARIABLE) {
            Ok(text) => Order::parse(&text).ok_or_else(|| {
                Error::bad_call(format!(
                    "{VARIABLE} is '{text}'; it may be forward, backward or a number above 1"
                ))
            }),
            Err(_) => Ok(Order::Forward),
        }
    }

    fn parse(text: &str) -> Option<Order> {
        match text {
            "" | "forward" => Some(Order::Forward),
            "backward" => Some(Order::Backward),
            seed => seed.parse().ok().filter(|seed| *seed > 1).map(Order::Random),
        }
    }

    /// Returns the number in `struct Launch`.
    pub(super) fn number(self) -> u64 {
        match self {
            Order::Forward => 0,
            Order::Backward => 1,
            // zero and one are the other orders
            Order::Random(seed) => seed.max(2),
        }
    }
}

#[cfg(test)]
mod tests;
