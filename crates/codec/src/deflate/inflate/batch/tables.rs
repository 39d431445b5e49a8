//! Tables of a block, made from its codeword lengths.

use super::dispatch::Isa;
use super::entry::{
    BIT_BUFFER, CONSUMED, Counts, DISTANCE_ENTRIES, DISTANCE_TABLE, END_OF_BLOCK, ENTRIES, INDEX_BITS,
    LITERAL_ENTRIES, MAX_LEN, NONE, SYMBOLS, Sorted, TABLE_LINK, TABLE_SIZE,
};
use crate::deflate::tables::LENGTH;

/// A canonical code, for the symbols that have no entry.
#[derive(Clone, Copy)]
pub(crate) struct Code {
    /// The length of each symbol's codeword, 0 if it has none.
    lengths: [u8; SYMBOLS],
    /// Number of codewords of each length.
    counts: Counts,
    /// The bits that a link consumes.
    pub(crate) linked: u32,
}

impl Code {
    const EMPTY: Self = Self { lengths: [0; SYMBOLS], counts: [0; MAX_LEN + 1], linked: 0 };

    /// The symbol at the start of `bits` and the length of its codeword.
    pub(crate) fn slow(&self, bits: u64) -> Option<(usize, u32)> {
        let (mut codeword, mut first) = (0, 0);
        for len in 1..=MAX_LEN {
            codeword |= (bits >> (len - 1) & 1) as usize;
            let count = usize::from(self.counts[len]);
            if codeword < first + count {
                let has_len = |&of: &u8| usize::from(of) == len;
                // Nearly always it is the end of the block; counting is quicker than searching.
                let before = self.lengths[..END_OF_BLOCK].iter().filter(|of| has_len(of)).count();
                if before == codeword - first && has_len(&self.lengths[END_OF_BLOCK]) {
                    return Some((END_OF_BLOCK, len as u32));
                }
                let mut symbols = (0..SYMBOLS).filter(|&symbol| has_len(&self.lengths[symbol]));
                return Some((symbols.nth(codeword - first)?, len as u32));
            }
            first = (first + count) << 1;
            codeword <<= 1;
        }
        None
    }

    /// Returns whether its codewords have these lengths.
    fn has(&self, lengths: &[u8]) -> bool {
        let (first, rest) = self.lengths.split_at(lengths.len());
        first == lengths && rest.iter().all(|&len| len == 0)
    }

    /// Takes codeword lengths, and puts `of`, which is by symbol, in the order of the codewords.
    /// Returns the used code space; `1 << MAX_LEN` is all of it.
    fn sort(&mut self, isa: Isa, lengths: &[u8], of: &[u16], to: &mut Sorted) -> u32 {
        self.lengths[..lengths.len()].copy_from_slice(lengths);
        self.lengths[lengths.len()..].fill(0);
        self.counts = isa.sort(&self.lengths[..of.len()], of, to);
        (1..=MAX_LEN).map(|len| u32::from(self.counts[len]) << (MAX_LEN - len)).sum()
    }

    /// Fills a table and, for codewords of more than [`INDEX_BITS`], the table behind its links.
    /// `own` leads back to the table itself. A symbol that consumes more than `max_bits` bits has a
    /// stop.
    fn fill(
        &mut self,
        sorted: &Sorted,
        (own, max_bits): (u16, u32),
        table: &mut [u16; TABLE_SIZE],
        links: &mut [u16; TABLE_SIZE],
    ) {
        // Codewords are kept as in the stream, first bit lowest, so that the bit buffer is the
        // index; `code` is the next one with its first bit highest, as if all had INDEX_BITS.
        let (mut code, mut index) = (0, 0);
        for len in 1..=INDEX_BITS as usize {
            let count = usize::from(self.counts[len]);
            let step = TABLE_SIZE >> len;
            for (&of, &codeword) in
                sorted[index..index + count].iter().zip(REVERSED[code..].iter().step_by(step))
            {
                table[usize::from(codeword) % TABLE_SIZE] = entry(of, len as u32, own, max_bits);
            }
            index += count;
            code += count * step;
            // The bits after a codeword don't matter, so the table for one bit more is this one
            // twice.
            if len < INDEX_BITS as usize {
                table.copy_within(0..1 << len, 1 << len);
            }
        }
        if code >= TABLE_SIZE || self.counts[INDEX_BITS as usize + 1..].iter().all(|&count| count == 0) {
            return;
        }
        // Long codewords are the last ones, so all start with as many ones as the first does.
        // Consuming just those leaves the remaining bits to one table. There are at least two ones,
        // since all codewords of 11 bits or more take less than a quarter of the code space.
        let mut codeword = usize::from(REVERSED[code]);
        self.linked = codeword.trailing_ones();
        for &prefix in &REVERSED[code..] {
            table[usize::from(prefix)] = own | TABLE_LINK | self.linked as u16;
        }
        // As above, by the following bits; codewords with more than INDEX_BITS of those keep the
        // stop.
        let first = INDEX_BITS + 1 - self.linked;
        links[..1 << first].fill(own | TABLE_LINK);
        for rest in first..=INDEX_BITS {
            let len = rest + self.linked;
            let count = self.counts.get(len as usize).map_or(0, |&count| usize::from(count));
            for &of in &sorted[index..index + count] {
                links[codeword >> self.linked] = entry(of, rest, own | TABLE_LINK, max_bits);
                codeword = next_codeword(codeword, len);
            }
            index += count;
            if rest < INDEX_BITS {
                links.copy_within(0..1 << rest, 1 << rest);
            }
        }
    }
}

