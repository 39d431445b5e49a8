//! Codes of a block, and the meanings of their symbols.

use std::sync::LazyLock;

use super::Error;
use super::table::{Code, Fill, Table, canonical};

/// Symbols of literals and lengths with a code, including two that the fixed code never uses.
pub(super) const LITERALS: usize = 288;
/// Symbols of distances with a meaning.
pub(super) const DISTANCES: usize = 30;
/// The symbol that ends a block.
pub(super) const END: usize = 256;

/// The codes of a block.
#[derive(Clone)]
pub(super) struct Codes {
    pub(super) literals: [Code; LITERALS],
    pub(super) distances: [Code; DISTANCES],
    pub(super) literal_table: Table,
    pub(super) distance_table: Table,
}

/// Kind of an entry, in two of its bits.
pub(super) mod kind {
    /// A literal: the value is the byte.
    pub(in super::super) const LITERAL: u32 = 0;
    /// A length or a distance: the value, plus extra bits.
    pub(in super::super) const COPY: u32 = 1 << 8;
    /// The end of the block.
    pub(in super::super) const END: u32 = 2 << 8;
    /// A symbol without a meaning.
    pub(in super::super) const BAD: u32 = 3 << 8;
    /// Mask of the kind.
    pub(in super::super) const MASK: u32 = 3 << 8;
}

/// Position of the number of extra bits.
const EXTRA_SHIFT: u32 = 10;
/// Position of the value.
const VALUE_SHIFT: u32 = 14;

/// Returns the number of extra bits after this entry's code.
#[inline]
pub(super) fn extra(entry: u32) -> u32 {
    (entry >> EXTRA_SHIFT) & 0xF
}

/// Returns the value of this entry.
#[inline]
pub(super) fn value(entry: u32) -> u32 {
    entry >> VALUE_SHIFT
}

/// Minimum length of each symbol, and its number of extra bits (RFC 1951, 3.2.5).
const LENGTHS: [(u32, u32); 29] = {
    let mut lengths = [(0, 0); 29];
    let (mut symbol, mut base) = (0, 3);
    while symbol < 28 {
        let extra = if symbol < 8 { 0 } else { symbol as u32 / 4 - 1 };
        lengths[symbol] = (base, extra);
        base += 1 << extra;
        symbol += 1;
    }
    lengths[28] = (258, 0);
    lengths
};

/// Minimum distance of each symbol, and its number of extra bits (RFC 1951, 3.2.5).
const DISTANCE_BASES: [(u32, u32); DISTANCES] = {
    let mut distances = [(0, 0); DISTANCES];
    let (mut symbol, mut base) = (0, 1);
    while symbol < DISTANCES {
        let extra = if symbol < 4 { 0 } else { symbol as u32 / 2 - 1 };
        distances[symbol] = (base, extra);
        base += 1 << extra;
        symbol += 1;
    }
    distances
};

fn literal_meaning(symbol: usize) -> u32 {
    match symbol {
        0..END => kind::LITERAL | (symbol as u32) << VALUE_SHIFT,
        END => kind::END,
        _ => match LENGTHS.get(symbol - END - 1) {
            Some(&(base, extra)) => kind::COPY | extra << EXTRA_SHIFT | base << VALUE_SHIFT,
            None => kind::BAD,
        },
    }
}

fn distance_meaning(symbol: usize) -> u32 {
    let (base, extra) = DISTANCE_BASES[symbol];
    kind::COPY | extra << EXTRA_SHIFT | base << VALUE_SHIFT
}

impl Codes {
    /// Returns the codes with their decoding tables. Accepts all codes for which no other error is
    /// known.
    ///
    /// # Errors
    /// [`Error::InvalidAecs`] if a code has more bits than its length.
    pub(super) fn new(literals: [Code; LITERALS], distances: [Code; DISTANCES]) -> Result<Codes, Error> {
        let literal_table = Table::new(&literals, literal_meaning)?;
        let distance_table = Table::new(&distances, distance_meaning)?;
        Ok(Codes { literals, distances, literal_table, distance_table })
    }

    /// Returns the canonical codes of these lengths, at most [`LITERALS`] and [`DISTANCES`].
    ///
    /// Rejects an incomplete code, except for one code of one bit, and for no distances at all,
    /// like the CPU's decoders. The device has no error for that; these are the nearest ones.
    pub(super) fn of_lengths(literals: &[u8], distances: &[u8]) -> Result<Codes, Error> {
        match Fill::of(literals.iter().copied()) {
            Fill::Empty => return Err(Error::NoLiteralCodes),
            Fill::Oversubscribed => return Err(Error::OversubscribedLiterals),
            Fill::Incomplete => return Err(Error::BadLiteralCode),
            Fill::Single | Fill::Complete => {}
        }
        match Fill::of(distances.iter().copied()) {
            Fill::Oversubscribed => return Err(Error::OversubscribedDistances),
            Fill::Incomplete => return Err(Error::BadDistanceCode),
            Fill::Empty | Fill::Single | Fill::Complete => {}
        }
        let mut codes = ([Code::default(); LITERALS], [Code::default(); DISTANCES]);
        for (to, code) in codes.0.iter_mut().zip(canonical(literals)) {
            *to = code;
        }
        for (to, code) in codes.1.iter_mut().zip(canonical(distances)) {
            *to = code;
        }
        Codes::new(codes.0, codes.1)
    }

    /// Returns the fixed codes (RFC 1951, 3.2.6).
    pub(super) fn fixed() -> Codes {
        static FIXED: LazyLock<Result<Codes, Error>> = LazyLock::new(|| {
            let mut literals = [8; LITERALS];
            literals[144..256].fill(9);
            literals[256..280].fill(7);
            Codes::of_lengths(&literals, &[5; 32])
        });
        match &*FIXED {
            Ok(codes) => codes.clone(),
            Err(error) => unreachable!("the fixed codes are complete: {error:?}"),
        }
    }
}
