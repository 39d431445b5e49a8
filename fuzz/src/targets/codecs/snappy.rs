//! Snappy blocks, compared with a decoder that follows the format's description word by word.

use pelton_codec::Format;

use super::check::{self, CAPACITY};

const FORMAT: Format = Format::Snappy;

/// Returns blocks of two libraries, and one with each kind of element.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = check::seeds(FORMAT);
    seeds.push(include_bytes!("../../../../crates/codec/tests/data/plain.snappy").to_vec());
    seeds.push(vec![14, 0x04, b'a', b'b', 0x01, 2, 0x0e, 6, 0, 0x0f, 2, 0, 0, 0]);
    seeds
}

/// Decodes `input`, and compresses it and back.
pub fn run(input: &[u8]) {
    let found = check::decompress(FORMAT, input).ok().map(|(_, uncompressed)| uncompressed);
    assert!(found == naive(input), "the format's description gives {:?}, found {found:?}", naive(input));
    let compressed = check::round_trip(FORMAT, input);
    assert!(naive(&compressed).as_deref() == Some(input), "what was encoded is not as described");
}

/// google/snappy, format_description.txt, sections 1 and 2.
fn naive(input: &[u8]) -> Option<Vec<u8>> {
    let header = input.iter().take(5).position(|byte| byte & 0x80 == 0)? + 1;
    let size = input[..header].iter().rev().fold(0u64, |n, byte| n << 7 | u64::from(byte & 0x7f));
    if size > CAPACITY as u64 {
        return None;
    }
    let mut rest = &input[header..];
    let mut take = |count: usize| {
        let (number, after) = rest.split_at_checked(count)?;
        rest = after;
        Some(number.iter().rev().fold(0usize, |n, byte| n << 8 | usize::from(*byte)))
    };
    let mut uncompressed = vec![];
    while let Some(tag) = take(1) {
        let (len, offset) = match tag & 3 {
            0 => {
                let len = match tag >> 2 {
                    long @ 60.. => take(long - 59)?,
                    short => short,
                };
                for _ in 0..=len {
                    uncompressed.push(take(1)? as u8);
                }
                continue;
            }
            1 => (4 + (tag >> 2 & 7), tag >> 5 << 8 | take(1)?),
            2 => (1 + (tag >> 2), take(2)?),
            _ => (1 + (tag >> 2), take(4)?),
        };
        let start = uncompressed.len().checked_sub(offset).filter(|_| offset > 0)?;
        for i in start..start + len {
            uncompressed.push(uncompressed[i]);
        }
    }
    (uncompressed.len() as u64 == size).then_some(uncompressed)
}
