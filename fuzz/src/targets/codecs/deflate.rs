//! DEFLATE and its containers, compared with the C zlib.

use pelton_codec::{Error, Format};

use super::check::{self, CAPACITY, Outcome};
use crate::reference::zlib::{self, Container, Verdict};

/// Raw streams.
pub fn raw(input: &[u8]) {
    compare(Format::Deflate, Container::Raw, input);
}

/// zlib streams.
pub fn zlib(input: &[u8]) {
    compare(Format::Zlib, Container::Zlib, input);
}

/// gzip members.
pub fn gzip(input: &[u8]) {
    compare(Format::Gzip, Container::Gzip, input);
}

/// Returns streams of both libraries, since zlib makes fixed, Huffman-only and run-length blocks
/// that libdeflate does not.
pub fn raw_seeds() -> Vec<Vec<u8>> {
    seeds(Format::Deflate, Container::Raw)
}

/// As [`raw_seeds`], in zlib's container.
pub fn zlib_seeds() -> Vec<Vec<u8>> {
    seeds(Format::Zlib, Container::Zlib)
}

/// As [`raw_seeds`], in members with every header field, and several in a row.
pub fn gzip_seeds() -> Vec<Vec<u8>> {
    let mut seeds = seeds(Format::Gzip, Container::Gzip);
    let fields = b"\x1f\x8b\x08\x1c\0\0\0\0\0\xff\x04\0abcdname\0comment\0";
    let member: Vec<u8> = fields.iter().chain(&seeds[0][10..]).copied().collect();
    seeds.push(seeds.concat().into_iter().take(20_000).collect());
    seeds.push(include_bytes!("../../../../crates/codec/tests/data/members.gz").to_vec());
    seeds.push(member);
    seeds
}

fn seeds(format: Format, container: Container) -> Vec<Vec<u8>> {
    let mut seeds = check::seeds(format);
    let text = include_bytes!("../../../../crates/codec/tests/data/plain.txt");
    seeds.extend((0..=4).map(|strategy| zlib::deflate(container, 6, strategy, text)));
    seeds
}

/// Panics unless zlib makes the same of an input, with an output of [`CAPACITY`] bytes, as was
/// `found`.
pub(super) fn agree_with_zlib(format: Format, input: &[u8], found: &Outcome) {
    let container = match format {
        Format::Zlib => Container::Zlib,
        Format::Gzip => Container::Gzip,
        _ => Container::Raw,
    };
    agree(found, &reference(container, input), container == Container::Raw);
}

fn compare(format: Format, container: Container, input: &[u8]) {
    agree_with_zlib(format, input, &check::decompress(format, input));
    let compressed = check::round_trip(format, input);
    let done = Verdict::Done { consumed: compressed.len(), plain: input.to_vec() };
    assert!(
        zlib::inflate(container, &compressed, input.len()) == done,
        "zlib does not decode what was encoded"
    );
}

/// Returns zlib's verdict on one stream, or on all gzip members.
fn reference(container: Container, input: &[u8]) -> Verdict {
    let (mut taken, mut whole) = (0, vec![]);
    loop {
        match zlib::inflate(container, &input[taken..], CAPACITY - whole.len()) {
            Verdict::Done { consumed, plain: uncompressed } => {
                taken += consumed;
                whole.extend_from_slice(&uncompressed);
            }
            other => return other,
        }
        if container != Container::Gzip || !input[taken..].starts_with(&[0x1f, 0x8b]) {
            return Verdict::Done { consumed: taken, plain: whole };
        }
    }
}

/// libdeflate differs in two ways. It decodes some codes that RFC 1951 reserves, so that `expected`
/// may be corrupt where it goes on. And it takes zeros for bits after the end of the input until it
/// notices, which can fill the output first.
fn agree(found: &Outcome, expected: &Verdict, unchecked: bool) {
    let same = match (found, expected) {
        (Ok((done, bytes)), Verdict::Done { consumed, plain: uncompressed }) => {
            done.consumed == *consumed && bytes == uncompressed
        }
        (Err(Error::OutputTooSmall { .. }), Verdict::NoRoom | Verdict::Truncated) => true,
        (Err(Error::Truncated { .. }), Verdict::Truncated) => true,
        (Err(_), Verdict::Corrupt(_)) => true,
        // zlib reports some faults later than they can be seen: it waits for more input first.
        (Err(Error::Corrupt { what, .. }), Verdict::Truncated) => {
            ["code of the code lengths", "header", "preset dictionary"].iter().any(|late| what.contains(late))
        }
        (Ok(_), Verdict::Corrupt(what)) => unchecked || what.contains("code"),
        _ => false,
    };
    assert!(same, "zlib says {expected:?}, found {found:?}");
}
