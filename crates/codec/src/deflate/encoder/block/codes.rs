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

    /// Each distance symbol's word, as in [`literals`](Self::literals).
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
    let most = counts.iter().copied().max().unwrap_or(0);
    let shift = (most / TOO_MANY).checked_ilog2().map_or(0, |log2| log2 + 1);
    counts.map(|count| if count == 0 { 0 } else { (count >> shift).max(1) })
}

fn canonical(word: u16, len: u8) -> (u16, u8) {
    (word.reverse_bits().checked_shr(16 - u32::from(len)).unwrap_or(0), len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Decoder, Format};

    /// A block of literals, written one bit at a time with the codewords that are given out.
    #[test]
    fn a_block_written_with_the_words_is_decoded() {
        for uncompressed in [&b""[..], b"a", b"abracadabra", &[7; 3000], &(0..=255).collect::<Vec<u8>>()] {
            let mut counts = [0; LITERALS];
            uncompressed.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
            let codes = BlockCodes::best(&counts, &[0; DISTANCES]);
            let mut out = vec![0; 1000 + 2 * uncompressed.len()];
            let mut at = codes.write_header(true, &mut out).expect("there is room");
            let codewords = codes.literals();
            for symbol in uncompressed.iter().map(|&byte| usize::from(byte)).chain([END]) {
                let (word, len) = codewords[symbol];
                for bit in (0..len).rev() {
                    out[at / 8] |= ((word >> bit & 1) as u8) << (at % 8);
                    at += 1;
                }
            }
            let mut back = vec![0; uncompressed.len()];
            let done = Decoder::new().decompress(Format::Deflate, &out, &mut back).expect("a block");
            assert_eq!((done.consumed, &back[..]), (at.div_ceil(8), uncompressed));
        }
    }

    #[test]
    fn counts_of_any_size_have_a_code() {
        let mut counts = [0; LITERALS];
        (counts[0], counts[1], counts[2]) = (u32::MAX, 1, TOO_MANY);
        let codes = BlockCodes::best(&counts, &[u32::MAX; DISTANCES]);
        let lengths = codes.literals().map(|(_, len)| len);
        assert_eq!((lengths[0], lengths[2]), (1, 2));
        assert!(lengths[1] > 2 && lengths[END] > 2);
    }
}
