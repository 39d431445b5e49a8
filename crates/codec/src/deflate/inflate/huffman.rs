//! Huffman codes and bits as RFC 1951 defines them, one bit at a time: not fast, and easy to see to be right.

use super::diagnose::Fault;

/// The longest Huffman code word.
const MAX_LEN: usize = 15;

/// A canonical Huffman code (RFC 1951, section 3.2.2).
pub(crate) struct Code {
    /// How many symbols have a code word of each length.
    counts: [i32; MAX_LEN + 1],
    /// The symbols that have one, by length and then by number.
    symbols: Vec<u16>,
    /// Code words of length `MAX_LEN` that are left over, negative if the code is over-subscribed.
    pub(crate) spare: i32,
}

impl Code {
    /// The code in which symbol `i` has a word of `lens[i]` bits, or none if that is 0.
    pub(crate) fn new(lens: &[u8]) -> Self {
        let mut counts = [0; MAX_LEN + 1];
        for &len in lens.iter().filter(|&&len| len != 0) {
            counts[usize::from(len)] += 1;
        }
        let mut symbols: Vec<u16> = (0..lens.len() as u16).filter(|&s| lens[usize::from(s)] != 0).collect();
        symbols.sort_by_key(|&symbol| lens[usize::from(symbol)]);
        let used: i32 = (1..=MAX_LEN).map(|len| counts[len] << (MAX_LEN - len)).sum();
        Self { counts, symbols, spare: (1 << MAX_LEN) - used }
    }

    /// Whether a block may use the code: it is complete, or it is the single word of one bit or no word at all.
    pub(crate) fn is_usable(&self) -> bool {
        self.spare == 0 || self.symbols.is_empty() || (self.symbols.len() == 1 && self.counts[1] == 1)
    }

    /// The next symbol, or `None` if the code has no such word.
    pub(crate) fn decode(&self, bits: &mut BitReader<'_>) -> Result<Option<u16>, Fault> {
        // Code words of one length are consecutive numbers; `first` is the smallest of the length that is tried.
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
