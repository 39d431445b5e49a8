//! Brotli streams, compared with the same library fed a few bytes at a time.

use std::io::Read;

use pelton_codec::{Error, Format};

use super::check::{self, CAPACITY};

const FORMAT: Format = Format::Brotli;

/// Returns streams of two libraries.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = check::seeds(FORMAT);
    seeds.push(include_bytes!("../../../../crates/codec/tests/data/plain.brotli").to_vec());
    seeds
}

/// Decodes `input`, and compresses it and back.
pub fn run(input: &[u8]) {
    let found = check::decompress(FORMAT, input);
    match (found, streamed(input)) {
        (Ok((_, uncompressed)), Some(expected)) => {
            assert!(uncompressed == expected, "the stream has other bytes")
        }
        // The streaming reader takes the large-window extension too.
        (Err(Error::OutputTooSmall { .. } | Error::Corrupt { .. }), _) => {}
        (Err(Error::Truncated { .. }), None) => {}
        // Both truncated and too long; the window can hold more than the output, and then either is
        // said.
        (Err(Error::Truncated { .. }), Some(expected)) if expected.len() == CAPACITY => {}
        (found, expected) => {
            let (found, expected) =
                (found.map(|(done, _)| done), expected.map(|uncompressed| uncompressed.len()));
            panic!("as a stream {expected:?} bytes, found {found:?}");
        }
    }
    let compressed = check::round_trip(FORMAT, input);
    assert!(streamed(&compressed).as_deref() == Some(input), "the stream has other bytes");
}

/// Returns the uncompressed bytes, or `None` if there is a fault before `CAPACITY` bytes.
fn streamed(input: &[u8]) -> Option<Vec<u8>> {
    let mut whole = vec![];
    brotli::Decompressor::new(input, 7).take(CAPACITY as u64).read_to_end(&mut whole).ok()?;
    Some(whole)
}
