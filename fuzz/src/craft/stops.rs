//! Streams that make a decoder stop all the time.

use super::bits::Bits;
use super::code::words;

/// Raw streams of about `len` bytes, with their uncompressed lengths: blocks without data, which
/// never let a lane of `BatchInflater` go on for long, and distances with a long word and thirteen
/// more bits, which its tables leave out where the lengths of a block take more bits than here.
/// Both are sound.
pub(crate) fn stops(len: usize) -> [(Vec<u8>, usize); 2] {
    [empty_blocks(len), far_distances(len)]
}

fn empty_blocks(len: usize) -> (Vec<u8>, usize) {
    let mut bits = Bits::default();
    for block in 0..len * 8 / 10 {
        bits.put(u64::from(block + 1 == len * 8 / 10), 1);
        bits.put(1, 2);
        bits.put(0, 7);
    }
    (bits.finish(), 0)
}

fn far_distances(len: usize) -> (Vec<u8>, usize) {
    let mut bits = Bits::default();
    // 32 KB to be far from, in a stored block.
    let before = 32_768;
    bits.put(0, 3);
    bits.align();
    bits.put(before, 16);
    bits.put(!before, 16);
    (0..before).for_each(|byte| bits.put(byte, 8));
    // The shortest length with a word of one bit, and the farthest distance with one of eight.
    let mut literals = [0; 286];
    (literals[0], literals[256], literals[257]) = (2, 2, 1);
    let mut distances = [0; 30];
    for (symbol, len) in distances.iter_mut().zip(1..=8) {
        *symbol = len;
    }
    distances[29] = 8;
    bits.put(0b101, 3);
    super::block::header(&mut bits, &literals, &distances, false);
    let (literals, distances) = (words(&literals), words(&distances));
    let matches = len * 8 / 22;
    for _ in 0..matches {
        bits.word(literals[257]);
        bits.word(distances[29]);
        bits.put(0, 13);
    }
    bits.word(literals[256]);
    (bits.finish(), before as usize + 3 * matches)
}
