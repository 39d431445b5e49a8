//! Code tables: dynamic tables as in a block's header (RFC 1951, section 3.2.7), and the fixed one.

use crate::bits::{BitReader, BitWriter};
use crate::huffman::code_lengths;
use crate::symbols::{Counts, DISTANCES, END_OF_BLOCK, LITERALS, Symbol, distance_symbol, length_symbol};

/// Maximum bits of a code.
pub const MAX_BITS: usize = 15;
/// Maximum bits of a code in the code of code lengths.
const MAX_LENGTH_BITS: u32 = 7;
/// Order of the code lengths of the code of code lengths.
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// A code table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    literals: Code,
    distances: Code,
}

/// A canonical code (RFC 1951, section 3.2.2).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Code {
    /// By symbol: bits of its code, 0 if it has none.
    pub lengths: Vec<u8>,
    /// By symbol: its code, the first bit lowest.
    pub codes: Vec<u16>,
}

/// Reason that a table is rejected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableError {
    /// The bits end before the table.
    Truncated,
    /// The table breaks a rule.
    Bad(&'static str),
}

/// A table made of counts.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The table.
    pub table: Table,
    /// Cycles of the table generator.
    pub cycles: u64,
    /// Rounds of the Huffman algorithm for literals and lengths.
    pub rounds: u32,
}

impl Code {
    /// Returns the code of these lengths, which are those of a code that is not over-subscribed.
    fn new(lengths: Vec<u8>) -> Code {
        let mut counts = [0_u32; MAX_BITS + 1];
        lengths.iter().for_each(|&length| counts[usize::from(length)] += 1);
        counts[0] = 0;
        let mut next = [0_u32; MAX_BITS + 1];
        for bits in 1..=MAX_BITS {
            next[bits] = (next[bits - 1] + counts[bits - 1]) << 1;
        }
        let mut codes = vec![0; lengths.len()];
        for (symbol, &length) in lengths.iter().enumerate().filter(|&(_, &length)| length > 0) {
            let code = &mut next[usize::from(length)];
            codes[symbol] = (*code as u16).reverse_bits() >> (16 - u32::from(length));
            *code += 1;
        }
        Code { lengths, codes }
    }

    /// Returns a code of lengths that were read. As zlib does, it takes a code of a single symbol
    /// with one bit, and an empty one.
    fn checked(lengths: &[u8], what: &'static str) -> Result<Code, TableError> {
        let used: u32 = lengths
            .iter()
            .filter(|&&length| length > 0)
            .map(|&length| 1 << (MAX_BITS - usize::from(length)))
            .sum();
        let is_single = lengths.iter().all(|&length| length <= 1)
            && lengths.iter().filter(|&&length| length == 1).count() <= 1;
        match used == 1 << MAX_BITS || is_single {
            true => Ok(Code::new(lengths.to_vec())),
            false => Err(TableError::Bad(what)),
        }
    }

    /// Writes a symbol's code. Returns whether it has one.
    pub fn write(&self, symbol: usize, to: &mut BitWriter) -> bool {
        let length = self.lengths[symbol];
        to.bits(self.codes[symbol].into(), length.into());
        length > 0
    }
}

impl Table {
    /// Returns the fixed table.
    pub fn fixed() -> Table {
        let mut lengths = vec![8; 288];
        lengths[144..256].fill(9);
        lengths[256..280].fill(7);
        Table { literals: Code::new(lengths), distances: Code::new(vec![5; 32]) }
    }

    /// Returns a table of exact counts, as software makes it.
    pub fn from_counts(counts: &Counts) -> Generated {
        generate(&counts.literals, &counts.distances)
    }

    /// Returns a table as z15's generator makes it, of counts as floating-point numbers of ten bits
    /// (section V-A).
    pub fn from_counts_in_hardware(counts: &Counts) -> Generated {
        generate(&counts.literals.map(to_float), &counts.distances.map(to_float))
    }

