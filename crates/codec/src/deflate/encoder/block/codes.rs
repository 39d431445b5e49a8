//! Codes of a block for another compressor, which counts and writes the symbols itself.

use super::header::Header;
use super::huffman::{Code, MAX_LEN};
use crate::deflate::encoder::bit_writer::BitWriter;
use crate::deflate::encoder::symbols::{DISTANCES, END, LITERALS};

/// The codes of a block (RFC 1951, section 3.2.7), and its header.
pub struct BlockCodes {
    literals: Code<LITERALS>,
    distances: Code<DISTANCES>,
}

/// Counts from this on don't fit in the keys that `huffman.rs` sorts.
const TOO_MANY: u32 = 1 << 23;

impl BlockCodes {
    /// Number of symbols for literals, the end of a block and lengths.
    pub const LITERALS: usize = LITERALS;
    /// Number of symbols for distances.
    pub const DISTANCES: usize = DISTANCES;

    /// Returns the codes that take the fewest bits for these counts of symbols. The end of a block
    /// occurs at least once, whatever its count.
    pub fn best(literals: &[u32; LITERALS], distances: &[u32; DISTANCES]) -> Self {
        let mut literals = scaled(literals);
        literals[END] = literals[END].max(1);
        let distances = scaled(distances);
        Self { literals: Code::best(&literals, MAX_LEN), distances: Code::best(&distances, MAX_LEN) }
    }

    /// Returns each literal's codeword, its first bit the most significant, and its number of bits;
    /// 0 for a symbol without a codeword.
    pub fn literals(&self) -> [(u16, u8); LITERALS] {
        std::array::from_fn(|symbol| {
            canonical(self.literals.codewords[symbol], self.literals.lengths[symbol])
        })
    }

    /// Each distance symbol's codeword, as in [`literals`](Self::literals).
    pub fn distances(&self) -> [(u16, u8); DISTANCES] {
        std::array::from_fn(|symbol| {
            canonical(self.distances.codewords[symbol], self.distances.lengths[symbol])
        })
    }

    /// Writes the block up to its first symbol, and returns the number of bits; `None` if they
    /// don't fit.
    pub fn write_header(&self, is_last: bool, out: &mut [u8]) -> Option<usize> {
        let header = Header::new(&self.literals.lengths, &self.distances.lengths);
        // The writer needs room for a few bytes more than it writes.
        let mut bytes = [0; 512];
        let mut to = BitWriter::new(&mut bytes);
        // BTYPE 2: codes of its own.
        to.write(u32::from(is_last) | 2 << 1, 3)?;
        header.write(&mut to);
        let len = to.finish()?;
        out.get_mut(..len)?.copy_from_slice(&bytes[..len]);
        usize::try_from(header.cost).ok()
    }
}

/// Returns counts that are small enough, in about the same proportions; none becomes 0.
fn scaled<const N: usize>(counts: &[u32; N]) -> [u32; N] {
    let max = counts.iter().copied().max().unwrap_or(0);
    let shift = (max / TOO_MANY).checked_ilog2().map_or(0, |log2| log2 + 1);
    counts.map(|count| if count == 0 { 0 } else { (count >> shift).max(1) })
}

fn canonical(codeword: u16, len: u8) -> (u16, u8) {
    (codeword.reverse_bits().checked_shr(16 - u32::from(len)).unwrap_or(0), len)
}

#[cfg(test)]
mod tests;
