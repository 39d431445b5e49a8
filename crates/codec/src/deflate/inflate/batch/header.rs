//! Block headers (RFC 1951, section 3.2.3), read quickly and without a diagnosis.

use super::entry::MAX_LEN;
use crate::deflate::inflate::bit_buffer::peek_bits;
use crate::deflate::tables::CODE_LENGTH_ORDER;

/// Type of a block.
pub(crate) enum Block {
    /// A stored block: the position of its bytes, and their number.
    Stored { start: usize, len: usize },
    /// Symbols; `CodewordLengths` describes their codes.
    Compressed,
}

/// Codeword lengths of a block.
#[derive(Clone, Copy)]
pub(crate) struct CodewordLengths {
    /// Those of literals, then those of distances. A repeat may write up to 138 past the last.
    lengths: [u8; 288 + 32 + 138],
    literals: usize,
    distances: usize,
}

impl CodewordLengths {
    pub(crate) const EMPTY: Self = Self { lengths: [0; 458], literals: 0, distances: 0 };

    pub(crate) fn literals(&self) -> &[u8] {
        &self.lengths[..self.literals]
    }

    pub(crate) fn distances(&self) -> &[u8] {
        &self.lengths[self.literals..self.literals + self.distances]
    }

    fn fixed(&mut self) {
        self.lengths[..288].fill(8);
        self.lengths[144..256].fill(9);
        self.lengths[256..280].fill(7);
        self.lengths[288..320].fill(5);
        (self.literals, self.distances) = (288, 32);
    }
}

/// Reads the header at bit `at` and moves past it. Returns whether the block is the last one, and
/// its type; `None` if it is invalid. The caller checks that it ends within the input.
pub(crate) fn read(input: &[u8], at: &mut usize, lengths: &mut CodewordLengths) -> Option<(bool, Block)> {
    let bits = peek_bits(input, *at);
    *at += 3;
    let last = bits & 1 == 1;
    match bits >> 1 & 3 {
        0 => {
            let start = at.div_ceil(8);
            let head: &[u8; 4] = input.get(start..)?.first_chunk()?;
            let (len, complement) =
                (u16::from_le_bytes([head[0], head[1]]), u16::from_le_bytes([head[2], head[3]]));
            let block = Block::Stored { start: start + head.len(), len: usize::from(len) };
            (len == !complement).then_some((last, block))
        }
        1 => {
            lengths.fixed();
            Some((last, Block::Compressed))
        }
        2 => {
            dynamic(input, at, lengths)?;
            Some((last, Block::Compressed))
        }
        _ => None,
    }
}

/// The longest codeword of the code in which lengths are written.
const PRE_LEN: usize = 7;

/// Section 3.2.7.
fn dynamic(input: &[u8], at: &mut usize, lengths: &mut CodewordLengths) -> Option<()> {
    let bits = peek_bits(input, *at);
    lengths.literals = 257 + (bits & 31) as usize;
    lengths.distances = 1 + (bits >> 5 & 31) as usize;
    let explicit = 4 + (bits >> 10 & 15) as usize;
    *at += 14;
    if lengths.literals > 286 || lengths.distances > 30 {
        return None;
    }
    // All lengths fit the minimum of a bit buffer.
    let bits = peek_bits(input, *at) & ((1 << (3 * explicit)) - 1);
    *at += 3 * explicit;
    let mut pre = [0; CODE_LENGTH_ORDER.len()];
    for (i, &symbol) in CODE_LENGTH_ORDER.iter().enumerate() {
        pre[symbol] = (bits >> (3 * i) & 7) as u8;
    }
    let table = pre_table(&pre)?;

    let total = lengths.literals + lengths.distances;
    let mut done = 0;
    let mut previous = NO_LENGTH;
    while done < total {
        let mut bits = peek_bits(input, *at);
        // A length takes up to 7 bits and its repeat count 7 more, so a bit buffer holds four.
        for _ in 0..4 {
            let repeat = table[(bits & 127) as usize];
            let count = usize::from((repeat >> BASE) as u8)
                + (bits >> (repeat >> CODEWORD_BITS & 15) & u64::from(repeat >> EXTRA_MASK & 127)) as usize;
            previous = if repeat & REPEATS_PREVIOUS != 0 { previous } else { (repeat >> VALUE & 15) as u8 };
            bits >>= repeat & TAKEN;
            *at += (repeat & TAKEN) as usize;
            // Most repeats are short; excess elements are overwritten by the next length.
            lengths.lengths[done..done + 16].fill(previous);
            if count > 16 {
                lengths.lengths[done + 16..done + count].fill(previous);
            }
            done += count;
            if done >= total {
                break;
            }
        }
    }
    // A block has to be able to end.
    (done == total && lengths.lengths[0] != NO_LENGTH && lengths.lengths[256] != 0).then_some(())
}

