//! The header of a block with codes of its own (RFC 1951, section 3.2.7).

use super::huffman::Code;
use crate::deflate::encoder::bit_writer::BitWriter;
use crate::deflate::encoder::symbols::{DISTANCES, END, LITERALS};
use crate::deflate::tables::CODE_LENGTH_ORDER;

/// Repeats the length before, 3 to 6 times.
const REPEAT: u8 = 16;
/// Zeros, 3 to 10 of them.
const FEW_ZEROS: u8 = 17;
/// Zeros, 11 to 138 of them.
const MANY_ZEROS: u8 = 18;

/// The lengths of the literal and the distance code, run-length encoded.
pub(crate) struct Header {
    literals: usize,
    distances: usize,
    /// Number of given lengths of the code length code.
    given: usize,
    code: Code<19>,
    /// Symbols of the code length code, and the extra bits' value.
    runs: [(u8, u8); LITERALS + DISTANCES],
    used: usize,
    /// The length of the header in bits, with the block's first three.
    pub(crate) cost: u64,
}

impl Header {
    pub(crate) fn new(literals: &[u8; LITERALS], distances: &[u8; DISTANCES]) -> Self {
        let used = |lengths: &[u8]| lengths.iter().rposition(|&len| len > 0).map_or(0, |last| last + 1);
        // At least 257 and 1 are given; HLIT and HDIST are the excess.
        let (literal_count, distance_count) = (used(literals).max(END + 1), used(distances).max(1));
        let mut header = Self {
            literals: literal_count,
            distances: distance_count,
            given: 0,
            code: Code { lengths: [0; 19], codewords: [0; 19] },
            runs: [(0, 0); LITERALS + DISTANCES],
            used: 0,
            cost: 0,
        };
        let mut lengths = [0; LITERALS + DISTANCES];
        lengths[..literal_count].copy_from_slice(&literals[..literal_count]);
        lengths[literal_count..literal_count + distance_count].copy_from_slice(&distances[..distance_count]);
        let mut counts = [0; 19];
        for run in lengths[..literal_count + distance_count].chunk_by(|a, b| a == b) {
            header.add(run[0], run.len(), &mut counts);
        }
        // Lengths of at most 7 bits: they are given in 3.
        header.code = Code::best(&counts, 7);
        let order = CODE_LENGTH_ORDER.map(|symbol| header.code.lengths[symbol]);
        header.given = used(&order).max(4);
        let extra: u32 = (16..19).map(|symbol| counts[symbol] * extra_bits(symbol as u8)).sum();
        header.cost = 3 + 14 + 3 * header.given as u64 + header.code.cost(&counts) + u64::from(extra);
        header
    }

    /// Adds a run of equal lengths.
    fn add(&mut self, len: u8, mut run: usize, counts: &mut [u32; 19]) {
        let mut push = |symbol: u8, extra: usize| {
            self.runs[self.used] = (symbol, extra as u8);
            self.used += 1;
            counts[usize::from(symbol)] += 1;
        };
        if len == 0 {
            while run >= 11 {
                let part = run.min(138);
                push(MANY_ZEROS, part - 11);
                run -= part;
            }
            if run >= 3 {
                push(FEW_ZEROS, run - 3);
                run = 0;
            }
        } else {
            push(len, 0);
            run -= 1;
            while run >= 3 {
                // 7 and 8 are split so that nothing is left that has to be written out.
                let part = if run == 7 || run == 8 { run / 2 } else { run.min(6) };
                push(REPEAT, part - 3);
                run -= part;
            }
        }
        (0..run).for_each(|_| push(len, 0));
    }

    /// Writes the header after the three bits that start a block.
    pub(crate) fn write(&self, to: &mut BitWriter<'_>) {
        to.put((self.literals - END - 1) as u64, 5);
        to.put((self.distances - 1) as u64, 5);
        to.put((self.given - 4) as u64, 4);
        to.flush();
        for symbol in &CODE_LENGTH_ORDER[..self.given] {
            to.put(self.code.lengths[*symbol].into(), 3);
            to.flush();
        }
        for &(symbol, extra) in &self.runs[..self.used] {
            let index = usize::from(symbol);
            to.put(self.code.codewords[index].into(), self.code.lengths[index].into());
            to.put(extra.into(), extra_bits(symbol));
            to.flush();
        }
    }
}

/// Extra bits of a symbol of the code length code.
fn extra_bits(symbol: u8) -> u32 {
    match symbol {
        REPEAT => 2,
        FEW_ZEROS => 3,
        MANY_ZEROS => 7,
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
