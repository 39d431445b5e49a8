//! From the lengths of a block's code words to tables.

use super::entry::{
    CONSUMED, DISTANCE_ENTRIES, ENTRIES, INDEX_BITS, LINK, LITERAL_ENTRIES, MOST_CONSUMED, NONE, TABLE, TO_DISTANCE,
};

/// The longest code word.
pub(super) const MAX_LEN: usize = 15;

/// A canonical code in the order of its words, for the symbols that have no entry.
#[derive(Clone)]
pub(super) struct Code {
    /// How many words there are of each length.
    counts: [u16; MAX_LEN + 1],
    /// The symbols, by length and then by number.
    symbols: [u16; 288],
    /// The bits that a link consumes.
    pub(super) linked: u32,
}

impl Code {
    const EMPTY: Self = Self { counts: [0; MAX_LEN + 1], symbols: [0; 288], linked: 0 };

    /// The symbol at the start of `bits` and the length of its word.
    pub(super) fn slow(&self, bits: u64) -> Option<(u16, u32)> {
        let (mut word, mut first, mut index) = (0, 0, 0);
        for len in 1..=MAX_LEN {
            word |= (bits >> (len - 1) & 1) as u32;
            let count = u32::from(self.counts[len]);
            if word < first + count {
                return Some((self.symbols[(index + word - first) as usize], len as u32));
            }
            index += count;
            first = (first + count) << 1;
            word <<= 1;
        }
        None
    }

    /// Sorts the symbols; the sum of the words' shares of the code space, of which `1 << MAX_LEN` is all.
    fn sort(&mut self, lens: &[u8]) -> u32 {
        self.counts = [0; MAX_LEN + 1];
        for &len in lens {
            self.counts[usize::from(len)] += 1;
        }
        let (mut starts, mut start, mut used) = ([0; MAX_LEN + 1], 0, 0);
        self.counts[0] = 0;
        for len in 1..=MAX_LEN {
            starts[len] = start;
            start += self.counts[len];
            used += u32::from(self.counts[len]) << (MAX_LEN - len);
        }
        // Symbols without a word all go where the first of them would be, after every other.
        starts[0] = start;
        for (symbol, &len) in lens.iter().enumerate() {
            let slot = &mut starts[usize::from(len)];
            self.symbols[usize::from(*slot)] = symbol as u16;
            *slot += u16::from(len != 0);
        }
        used
    }
}

/// A lane's tables and the codes they are of.
pub(super) struct Codes {
    pub(super) literals: Code,
    pub(super) distances: Code,
}

impl Codes {
    pub(super) const EMPTY: Self = Self { literals: Code::EMPTY, distances: Code::EMPTY };

    /// Fills a lane's tables. `None` unless both codes are complete, or the distances' has at most one word, of one
    /// bit: all that an encoder makes.
    pub(super) fn build(&mut self, entries: &mut [u16; ENTRIES], literals: &[u8], distances: &[u8]) -> Option<()> {
        const ALL: u32 = 1 << MAX_LEN;
        let used = self.literals.sort(literals);
        if used != ALL {
            return None;
        }
        let (main, links) = entries.split_at_mut(2 * TABLE);
        let (main_literals, main_distances) = main.split_at_mut(TABLE);
        let (link_literals, link_distances) = links.split_at_mut(TABLE);
        let used = self.distances.sort(distances);
        if used != ALL && used != 0 && (used != ALL / 2 || self.distances.counts[1] != 1) {
            return None;
        }
        if used != ALL {
            main_distances.fill(TO_DISTANCE);
        }
        fill(&mut self.literals, &LITERAL_ENTRIES, 0, main_literals, link_literals);
        fill(&mut self.distances, &DISTANCE_ENTRIES, TO_DISTANCE, main_distances, link_distances);
        Some(())
    }
}

/// Fills a table and, if there are words of more than [`INDEX_BITS`], the one that links lead to. `own` leads back to
/// the table itself.
fn fill(code: &mut Code, of: &[u16], own: u16, table: &mut [u16], links: &mut [u16]) {
    // Words are kept with their first bit lowest, as the stream has them, so that the window is the index.
    let (mut word, mut index) = (0, 0);
    for len in 1..=INDEX_BITS as usize {
        let count = usize::from(code.counts[len]);
        for &symbol in &code.symbols[index..index + count] {
            table[word] = entry(of[usize::from(symbol)], len as u32, own);
            word = next(word, len as u32);
        }
        index += count;
        // What follows a word does not matter, so the table for one bit more is this one twice.
        if len < INDEX_BITS as usize {
            table.copy_within(0..1 << len, 1 << len);
        }
    }
    let left: usize = code.counts[INDEX_BITS as usize + 1..].iter().map(|&count| usize::from(count)).sum();
    if left == 0 {
        return;
    }
    // The long words are the last ones, so what they all start with is as many ones as their first has. Consuming
    // just those leaves the rest to one table. There are at least two, as 288 words of 11 bits or more are less than
    // a quarter of all.
    code.linked = (!word).trailing_zeros().min(INDEX_BITS);
    let mut prefix = word;
    loop {
        table[prefix] = own | LINK | code.linked as u16;
        if prefix == TABLE - 1 {
            break;
        }
        prefix = next(prefix, INDEX_BITS);
    }
    links.fill(own | LINK);
    for len in INDEX_BITS as usize + 1..=MAX_LEN {
        let count = usize::from(code.counts[len]);
        let rest = len as u32 - code.linked;
        for &symbol in &code.symbols[index..index + count] {
            if rest <= INDEX_BITS {
                let entry = entry(of[usize::from(symbol)], rest, own | LINK);
                for place in links[word >> code.linked..].iter_mut().step_by(1 << rest) {
                    *place = entry;
                }
            }
            word = next(word, len as u32);
        }
        index += count;
    }
}

/// The entry of a symbol whose word has `len` bits, or a stop.
fn entry(of: u16, len: u32, own: u16) -> u16 {
    if of == NONE || u32::from(of & CONSUMED) + len > MOST_CONSUMED { own } else { of + len as u16 }
}

/// The word after `word` among those of `len` bits, first bit lowest: the last zero becomes a one, the ones after it
/// zeros.
fn next(word: usize, len: u32) -> usize {
    let zeros = !word & ((1 << len) - 1);
    match zeros.checked_ilog2() {
        Some(last) => word & ((1 << last) - 1) | 1 << last,
        None => word,
    }
}