/// Fields of an entry of the code length code, one number so that it is one load. Lowest bits: the
/// total of the codeword and the repeat count.
const TAKEN: u32 = 15;
/// The flag of a value that is the one before.
const REPEATS_PREVIOUS: u32 = 1 << 7;
/// First bits of the other fields: codeword bits alone, the value, a mask of the repeat count, and
/// its base.
const CODEWORD_BITS: u32 = 8;
const VALUE: u32 = 12;
const EXTRA_MASK: u32 = 16;
const BASE: u32 = 24;
/// Predecessor of the first length.
const NO_LENGTH: u8 = 255;

/// By symbol, without the bits of its codeword.
const REPEATS: [u32; CODE_LENGTH_ORDER.len()] = {
    let mut repeats = [0; CODE_LENGTH_ORDER.len()];
    let mut symbol = 0;
    while symbol < 16 {
        repeats[symbol] = (symbol as u32) << VALUE | 1 << BASE;
        symbol += 1;
    }
    repeats[16] = 2 | REPEATS_PREVIOUS | 3 << EXTRA_MASK | 3 << BASE;
    repeats[17] = 3 | 7 << EXTRA_MASK | 3 << BASE;
    repeats[18] = 7 | 127 << EXTRA_MASK | 11 << BASE;
    repeats
};

/// By codeword of seven bits, first bit lowest. `None` unless the code is complete.
fn pre_table(lengths: &[u8; 19]) -> Option<[u32; 1 << PRE_LEN]> {
    // By length, in a byte each: the number of codewords, and the next one, first bit highest, as
    // if all had seven bits.
    let counts: u64 = lengths.iter().map(|&len| 1 << (8 * len)).sum();
    let (mut codewords, mut codeword) = (0, 0);
    for len in 1..=PRE_LEN {
        codewords |= codeword << (8 * len);
        codeword += (counts >> (8 * len) & 255) << (PRE_LEN - len);
    }
    if codeword != 1 << PRE_LEN {
        return None;
    }
    // Each entry goes to the index of its codeword, then to every index with other bits after the
    // codeword. No other codeword is there, so each half of the table is copied to the empty places
    // of the other.
    let mut table = [0; 1 << PRE_LEN];
    for (&len, repeat) in lengths.iter().zip(REPEATS) {
        if len != 0 {
            let codeword = codewords >> (8 * len) & 127;
            codewords += 1 << (8 * len as usize + PRE_LEN - len as usize);
            table[usize::from((codeword as u8).reverse_bits() >> 1)] =
                repeat + u32::from(len) * (1 + (1 << CODEWORD_BITS));
        }
    }
    for half in (0..PRE_LEN).map(|bits| 1 << bits) {
        let (low, high) = table.split_at_mut(half);
        for (high, low) in high.iter_mut().zip(low) {
            *high = if *high == 0 { *low } else { *high };
        }
    }
    Some(table)
}

const _: () = assert!(MAX_LEN < 16, "symbols below 16 are lengths");
