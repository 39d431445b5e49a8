//! Diagnosis of a raw stream that another decoder rejected.
//!
//! libdeflate has one answer for every fault, since telling them apart costs time in its loops.
//! This module walks over the stream again, a bit at a time and without output, and stops at the
//! first fault that zlib would report, with a message like zlib's. It runs only after a failure, in
//! time proportional to the input.

use crate::deflate::tables::{CODE_LENGTH_ORDER, DISTANCE, LENGTH};

/// Fault of a stream.
pub(crate) enum Fault {
    /// Nothing up to the end of the input.
    Truncated,
    Corrupt(&'static str),
}

/// Returns the first fault of the stream at the start of `input`; `None` if it has none.
pub(crate) fn diagnose(input: &[u8]) -> Option<Fault> {
    let mut walk = Walk { bits: BitReader { input, at: 0 }, produced: 0 };
    walk.stream().err()
}

struct Walk<'a> {
    bits: BitReader<'a>,
    /// Length of the output so far, which bounds distances.
    produced: u64,
}

impl Walk<'_> {
    fn stream(&mut self) -> Result<(), Fault> {
        loop {
            let last = self.bits.take(1)? == 1;
            match self.bits.take(2)? {
                0 => self.stored()?,
                1 => {
                    let (literals, distances) = fixed_codes();
                    self.symbols(&literals, &distances)?;
                }
                2 => {
                    let (literals, distances) = self.dynamic_codes()?;
                    self.symbols(&literals, &distances)?;
                }
                _ => return Err(Fault::Corrupt("invalid block type")),
            }
            if last {
                return Ok(());
            }
        }
    }

    fn stored(&mut self) -> Result<(), Fault> {
        self.bits.align();
        let len = self.bits.take(16)?;
        if len ^ self.bits.take(16)? != 0xffff {
            return Err(Fault::Corrupt("a stored block's length does not match its complement"));
        }
        self.produced += u64::from(len);
        self.bits.skip_bytes(len as usize)
    }

    /// The codes in front of a dynamic block (RFC 1951, section 3.2.7).
    fn dynamic_codes(&mut self) -> Result<(Code, Code), Fault> {
        let literals = 257 + self.bits.take(5)? as usize;
        let distances = 1 + self.bits.take(5)? as usize;
        let explicit = 4 + self.bits.take(4)? as usize;
        if literals > 257 + LENGTH.len() || distances > DISTANCE.len() {
            return Err(Fault::Corrupt("too many length or distance codes"));
        }
        let mut lengths = [0; CODE_LENGTH_ORDER.len()];
        for &symbol in &CODE_LENGTH_ORDER[..explicit] {
            lengths[symbol] = self.bits.take(3)? as u8;
        }
        let code_lengths = Code::new(&lengths);
        if code_lengths.spare != 0 {
            return Err(Fault::Corrupt("the code of the code lengths is over-subscribed or incomplete"));
        }

        let mut lengths = Vec::with_capacity(literals + distances);
        while lengths.len() < literals + distances {
            let symbol = code_lengths.decode(&mut self.bits)?.unwrap_or_default();
            let (value, count) = match symbol {
                16 => (lengths.last().copied(), 3 + self.bits.take(2)?),
                17 => (Some(0), 3 + self.bits.take(3)?),
                18 => (Some(0), 11 + self.bits.take(7)?),
                len => (Some(len as u8), 1),
            };
            let end = lengths.len() + count as usize;
            match value {
                Some(value) if end <= literals + distances => lengths.resize(end, value),
                _ => {
                    return Err(Fault::Corrupt(
                        "a code length is repeated before the first or past the last",
                    ));
                }
            }
        }
        if lengths[END_OF_BLOCK] == 0 {
            return Err(Fault::Corrupt("a block has no code for its end"));
        }
        let literal_code = Code::new(&lengths[..literals]);
        if !literal_code.is_usable() {
            return Err(Fault::Corrupt("the literal and length code is over-subscribed or incomplete"));
        }
        let distance_code = Code::new(&lengths[literals..]);
        if !distance_code.is_usable() {
            return Err(Fault::Corrupt("the distance code is over-subscribed or incomplete"));
        }
        Ok((literal_code, distance_code))
    }

    /// The literals and matches of a block up to its end.
    fn symbols(&mut self, literals: &Code, distances: &Code) -> Result<(), Fault> {
        loop {
            let symbol = literals.decode(&mut self.bits)?;
            match symbol.map(usize::from) {
                Some(END_OF_BLOCK) => return Ok(()),
                Some(literal) if literal < END_OF_BLOCK => self.produced += 1,
                length => {
                    let length = length.and_then(|symbol| LENGTH.get(symbol - 257));
                    let length = length.ok_or(Fault::Corrupt("invalid literal or length code"))?;
                    let length = self.bits.based(*length)?;
                    let distance = distances.decode(&mut self.bits)?;
                    let distance = distance.and_then(|symbol| DISTANCE.get(usize::from(symbol)));
                    let distance = distance.ok_or(Fault::Corrupt("invalid distance code"))?;
                    if u64::from(self.bits.based(*distance)?) > self.produced {
                        return Err(Fault::Corrupt("a match reaches before the start of the data"));
                    }
                    self.produced += u64::from(length);
                }
            }
        }
    }
}

