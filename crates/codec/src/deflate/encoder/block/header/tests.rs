use pelton_random::reduced;

use super::*;
use crate::deflate::encoder::symbols::Histogram;

/// Reads bits of a stream, the first the least significant.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn take(&mut self, count: u32) -> usize {
        let bit = |at: usize| usize::from(self.bytes[at / 8] >> (at % 8) & 1);
        let value = (0..count as usize).map(|i| bit(self.at + i) << i).sum();
        self.at += count as usize;
        value
    }

    /// A symbol, by trying all codewords.
    fn symbol(&mut self, code: &Code<19>) -> usize {
        for len in 1..=7 {
            let word = self.take(len) as u16;
            let is_it =
                |symbol: &usize| u32::from(code.lengths[*symbol]) == len && code.codewords[*symbol] == word;
            if let Some(symbol) = (0..19).find(is_it) {
                return symbol;
            }
            self.at -= len as usize;
        }
        panic!("no word");
    }

    /// The lengths that a header gives, as RFC 1951, section 3.2.7, says.
    fn header(&mut self) -> (Vec<u8>, Vec<u8>) {
        let (literals, distances, given) = (257 + self.take(5), 1 + self.take(5), 4 + self.take(4));
        let mut code_lens = [0; 19];
        for symbol in &CODE_LENGTH_ORDER[..given] {
            code_lens[*symbol] = self.take(3) as u8;
        }
        let code = Code::of(code_lens);
        let mut lengths: Vec<u8> = Vec::new();
        while lengths.len() < literals + distances {
            let (len, times) = match self.symbol(&code) {
                16 => (*lengths.last().expect("something to repeat"), 3 + self.take(2)),
                17 => (0, 3 + self.take(3)),
                18 => (0, 11 + self.take(7)),
                len => (len as u8, 1),
            };
            lengths.resize(lengths.len() + times, len);
        }
        assert_eq!(lengths.len(), literals + distances, "runs end with the lengths");
        let distances = lengths.split_off(literals);
        (lengths, distances)
    }
}

/// Writes the header, reads it, and compares.
fn check(literals: &[u8; LITERALS], distances: &[u8; DISTANCES]) {
    let header = Header::new(literals, distances);
    let mut out = [0; 400];
    let mut to = BitWriter::new(&mut out);
    let before = to.remaining_bits();
    header.write(&mut to);
    let cost = before - to.remaining_bits() + 3;
    to.align().unwrap();
    assert_eq!(header.cost, cost, "{literals:?} {distances:?}");
    let mut reader = Reader { bytes: &out, at: 0 };
    let (found_literals, found_distances) = reader.header();
    assert_eq!(reader.at as u64 + 3, cost);
    let same = |found: &[u8], expected: &[u8]| {
        expected.starts_with(found) && expected[found.len()..].iter().all(|&len| len == 0)
    };
    assert!(same(&found_literals, literals), "{found_literals:?}, not {literals:?}");
    assert!(same(&found_distances, distances), "{found_distances:?}, not {distances:?}");
}

/// Runs of every length, of zeros and of others, at the end and within, and over the border between
/// the two codes.
#[test]
fn runs_of_every_length() {
    for run in 0..=LITERALS {
        for len in [0, 8] {
            for start in [0, LITERALS - run] {
                let mut literals = [0; LITERALS];
                (0..LITERALS).for_each(|symbol| literals[symbol] = 7 + symbol as u8 % 2 * 2);
                literals[start..start + run].fill(len);
                for distances in [[0; DISTANCES], [8; DISTANCES]] {
                    check(&literals, &distances);
                }
            }
        }
    }
}

#[test]
fn headers_of_real_codes() {
    let mut seed = 1_u32;
    let mut random = |end: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) % end
    };
    for _ in 0..reduced(2000) {
        let mut counts = Histogram::EMPTY;
        let (used, magnitude) = (1 + random(40), 1 + random(18));
        for count in counts.literals.iter_mut().chain(&mut counts.distances) {
            *count = if random(used) == 0 { random(1 << magnitude) } else { 0 };
        }
        check(&Code::best(&counts.literals, 15).lengths, &Code::best(&counts.distances, 15).lengths);
    }
}
