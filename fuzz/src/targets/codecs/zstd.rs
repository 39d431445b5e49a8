//! Zstandard frames, compared with the library's streaming decoder, which shares little of the path
//! of whole frames.

use pelton_codec::{Error, Format};
use zstd_safe::{DCtx, InBuffer, OutBuffer};

use super::check::{self, CAPACITY};

const FORMAT: Format = Format::Zstd;

/// Returns frames of two versions of the library, and a skippable one.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = check::seeds(FORMAT);
    seeds.push(include_bytes!("../../../../crates/codec/tests/data/plain.zstd").to_vec());
    seeds.push(b"\x57\x2a\x4d\x18\x05\0\0\0skip!".to_vec());
    seeds
}

/// Decodes `input`, and compresses it and back.
pub fn run(input: &[u8]) {
    let found = check::decompress(FORMAT, input);
    match (found, streamed(input)) {
        (Ok((done, uncompressed)), Some(expected)) => {
            assert!(uncompressed == expected && done.consumed == input.len(), "the stream has other bytes");
        }
        (Err(Error::OutputTooSmall { .. }), _) | (Err(_), None) => {}
        (Err(e), Some(_)) => assert!(may_have_empty_block(input), "what decodes as a stream does not: {e}"),
        // Bytes after the last frame, or a window that is too large for a stream, which has to hold
        // it.
        (Ok(_), None) => {}
    }
    let compressed = check::round_trip(FORMAT, input);
    assert!(streamed(&compressed).as_deref() == Some(input), "the stream has other bytes");
}

/// Returns whether a header of a block of size 0 is somewhere. The streaming decoder goes past such
/// a block, and over the check of the frame's size if it is the last, even where RFC 8878 does not
/// allow it: a compressed block has two bytes.
pub(super) fn may_have_empty_block(input: &[u8]) -> bool {
    // Last_Block and Block_Type are the three low bits of three bytes (section 3.1.1.2).
    input.array_windows().any(|[low, middle, high]| low >> 3 == 0 && *middle == 0 && *high == 0)
}

/// Returns the uncompressed bytes, or `None` if the input is not whole frames up to its end or has
/// more than `CAPACITY` bytes.
fn streamed(input: &[u8]) -> Option<Vec<u8>> {
    let mut context = DCtx::create();
    let mut source = InBuffer::around(input);
    let mut whole = vec![];
    // Shorter than a block, so that output is cut at odd places.
    let mut part = [0; 1000];
    while whole.len() <= CAPACITY {
        let (before, mut target) = (source.pos(), OutBuffer::around(&mut part[..]));
        let hint = context.decompress_stream(&mut target, &mut source).ok()?;
        whole.extend_from_slice(target.as_slice());
        // 0 is the end of a frame; no progress is the end of the input inside of one.
        if hint == 0 && source.pos() == input.len() {
            return Some(whole);
        } else if target.pos() == 0 && source.pos() == before {
            return None;
        }
    }
    None
}