const END_OF_BLOCK: usize = 256;

/// The codes of a fixed block (RFC 1951, section 3.2.6).
fn fixed_codes() -> (Code, Code) {
    let mut lengths = [8; 288];
    lengths[144..256].fill(9);
    lengths[256..280].fill(7);
    (Code::new(&lengths), Code::new(&[5; 32]))
}

/// Maximum codeword length.
const MAX_LEN: usize = 15;

/// A canonical Huffman code (RFC 1951, section 3.2.2).
pub(crate) struct Code {
    /// Number of codewords of each length.
    counts: [i32; MAX_LEN + 1],
    /// The symbols that have one, by length and then by number.
    symbols: Vec<u16>,
    /// Unused codewords of length `MAX_LEN`, negative if the code is over-subscribed.
    pub(crate) spare: i32,
}

impl Code {
    /// The code in which symbol `i` has a word of `lengths[i]` bits, or none if that is 0.
    pub(crate) fn new(lengths: &[u8]) -> Self {
        let mut counts = [0; MAX_LEN + 1];
        for &len in lengths.iter().filter(|&&len| len != 0) {
            counts[usize::from(len)] += 1;
        }
        let mut symbols: Vec<u16> =
            (0..lengths.len() as u16).filter(|&s| lengths[usize::from(s)] != 0).collect();
        symbols.sort_by_key(|&symbol| lengths[usize::from(symbol)]);
        let used: i32 = (1..=MAX_LEN).map(|len| counts[len] << (MAX_LEN - len)).sum();
        Self { counts, symbols, spare: (1 << MAX_LEN) - used }
    }

    /// Returns whether a block may use the code: complete, a single codeword of one bit, or empty.
    pub(crate) fn is_usable(&self) -> bool {
        self.spare == 0 || self.symbols.is_empty() || (self.symbols.len() == 1 && self.counts[1] == 1)
    }

    /// The next symbol, or `None` if the code has no such word.
    pub(crate) fn decode(&self, bits: &mut BitReader<'_>) -> Result<Option<u16>, Fault> {
        // Codewords of one length are consecutive numbers; `first` is the smallest of the current
        // length.
        let (mut word, mut first, mut index) = (0, 0, 0);
        for len in 1..=MAX_LEN {
            word |= bits.take(1)? as i32;
            let count = self.counts[len];
            if word - first < count {
                return Ok(self.symbols.get((index + word - first) as usize).copied());
            }
            index += count;
            first = (first + count) << 1;
            word <<= 1;
            if index as usize == self.symbols.len() {
                break;
            }
        }
        Ok(None)
    }
}

/// Reads bits from the least significant of each byte.
pub(crate) struct BitReader<'a> {
    pub(crate) input: &'a [u8],
    /// The next bit, from the start of the input.
    pub(crate) at: usize,
}

impl BitReader<'_> {
    pub(crate) fn take(&mut self, count: u32) -> Result<u32, Fault> {
        let mut value = 0;
        for i in 0..count {
            let byte = self.input.get(self.at / 8).ok_or(Fault::Truncated)?;
            value |= u32::from(byte >> (self.at % 8) & 1) << i;
            self.at += 1;
        }
        Ok(value)
    }

    /// A base and the number of extra bits that are added to it.
    pub(crate) fn based(&mut self, (base, extra): (u16, u8)) -> Result<u32, Fault> {
        Ok(u32::from(base) + self.take(extra.into())?)
    }

    pub(crate) fn align(&mut self) {
        self.at = self.at.next_multiple_of(8);
    }

    pub(crate) fn skip_bytes(&mut self, count: usize) -> Result<(), Fault> {
        self.at += count * 8;
        if self.at / 8 > self.input.len() { Err(Fault::Truncated) } else { Ok(()) }
    }
}