    /// Reads a table from the number of literals and lengths on, which follows a header's three
    /// bits.
    ///
    /// # Errors
    /// The bits end, or the table breaks a rule.
    pub fn parse(reader: &mut BitReader<'_>) -> Result<Table, TableError> {
        let take = |reader: &mut BitReader<'_>, count| reader.take(count).ok_or(TableError::Truncated);
        let literals = 257 + take(reader, 5)? as usize;
        let distances = 1 + take(reader, 5)? as usize;
        let given = 4 + take(reader, 4)? as usize;
        if literals > LITERALS || distances > DISTANCES {
            return Err(TableError::Bad("too many length or distance codes"));
        }
        let mut lengths = vec![0; ORDER.len()];
        for &symbol in &ORDER[..given] {
            lengths[symbol] = take(reader, 3)? as u8;
        }
        let used: u32 = lengths.iter().filter(|&&length| length > 0).map(|&length| 128 >> length).sum();
        if used != 128 {
            return Err(TableError::Bad("the code of the code lengths is over-subscribed or incomplete"));
        }
        let code = Decoder::new(&Code::new(lengths));
        let mut lengths = Vec::with_capacity(literals + distances);
        while lengths.len() < literals + distances {
            let symbol = match code.read(reader) {
                Read::Symbol(symbol) => symbol,
                Read::Ended => return Err(TableError::Truncated),
                Read::NoCode => return Err(TableError::Bad("no code for a code length")),
            };
            let (value, count) = match symbol {
                16 => (lengths.last().copied(), 3 + take(reader, 2)?),
                17 => (Some(0), 3 + take(reader, 3)?),
                18 => (Some(0), 11 + take(reader, 7)?),
                length => (Some(length as u8), 1),
            };
            let value = value.ok_or(TableError::Bad("a repeat before the first code length"))?;
            if lengths.len() + count as usize > literals + distances {
                return Err(TableError::Bad("a repeat past the last code length"));
            }
            lengths.resize(lengths.len() + count as usize, value);
        }
        if lengths[END_OF_BLOCK] == 0 {
            return Err(TableError::Bad("no code for the end of the block"));
        }
        let (literals, distances) = lengths.split_at(literals);
        Ok(Table {
            literals: Code::checked(literals, "the code of literals and lengths is not complete")?,
            distances: Code::checked(distances, "the code of distances is not complete")?,
        })
    }

    /// Writes the table as [`Table::parse`] reads it.
    pub fn write(&self, to: &mut BitWriter) {
        let literals = used(&self.literals.lengths, 257);
        let distances = used(&self.distances.lengths, 1);
        let runs = runs(&[literals, distances].concat());
        let mut counts = [0; ORDER.len()];
        runs.iter().for_each(|run| counts[usize::from(run.symbol)] += 1);
        let mut lengths = code_lengths(&counts, MAX_LENGTH_BITS).lengths;
        if lengths.iter().filter(|&&length| length > 0).count() == 1 {
            // The code has to be complete.
            let unused = usize::from(lengths[0] > 0);
            lengths[unused] = 1;
        }
        let given = ORDER.iter().rposition(|&symbol| lengths[symbol] > 0).map_or(4, |last| last + 1).max(4);
        to.bits(literals.len() as u64 - 257, 5);
        to.bits(distances.len() as u64 - 1, 5);
        to.bits(given as u64 - 4, 4);
        ORDER[..given].iter().for_each(|&symbol| to.bits(lengths[symbol].into(), 3));
        let code = Code::new(lengths);
        for run in &runs {
            code.write(run.symbol.into(), to);
            to.bits(run.extra.into(), run.extra_bits);
        }
    }

    /// Returns the bits that [`Table::write`] writes.
    pub fn header_bits(&self) -> usize {
        let mut to = BitWriter::new();
        self.write(&mut to);
        to.len_bits() as usize
    }

    /// Returns whether all of a symbol has a code.
    pub fn has(&self, symbol: Symbol) -> bool {
        match symbol {
            Symbol::Literal(byte) => self.literals.lengths[usize::from(byte)] > 0,
            Symbol::Match { length, distance } => {
                let has = |code: &Code, symbol: usize| code.lengths.get(symbol).is_some_and(|&bits| bits > 0);
                has(&self.literals, length_symbol(length)) && has(&self.distances, distance_symbol(distance))
            }
        }
    }

    /// Returns the code of the end of a block, the first bit lowest, and its bits.
    pub fn end_of_block(&self) -> (u32, u32) {
        (self.literals.codes[END_OF_BLOCK].into(), self.literals.lengths[END_OF_BLOCK].into())
    }

    /// Returns the code of literals and lengths.
    pub fn literals(&self) -> &Code {
        &self.literals
    }

    /// Returns the code of distances.
    pub fn distances(&self) -> &Code {
        &self.distances
    }
}

fn generate(literals: &[u32], distances: &[u32]) -> Generated {
    let literals = code_lengths(literals, MAX_BITS as u32);
    let mut distances = code_lengths(distances, MAX_BITS as u32);
    if distances.lengths.iter().all(|&length| length == 0) {
        // A block has at least one distance, and older decoders want it to have a code.
        distances.lengths[0] = 1;
    }
    let cycles = sort_cycles(literals.lengths.len())
        + sort_cycles(distances.lengths.len())
        + u64::from(literals.rounds) * literals.lengths.len() as u64
        + u64::from(distances.rounds) * distances.lengths.len() as u64;
    let rounds = literals.rounds;
    let table = Table { literals: Code::new(literals.lengths), distances: Code::new(distances.lengths) };
    Generated { table, cycles, rounds }
}

