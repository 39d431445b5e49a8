//! Matches, tokens, and the symbols that stand for them (RFC 1951, section 3.2.5).

use std::ops::Range;

use crate::deflate::tables::{DISTANCE, LENGTH};

/// Minimum length of a match.
pub(crate) const MIN_MATCH: usize = 3;
/// Maximum length of a match.
pub(crate) const MAX_MATCH: usize = 258;
/// Maximum distance of a match.
pub(crate) const WINDOW: usize = 1 << 15;
/// Symbols for literals, the end of a block and lengths.
pub(crate) const LITERALS: usize = 286;
/// Symbols for distances.
pub(crate) const DISTANCES: usize = 30;
/// The symbol that ends a block.
pub(crate) const END: usize = 256;

/// Longest match at a position: its length times 2^16, plus its distance. A length below
/// `match_finder::HASHED` stands for none.
pub(crate) type Match = u32;

/// Token: the number of bytes that it stands for times 2^16, plus the distance of a match less one,
/// or for a literal, `LITERAL` and the byte.
pub(crate) type Token = u32;

/// Set in the token of a literal; distances less one are smaller.
pub(crate) const LITERAL: u32 = 1 << 15;

/// Returns a match.
#[inline(always)]
pub(crate) const fn match_of(len: usize, distance: usize) -> Match {
    (len << 16 | distance) as Match
}

/// Returns the distance of a find.
#[inline(always)]
pub(crate) const fn distance_of(found: Match) -> usize {
    (found & 0xffff) as usize
}

/// Returns the token of a literal.
#[inline(always)]
pub(crate) const fn literal(byte: u8) -> Token {
    1 << 16 | LITERAL | byte as u32
}

/// Returns the number of bytes that a token stands for.
#[inline(always)]
pub(crate) const fn len_of(token: Token) -> usize {
    (token >> 16) as usize
}

/// Returns the place of a token's literal or length among `LITERAL_PLACES`: bytes first, then
/// lengths less `MIN_MATCH`.
#[inline(always)]
pub(crate) const fn place_of(token: Token) -> usize {
    let place = if token & LITERAL != 0 { token & 255 } else { (token >> 16) + 256 - MIN_MATCH as u32 };
    (place & (LITERAL_PLACES as u32 - 1)) as usize
}

/// 256 bytes and 256 lengths.
pub(crate) const LITERAL_PLACES: usize = 512;

/// By length less `MIN_MATCH`: the index of its symbol in `LENGTH`.
pub(crate) const LENGTH_INDEX: [u8; 256] = {
    let mut of = [0; 256];
    let mut index = 0;
    while index < LENGTH.len() {
        // In order, so that 258 gets the last symbol and not the one before, which reaches it too.
        let (base, extra) = LENGTH[index];
        let mut len = base as usize;
        while len < base as usize + (1 << extra) && len <= MAX_MATCH {
            of[len - MIN_MATCH] = index as u8;
            len += 1;
        }
        index += 1;
    }
    of
};

/// Returns the lengths less `MIN_MATCH` of a symbol, by its index in `LENGTH`.
pub(crate) const fn length_places(index: usize) -> Range<usize> {
    let end = if index + 1 < LENGTH.len() { LENGTH[index + 1].0 as usize } else { MAX_MATCH + 1 };
    LENGTH[index].0 as usize - MIN_MATCH..end - MIN_MATCH
}

/// Symbols of distances: by distance less one below 256, then by that divided by 128, as at least
/// seven extra bits make the lower bits irrelevant there.
static DISTANCE_SYMBOL: [u8; 512] = {
    let mut of = [0; 512];
    let mut symbol = 0;
    while symbol < DISTANCE.len() {
        let (base, extra) = DISTANCE[symbol];
        let mut less = base as usize - 1;
        let end = less + (1 << extra);
        while less < end {
            of[if less < 256 { less } else { 256 + less / 128 }] = symbol as u8;
            less += 1;
        }
        symbol += 1;
    }
    of
};

/// Returns the symbol of a distance less one.
#[inline(always)]
pub(crate) fn distance_symbol(less: u32) -> usize {
    let place = if less < 256 { less } else { 256 + (less >> 7) };
    DISTANCE_SYMBOL[(place & 511) as usize].into()
}

