//! The symbols of DEFLATE's two alphabets (RFC 1951, section 3.2.5).

/// The symbol that ends a block.
pub(super) const END_OF_BLOCK: usize = 256;

/// The symbol of the shortest match length.
const FIRST_LENGTH: usize = 257;

/// Shortest match.
pub(super) const MIN_LENGTH: usize = 3;

/// Longest match.
pub(super) const MAX_LENGTH: usize = 258;

/// A step of the parse.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// A byte as it is.
    Literal(u8),
    /// A copy of bytes before.
    Match {
        /// [`MIN_LENGTH`] to [`MAX_LENGTH`] bytes.
        length: usize,
        /// How far back, from 1.
        distance: usize,
    },
}

/// A symbol of an alphabet and the bits that follow its code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Coded {
    /// The symbol's number.
    pub symbol: usize,
    /// Value of the extra bits.
    pub extra: u32,
    /// How many extra bits there are.
    pub extra_bits: u32,
}

/// The symbol of a match length of [`MIN_LENGTH`] to [`MAX_LENGTH`].
///
/// Groups of four symbols have the same number of extra bits, one more for each group; the longest
/// length has a symbol of its own.
pub(super) fn length(length: usize) -> Coded {
    if length == MAX_LENGTH {
        return Coded { symbol: 285, extra: 0, extra_bits: 0 };
    }
    let coded = grouped(length - MIN_LENGTH, 4);
    Coded { symbol: FIRST_LENGTH + coded.symbol, ..coded }
}

/// The symbol of a distance of 1 to 32768: the same with groups of two.
pub(super) fn distance(distance: usize) -> Coded {
    grouped(distance - 1, 2)
}

/// The symbol of a value, where the first two groups have no extra bits and each after it has one
/// more. A group covers as many values as all before it.
fn grouped(value: usize, group: usize) -> Coded {
    let mut extra_bits = 0;
    while value >> extra_bits >= 2 * group {
        extra_bits += 1;
    }
    Coded {
        symbol: extra_bits * group + (value >> extra_bits),
        extra: (value & ((1 << extra_bits) - 1)) as u32,
        extra_bits: extra_bits as u32,
    }
}

#[cfg(test)]
mod tests;