impl Code {
    /// The max_bits that one look-up of a literal or length consumes.
    fn max_consumed(&self) -> u32 {
        let lengths = self.lengths[END_OF_BLOCK + 1..].iter().zip(&LENGTH).filter(|&(&len, _)| len != 0);
        let consumed = lengths.map(|(&len, &(_, extra))| {
            let len = u32::from(len);
            let codeword = if len > INDEX_BITS { len - self.linked } else { len };
            codeword.min(INDEX_BITS) + u32::from(extra)
        });
        consumed.fold(INDEX_BITS, u32::max)
    }
}

/// A lane's codes.
#[derive(Clone, Copy)]
pub(crate) struct Codes {
    pub(crate) literals: Code,
    pub(crate) distances: Code,
    /// Set if the lane's tables belong to these codes.
    is_built: bool,
}

impl Codes {
    pub(crate) const EMPTY: Self = Self { literals: Code::EMPTY, distances: Code::EMPTY, is_built: false };

    /// Has the tables filled anew the next time, whatever comes.
    pub(crate) fn forget(&mut self) {
        self.is_built = false;
    }

    /// Fills a lane's tables, unless the block before, perhaps of another stream, had the same
    /// codes. `None` unless both codes are complete, or the distance code has at most one codeword,
    /// of one bit; no encoder makes others.
    pub(crate) fn build(
        &mut self,
        isa: Isa,
        entries: &mut [u16; ENTRIES],
        literals: &[u8],
        distances: &[u8],
    ) -> Option<()> {
        const ALL: u32 = 1 << MAX_LEN;
        if self.is_built && self.literals.has(literals) && self.distances.has(distances) {
            return Some(());
        }
        self.is_built = false;
        let ([main_literals, main_distances, link_literals, link_distances], []) = entries.as_chunks_mut()
        else {
            return None;
        };
        let mut sorted = [0; SYMBOLS + 32];
        if self.literals.sort(isa, literals, &LITERAL_ENTRIES, &mut sorted) != ALL {
            return None;
        }
        self.literals.fill(&sorted, (0, BIT_BUFFER), main_literals, link_literals);

        let used = self.distances.sort(isa, distances, &DISTANCE_ENTRIES, &mut sorted);
        if used != ALL {
            if used != 0 && (used != ALL / 2 || self.distances.counts[1] != 1) {
                return None;
            }
            main_distances.fill(DISTANCE_TABLE);
        }
        let max_bits = (BIT_BUFFER - self.literals.max_consumed()) / 2;
        self.distances.fill(&sorted, (DISTANCE_TABLE, max_bits), main_distances, link_distances);
        self.is_built = true;
        Some(())
    }
}

/// Numbers of `INDEX_BITS` bits with their bits in the other order.
static REVERSED: [u16; TABLE_SIZE] = {
    let mut reversed = [0; TABLE_SIZE];
    let mut i = 0;
    while i < TABLE_SIZE {
        reversed[i] = (i as u16).reverse_bits() >> (u16::BITS - INDEX_BITS);
        i += 1;
    }
    reversed
};

/// Returns the entry of a symbol with a codeword of `len` bits, or a stop.
fn entry(of: u16, len: u32, own: u16, max_bits: u32) -> u16 {
    if of == NONE || u32::from(of & CONSUMED) + len > max_bits { own } else { of + len as u16 }
}

/// Returns the codeword after `codeword` among those of `len` bits, first bit lowest: the last zero
/// becomes a one, the ones after it zeros.
pub(crate) fn next_codeword(codeword: usize, len: u32) -> usize {
    let zeros = !codeword & ((1 << len) - 1);
    match zeros.checked_ilog2() {
        Some(last) => codeword & ((1 << last) - 1) | 1 << last,
        None => codeword,
    }
}
