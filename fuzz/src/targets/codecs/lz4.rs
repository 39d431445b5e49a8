//! Raw LZ4 blocks, compared with the C LZ4.

use pelton_codec::{Error, Format};

use super::check::{self, CAPACITY};
use crate::reference::lz4;

const FORMAT: Format = Format::Lz4;

/// Returns blocks of both libraries.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = check::seeds(FORMAT);
    seeds.push(lz4::compress(include_bytes!("../../../../crates/codec/tests/data/plain.txt")));
    seeds
}

/// Returns whether the fault is an offset of 0, which the C decoder lets pass with bytes that are
/// not defined.
pub(super) fn is_undefined(error: &Error) -> bool {
    matches!(error, Error::Corrupt { what: "a match has offset 0", .. })
}

/// Decodes `input`, and compresses it and back.
pub fn run(input: &[u8]) {
    let found = check::decompress(FORMAT, input);
    // The C decoder also asks for literals at the end of a block, so it refuses some that are
    // decoded here.
    if let Some(expected) = lz4::decompress(input, CAPACITY) {
        match found {
            Ok((_, uncompressed)) => assert!(uncompressed == expected, "LZ4 decodes other bytes"),
            Err(e) if is_undefined(&e) => {}
            Err(e) => panic!("LZ4 decodes {} bytes, found {e}", expected.len()),
        }
    }
    let compressed = check::round_trip(FORMAT, input);
    assert!(lz4::decompress(&compressed, input.len()).as_deref() == Some(input), "LZ4 decodes other bytes");
}
