//! LZ4 in Hadoop's framing, compared with the C LZ4 under a parser of the simple form: one chunk in
//! a block.

use pelton_codec::Format;

use super::check::{self, CAPACITY};
use crate::reference::lz4;

const FORMAT: Format = Format::Lz4Hadoop;

/// Blocks with one chunk and with two.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = check::seeds(FORMAT);
    let text = include_bytes!("../../../../crates/codec/tests/data/plain.txt");
    let (a, b) = text.split_at(500);
    let mut block = be(text.len()).to_vec();
    for part in [a, b] {
        let compressed = lz4::compress(part);
        block.extend_from_slice(&be(compressed.len()));
        block.extend_from_slice(&compressed);
    }
    seeds.push(block);
    seeds.push(be(0).to_vec());
    seeds
}

fn be(size: usize) -> [u8; 4] {
    u32::try_from(size).expect("seeds are small").to_be_bytes()
}

/// Decodes `input`, and compresses it and back.
pub fn run(input: &[u8]) {
    let found = check::decompress(FORMAT, input);
    if let Some(expected) = simple(input) {
        match found {
            Ok((done, uncompressed)) => {
                assert!(uncompressed == expected && done.consumed == input.len(), "other bytes")
            }
            Err(e) if super::lz4::is_undefined(&e) => {}
            Err(e) => panic!("LZ4 decodes {} bytes, found {e}", expected.len()),
        }
    }
    let compressed = check::round_trip(FORMAT, input);
    assert!(
        simple(&compressed).as_deref() == Some(input),
        "a simple reader does not decode what was encoded"
    );
}

/// Returns the uncompressed bytes, or `None` if the input is not of the simple form.
fn simple(mut input: &[u8]) -> Option<Vec<u8>> {
    let mut whole = vec![];
    while !input.is_empty() {
        let (uncompressed, rest) = input.split_first_chunk::<4>()?;
        let (compressed, rest) = rest.split_first_chunk::<4>()?;
        let (uncompressed, compressed) =
            (u32::from_be_bytes(*uncompressed) as usize, u32::from_be_bytes(*compressed) as usize);
        let (chunk, rest) = rest.split_at_checked(compressed)?;
        if uncompressed > CAPACITY - whole.len() {
            return None;
        }
        whole.extend(lz4::decompress(chunk, uncompressed).filter(|found| found.len() == uncompressed)?);
        input = rest;
    }
    Some(whole)
}