/// Returns the cycles of a shear sort (Scherson, Sen and Shamir, 1986): rows and columns of a
/// square by turns, each of as many cycles as a side has elements.
pub fn sort_cycles(count: usize) -> u64 {
    let side = count.isqrt() + usize::from(count.isqrt().pow(2) < count);
    (side * (2 * side.next_power_of_two().ilog2() as usize + 1)) as u64
}

/// Bits of a float's mantissa; five more are the exponent. Counters have 24 bits, and the paper
/// says only that ten are kept.
const MANTISSA_BITS: u32 = 5;

/// Rounds a count down to one that fits a float of ten bits.
pub fn to_float(count: u32) -> u32 {
    let excess = (u32::BITS - count.leading_zeros()).saturating_sub(MANTISSA_BITS + 1);
    count >> excess << excess
}

/// Returns the code lengths up to the last that is used, `min` at least.
fn used(lengths: &[u8], min: usize) -> &[u8] {
    let end = lengths.iter().rposition(|&length| length > 0).map_or(0, |last| last + 1);
    &lengths[..end.max(min)]
}

/// A code length or a repetition, as the code of code lengths has it.
struct Run {
    symbol: u8,
    extra: u8,
    extra_bits: u32,
}

fn runs(lengths: &[u8]) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut at = 0;
    while at < lengths.len() {
        let value = lengths[at];
        let mut count = lengths[at..].iter().take_while(|&&length| length == value).count();
        at += count;
        if value > 0 {
            runs.push(Run { symbol: value, extra: 0, extra_bits: 0 });
            count -= 1;
        }
        while count > 0 {
            let (symbol, min, max, extra_bits) = match (value, count) {
                (0, 11..) => (18, 11, 138, 7),
                (0, 3..) => (17, 3, 10, 3),
                (1.., 3..) => (16, 3, 6, 2),
                _ => (value, 1, 1, 0),
            };
            let taken = count.min(max);
            runs.push(Run { symbol, extra: (taken - min) as u8, extra_bits });
            count -= taken;
        }
    }
    runs
}

/// Bits of a decoder's table. Longer codes are decoded bit by bit.
const FAST_BITS: u32 = 10;

/// Decoder of a code.
pub struct Decoder {
    /// By the next bits: symbol and code bits, 0 for a longer code or none.
    fast: Vec<(u16, u8)>,
    /// By number of bits: the first code, and how many there are; then the symbols by code.
    counts: [u32; MAX_BITS + 1],
    symbols: Vec<u16>,
}

/// Result of reading a code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Read {
    /// The symbol of a code.
    Symbol(u16),
    /// The bits end within the code. The reader has not moved.
    Ended,
    /// The bits are no code.
    NoCode,
}

impl Decoder {
    /// Returns the decoder of a code.
    pub fn new(code: &Code) -> Decoder {
        let mut counts = [0; MAX_BITS + 1];
        let mut symbols: Vec<u16> =
            (0..code.lengths.len() as u16).filter(|&symbol| code.lengths[usize::from(symbol)] > 0).collect();
        symbols.sort_by_key(|&symbol| code.lengths[usize::from(symbol)]);
        let mut fast = vec![(0, 0); 1 << FAST_BITS];
        for &symbol in &symbols {
            let length = code.lengths[usize::from(symbol)];
            counts[usize::from(length)] += 1;
            if u32::from(length) <= FAST_BITS {
                let first = usize::from(code.codes[usize::from(symbol)]);
                for entry in fast[first..].iter_mut().step_by(1 << length) {
                    *entry = (symbol, length);
                }
            }
        }
        Decoder { fast, counts, symbols }
    }

    /// Reads a code.
    pub fn read(&self, reader: &mut BitReader<'_>) -> Read {
        let bits = reader.peek();
        let (symbol, length) = self.fast[bits as usize % (1 << FAST_BITS)];
        if length > 0 {
            return if reader.skip(length.into()) { Read::Symbol(symbol) } else { Read::Ended };
        }
        let (mut code, mut first, mut index) = (0, 0, 0);
        for length in 1..=MAX_BITS {
            if length as u64 > reader.bits_left() {
                return Read::Ended;
            }
            code |= (bits >> (length - 1)) as u32 & 1;
            let count = self.counts[length];
            if code < first + count {
                reader.skip(length as u32);
                return Read::Symbol(self.symbols[(index + code - first) as usize]);
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        Read::NoCode
    }
}
