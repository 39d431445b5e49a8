//! Symbols of DEFLATE's two alphabets (RFC 1951, section 3.2.5).

/// The symbol that ends a block.
pub(super) const END_OF_BLOCK: usize = 256;

/// The symbol of the shortest match length.
const FIRST_LENGTH: usize = 257;

/// Minimum length of a match.
pub(super) const MIN_LENGTH: usize = 3;

/// Maximum length of a match.
pub(super) const MAX_LENGTH: usize = 258;

/// A token of the parse.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// A literal byte.
    Literal(u8),
    /// A match with earlier bytes.
    Match {
        /// [`MIN_LENGTH`] to [`MAX_LENGTH`] bytes.
        length: usize,
        /// The distance, from 1.
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
    /// Number of extra bits.
    pub extra_bits: u32,
}

/// Returns the symbol of a match length from [`MIN_LENGTH`] to [`MAX_LENGTH`].
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

/// Returns the symbol of a distance; a group has two symbols.
pub(super) fn distance(distance: usize) -> Coded {
    grouped(distance - 1, 2)
}

/// Returns the symbol of a value. The first two groups have no extra bits, and each later one has
/// one more. A group covers the same number of values as all before it.
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
