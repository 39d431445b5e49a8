//! Blocks of every kind, with sound and unsound codes, lengths and distances.

use pelton_random::Random;

use super::bits::Bits;
use super::code::{self, lens, words};

/// Maximum length of a stream's data, little less than the capacity of fuzz targets.
const MAX: usize = 60_000;
/// RFC 1951, section 3.2.5: the first length of each length symbol and its extra bits, and the same
/// for distances.
const LENGTHS: [(u16, u8); 29] = based(3, 4, 8, true);
const DISTANCES: [(u16, u8); 30] = based(1, 2, 4, false);
const END: usize = 256;

/// Returns bases that grow by the range of the extra bits: none for the first `plain` symbols, then
/// one more for every `step`.
const fn based<const N: usize>(first: u16, step: usize, plain: usize, is_length: bool) -> [(u16, u8); N] {
    let mut all = [(0, 0); N];
    let (mut base, mut at) = (first, 0);
    while at < N {
        let extra = if at < plain { 0 } else { ((at - plain) / step + 1) as u8 };
        all[at] = (base, extra);
        base = base.wrapping_add(1 << extra);
        at += 1;
    }
    if is_length {
        all[N - 1] = (258, 0);
    }
    all
}

/// Description of a block.
pub(super) struct Block {
    pub(super) kind: u8,
    pub(super) codes: u8,
    pub(super) length: u8,
    pub(super) last: bool,
}

impl Block {
    /// Writes the block after `produced` bytes of data; returns their number with the block's.
    pub(super) fn write(&self, bits: &mut Bits, produced: usize, random: &mut Random) -> usize {
        bits.put(u64::from(self.last), 1);
        let symbols = match self.length >> 6 {
            0 => 0,
            1 => usize::from(self.length & 63),
            // A few chunks of a lane, and many.
            2 => 20 * usize::from(self.length & 63),
            _ => 200 * usize::from(self.length & 63),
        };
        match self.kind % 8 {
            0 => self.stored(bits, produced, symbols.min(2000), random),
            1 => {
                bits.put(1, 2);
                let mut fixed = vec![8; 288];
                fixed[144..256].fill(9);
                fixed[256..280].fill(7);
                self.symbols(bits, (&fixed, &[5; 32]), produced, symbols, random)
            }
            // Not a kind of block.
            2 if self.codes == 0 => {
                bits.put(3, 2);
                produced
            }
            _ => {
                bits.put(2, 2);
                let kind = usize::from(self.codes);
                let mut literals = lens(kind % code::KINDS, 286, random);
                if literals[END] == 0 && self.kind < 224 {
                    let used = literals.iter().position(|&len| len != 0);
                    literals.swap(END, used.unwrap_or_default());
                }
                let distances = lens(kind / code::KINDS, 30, random);
                header(bits, &literals, &distances, self.kind & 8 != 0);
                self.symbols(bits, (&literals, &distances), produced, symbols, random)
            }
        }
    }

    fn stored(&self, bits: &mut Bits, produced: usize, len: usize, random: &mut Random) -> usize {
        bits.put(0, 2);
        bits.align();
        bits.put(len as u64, 16);
        bits.put(!(len as u64) ^ u64::from(self.codes == 255), 16);
        bits.bytes(&(0..len).map(|_| random.next() as u8).collect::<Vec<_>>());
        produced + len
    }

    /// Symbols that have words, then the end of the block.
    fn symbols(
        &self,
        bits: &mut Bits,
        (literals, distances): (&[u8], &[u8]),
        mut produced: usize,
        count: usize,
        random: &mut Random,
    ) -> usize {
        let used =
            |lens: &[u8]| -> Vec<usize> { (0..lens.len()).filter(|&symbol| lens[symbol] != 0).collect() };
        let (literal_words, distance_words) = (words(literals), words(distances));
        let (literals, distances) = (used(literals), used(distances));
        // Most streams keep to valid distances.
        let is_bold = self.kind & 16 != 0 && self.codes & 64 != 0;
        let count = if literals.is_empty() { 0 } else { count };
        for _ in 0..count {
            let symbol = literals[random.below(literals.len())];
            let distance = (!distances.is_empty()).then(|| distances[random.below(distances.len())]);
            let fits = distance.is_some_and(|distance| {
                DISTANCES
                    .get(distance)
                    .is_some_and(|&(base, extra)| usize::from(base) + (1 << extra) <= produced + 1)
            });
            if produced > MAX || symbol == END || symbol > END && !fits && !is_bold {
                continue;
            }
            bits.word(literal_words[symbol]);
            if symbol < END {
                produced += 1;
                continue;
            }
            let (base, extra) = LENGTHS.get(symbol - END - 1).copied().unwrap_or_default();
            let more = random.next() & ((1 << extra) - 1);
            bits.put(more, u32::from(extra));
            produced += usize::from(base) + more as usize;
            if let Some(distance) = distance {
                bits.word(distance_words[distance]);
                let extra = DISTANCES.get(distance).map_or(0, |&(_, extra)| extra);
                bits.put(random.next(), u32::from(extra));
            }
        }
        bits.word(literal_words[END]);
        produced
    }
}

/// The lengths of a block's codes, each by itself or, where they repeat, with the symbols for that
/// (section 3.2.7).
pub(super) fn header(bits: &mut Bits, literals: &[u8], distances: &[u8], repeats: bool) {
    const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
    let mut pre = [4_u8; 19];
    // Complete either way: 16 words of four bits, or 13 and six of five.
    if repeats {
        pre[13..].fill(5)
    } else {
        pre[16..].fill(0)
    }
    bits.put(literals.len() as u64 - 257, 5);
    bits.put(distances.len() as u64 - 1, 5);
    bits.put(15, 4);
    ORDER.iter().for_each(|&symbol| bits.put(u64::from(pre[symbol]), 3));
    let words = words(&pre);
    let all = [literals, distances].concat();
    let mut at = 0;
    while at < all.len() {
        let run = all[at..].iter().take_while(|&&len| len == all[at]).count();
        let (symbol, extra, value, taken) = match (repeats, all[at], run) {
            (true, 0, 11..) => (18, 7, run.min(138) - 11, run.min(138)),
            (true, 0, 3..) => (17, 3, run.min(10) - 3, run.min(10)),
            (true, len, 3..) if at > 0 && all[at - 1] == len => (16, 2, run.min(6) - 3, run.min(6)),
            (_, len, _) => (usize::from(len), 0, 0, 1),
        };
        bits.word(words[symbol]);
        bits.put(value as u64, extra);
        at += taken;
    }
}