/// Counts of symbols.
#[derive(Clone, Copy)]
pub(crate) struct Histogram {
    pub(crate) literals: [u32; LITERALS],
    pub(crate) distances: [u32; DISTANCES],
}

impl Histogram {
    pub(crate) const EMPTY: Self = Self { literals: [0; LITERALS], distances: [0; DISTANCES] };

    /// Sets all counts to zero.
    pub(crate) fn clear(&mut self) {
        self.literals.fill(0);
        self.distances.fill(0);
    }

    /// Adds the counts of another histogram.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.literals.iter_mut().zip(&other.literals).for_each(|(to, from)| *to += from);
        self.distances.iter_mut().zip(&other.distances).for_each(|(to, from)| *to += from);
    }
}

/// Returns the extra bits of a symbol for a literal or a length.
pub(crate) const fn length_extra(symbol: usize) -> u32 {
    if symbol <= END { 0 } else { LENGTH[symbol - END - 1].1 as u32 }
}

/// Returns the extra bits of a distance symbol.
pub(crate) const fn distance_extra(symbol: usize) -> u32 {
    DISTANCE[symbol].1 as u32
}

/// Tokens that vector code counts at a time: their symbols stay in a first-level cache.
#[cfg(target_arch = "x86_64")]
pub(crate) const TOKENS: usize = 1 << 10;
/// Sets of counters.
#[cfg(target_arch = "x86_64")]
pub(crate) const SETS: usize = 4;
/// Elements of the last vector that may be in excess.
#[cfg(target_arch = "x86_64")]
pub(crate) const EXCESS: usize = 16;

/// Scratch memory of vector code that counts tokens.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(crate) struct CountLanes {
    pub(crate) of_tokens: [u16; TOKENS],
    /// Symbols of matches only, with the excess elements of the last vector.
    pub(crate) of_matches: [u32; TOKENS + EXCESS],
    pub(crate) sets: Sets,
}

/// Sets are less than 4 KB apart, where a load from one would wait for a store to another.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(crate) struct Sets {
    pub(crate) places: [[u16; LITERAL_PLACES]; SETS],
    pub(crate) distances: [[u16; DISTANCE_PLACES]; SETS],
}

#[cfg(target_arch = "x86_64")]
impl CountLanes {
    const EMPTY: Self = Self {
        of_tokens: [0; TOKENS],
        of_matches: [0; TOKENS + EXCESS],
        sets: Sets { places: [[0; LITERAL_PLACES]; SETS], distances: [[0; DISTANCE_PLACES]; SETS] },
    };
}

/// Counts of the places of [`place_of`] and of distance symbols.
#[derive(Clone, Copy)]
pub(crate) struct Counters {
    pub(crate) places: [u32; LITERAL_PLACES],
    pub(crate) distances: [u32; DISTANCE_PLACES],
    /// Scratch memory of vector code.
    #[cfg(target_arch = "x86_64")]
    pub(crate) lanes: CountLanes,
}

/// Number of distance symbols, rounded up to a power of two.
pub(crate) const DISTANCE_PLACES: usize = 32;

impl Counters {
    pub(crate) const EMPTY: Self = Self {
        places: [0; LITERAL_PLACES],
        distances: [0; DISTANCE_PLACES],
        #[cfg(target_arch = "x86_64")]
        lanes: CountLanes::EMPTY,
    };

    /// Sets all counts to zero.
    pub(crate) fn clear(&mut self) {
        self.places.fill(0);
        self.distances.fill(0);
    }

    /// Counts tokens.
    pub(crate) fn count(&mut self, tokens: &[Token]) {
        for &token in tokens {
            self.places[place_of(token)] += 1;
            if token & LITERAL == 0 {
                self.distances[distance_symbol(token & 0x7fff) % DISTANCE_PLACES] += 1;
            }
        }
    }

    /// Sets `counts` to the counts by symbol, without the end of a block.
    pub(crate) fn histogram(&self, counts: &mut Histogram) {
        counts.literals[..END].copy_from_slice(&self.places[..END]);
        counts.literals[END] = 0;
        for (index, count) in counts.literals[END + 1..].iter_mut().enumerate() {
            *count = self.places[END..][length_places(index)].iter().sum();
        }
        counts.distances.copy_from_slice(&self.distances[..DISTANCES]);
    }
}
