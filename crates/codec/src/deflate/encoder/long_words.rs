//! Whether data repeats in words of six bytes and more, as the greedy levels find them, rather than in shorter ones, of which they miss most.

use std::ops::RangeInclusive;

use super::repeats;

/// Bytes of each sample: an eighth of the input, but as many as these. Half a KB takes a microsecond.
const SAMPLE: RangeInclusive<usize> = 512..=1 << 10;
/// Hashes of three bytes, more than a sample has positions.
const HASHES: usize = 1 << 12;
/// One position in this many has to repeat three bytes: in a KB, random hexadecimal digits and words of two bytes, each one of 100, have fewer; of 1,000 KBs of rows and source
/// code none has.
const ENOUGH: usize = 8;
/// The share of those, in text, that have to repeat five. Of rows and source code nineteen KBs in twenty have 0.38 to 0.74, of JSON 0.75 to 0.79, words of six bytes and more 0.48 to
/// 0.76; words of five bytes, each one of 50 or more, have 0.32 to 0.40, of four up to 0.31, of three 0.26, digits, dates and prices as numbers 0.01 to 0.11.
const OF_TEXT: (usize, usize) = (3, 8);
/// The same in anything else. Of 9,000 pieces of 4 to 16 KB of programs and their data that have the share of text among their first bytes, level 4 makes 4.0% more bytes than zlib -6, and
/// more than 6% more of one in seven; of the quarter of them that this leaves 2.7%, and one in 17. Values like RocksDB's benchmark's have 0.67 to 0.95.
const OF_OTHERS: (usize, usize) = (3, 5);
/// One byte in this many of a text may be none of its bytes: a form feed here and there, or letters beyond ASCII.
const OTHERS: usize = 64;

/// Whether the start, the middle and the end of an input repeat in long words.
pub(crate) fn are_everywhere(input: &[u8]) -> bool {
    let len = (input.len() / 8).clamp(*SAMPLE.start(), *SAMPLE.end()).min(input.len());
    let samples = [0, (input.len() - len) / 2, input.len() - len].map(|start| &input[start..][..len]);
    let least = if samples.iter().all(|sample| is_text(sample)) { OF_TEXT } else { OF_OTHERS };
    samples.iter().all(|sample| are_most(sample, least))
}

/// Whether so many of the positions that repeat three bytes repeat five, and there are enough of them to tell.
fn are_most(uncompressed: &[u8], least: (usize, usize)) -> bool {
    let [threes, fives] = repeats::threes::<HASHES>(uncompressed, 5);
    threes * ENOUGH > uncompressed.len() && fives * least.1 >= threes * least.0
}

/// Whether hardly a byte is none of ASCII's printable ones.
fn is_text(uncompressed: &[u8]) -> bool {
    let is_other = |byte: u8| !(matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r'));
    let others: usize = uncompressed.iter().map(|&byte| usize::from(is_other(byte))).sum();
    others * OTHERS <= uncompressed.len()
}

#[cfg(test)]
mod tests;
