//! Symbols of LZ77, their numbers in DEFLATE's alphabets, and counts.

use crate::config::MIN_MATCH;

/// A symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symbol {
    /// A byte.
    Literal(u8),
    /// A copy of earlier bytes.
    Match {
        /// Bytes of the match.
        length: u16,
        /// Bytes back to its source.
        distance: u32,
    },
}

/// Number of literals and lengths, with the end of a block.
pub const LITERALS: usize = 286;
/// Number of distances.
pub const DISTANCES: usize = 30;
/// The end of a block.
pub const END_OF_BLOCK: usize = 256;

/// Extra bits of the lengths (RFC 1951, section 3.2.5).
const LENGTH_EXTRA: [u8; 29] =
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];

/// By length symbol less 257: the minimum length and the number of extra bits.
pub const LENGTH: [(u16, u8); 29] = {
    let mut table = [(0, 0); 29];
    let (mut base, mut symbol) = (MIN_MATCH as u16, 0);
    while symbol < 28 {
        table[symbol] = (base, LENGTH_EXTRA[symbol]);
        base += 1 << LENGTH_EXTRA[symbol];
        symbol += 1;
    }
    // The longest match has a symbol of its own.
    table[28] = (258, 0);
    table
};

/// By distance symbol: the minimum distance and the number of extra bits.
pub const DISTANCE: [(u32, u8); DISTANCES] = {
    let mut table = [(0, 0); DISTANCES];
    let (mut base, mut symbol) = (1, 0);
    while symbol < DISTANCES {
        let extra = if symbol < 2 { 0 } else { symbol as u8 / 2 - 1 };
        table[symbol] = (base, extra);
        base += 1 << extra;
        symbol += 1;
    }
    table
};

/// By length less three: the length's symbol less 257.
static LENGTH_SYMBOLS: [u8; 256] = {
    let mut symbols = [0; 256];
    let mut symbol = 0;
    while symbol < LENGTH.len() {
        let (base, extra) = LENGTH[symbol];
        let mut length = base;
        while length < base + (1 << extra) && length <= 258 {
            symbols[length as usize - MIN_MATCH] = symbol as u8;
            length += 1;
        }
        symbol += 1;
    }
    symbols
};

/// Returns a length's symbol.
pub fn length_symbol(length: u16) -> usize {
    257 + usize::from(LENGTH_SYMBOLS[usize::from(length) - MIN_MATCH])
}

/// Returns a distance's symbol.
pub fn distance_symbol(distance: u32) -> usize {
    let less = distance - 1;
    match less {
        0..4 => less as usize,
        _ => {
            let log = less.ilog2();
            2 * log as usize + (less >> (log - 1) & 1) as usize
        }
    }
}

/// Counts of symbols, as the engine's counters of 24 bits have them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counts {
    /// By number of the literal or length.
    pub literals: [u32; LITERALS],
    /// By number of the distance.
    pub distances: [u32; DISTANCES],
}

/// Maximum value of a counter.
const MAX_COUNT: u32 = (1 << 24) - 1;

impl Counts {
    /// Counts symbols, and one end of a block.
    pub fn of(symbols: &[Symbol]) -> Counts {
        let mut counts = Counts { literals: [0; LITERALS], distances: [0; DISTANCES] };
        for &symbol in symbols {
            match symbol {
                Symbol::Literal(byte) => increase(&mut counts.literals[usize::from(byte)]),
                Symbol::Match { length, distance } => {
                    increase(&mut counts.literals[length_symbol(length)]);
                    increase(&mut counts.distances[distance_symbol(distance)]);
                }
            }
        }
        counts.literals[END_OF_BLOCK] = 1;
        counts
    }

    /// Sets counts of zero to one, so that a table has all lengths and distances, and on demand all
    /// literals: another pass or other data may need them.
    pub fn fill_zeros(&mut self, with_literals: bool) {
        let from = if with_literals { 0 } else { END_OF_BLOCK };
        for count in self.literals[from..].iter_mut().chain(&mut self.distances) {
            *count = (*count).max(1);
        }
    }
}

fn increase(count: &mut u32) {
    *count = (*count + 1).min(MAX_COUNT);
}
