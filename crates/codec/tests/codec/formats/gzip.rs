//! gzip members: several, with every header field, followed by other bytes.

use pelton_codec::{Checksum, Error, Format, checksum};

use crate::reference::zlib::{self, Container, Verdict};
use crate::support::{PLAIN, pack_default, unpack};

const FHCRC: u8 = 2;
const FEXTRA: u8 = 4;
const FNAME: u8 = 8;
const FCOMMENT: u8 = 16;

/// Three members with names, one of them empty, written by Python.
const MEMBERS: &[u8] = include_bytes!("../../data/members.gz");

#[test]
fn members_of_python_are_decoded_wholly() {
    assert_eq!(unpack(Format::Gzip, MEMBERS, PLAIN.len()), Ok((PLAIN.to_vec(), MEMBERS.len())));
    let room = PLAIN.len() - 1;
    let error = unpack(Format::Gzip, MEMBERS, room).unwrap_err();
    assert_eq!(error, Error::OutputTooSmall { format: Format::Gzip, room });
}

/// A member with the header fields of `flags`.
fn member(flags: u8, plain: &[u8]) -> Vec<u8> {
    let packed = pack_default(Format::Gzip, plain);
    let mut header = packed[..10].to_vec();
    header[3] = flags;
    if flags & FEXTRA != 0 {
        header.extend_from_slice(b"\x06\x00PE\x02\x00\x00\xff");
    }
    if flags & FNAME != 0 {
        header.extend_from_slice(b"name.txt\0");
    }
    if flags & FCOMMENT != 0 {
        header.extend_from_slice(b"a comment\0");
    }
    if flags & FHCRC != 0 {
        let crc = checksum(Checksum::Crc32, &header) as u16;
        header.extend_from_slice(&crc.to_le_bytes());
    }
    [&header, &packed[10..]].concat()
}

/// All sixteen sets of fields, and FTEXT, which is a hint.
#[test]
fn header_fields_are_skipped() {
    for flags in 0..32 {
        let packed = member(flags, b"fields");
        let expected = Verdict::Done { consumed: packed.len(), plain: b"fields".to_vec() };
        assert_eq!(zlib::inflate(Container::Gzip, &packed, 6), expected, "{flags:#b}");
        assert_eq!(unpack(Format::Gzip, &packed, 6), Ok((b"fields".to_vec(), packed.len())), "{flags:#b}");
    }
}

#[test]
fn every_prefix_of_a_member_is_truncated() {
    let packed = member(31, b"a member that ends too early");
    for len in 0..packed.len() {
        let error = unpack(Format::Gzip, &packed[..len], 100).unwrap_err();
        assert_eq!(error, Error::Truncated { format: Format::Gzip }, "{len} bytes");
    }
}

#[test]
fn a_truncated_second_member_is_an_error() {
    let first = member(0, b"first");
    let both = [first.clone(), member(FNAME, b"second")].concat();
    // From the whole magic number on, the bytes are a second member.
    for len in first.len() + 2..both.len() {
        let error = unpack(Format::Gzip, &both[..len], 100).unwrap_err();
        assert_eq!(error, Error::Truncated { format: Format::Gzip }, "{len} bytes");
    }
    assert_eq!(unpack(Format::Gzip, &both[..first.len() + 1], 100), Ok((b"first".to_vec(), first.len())));
}

#[test]
fn what_follows_the_last_member_is_not_consumed() {
    let packed = [member(0, b"one "), member(FEXTRA, b"two")].concat();
    for tail in [&b"\0\0\0\0"[..], b"\x1f", b"\x1f\x8c", b"PAR1"] {
        let input = [&packed, tail].concat();
        assert_eq!(unpack(Format::Gzip, &input, 7), Ok((b"one two".to_vec(), packed.len())));
    }
}

#[test]
fn damage_is_named() {
    let sound = member(FHCRC, b"damage");
    let end = sound.len();
    for (at, what) in [
        (0, "not a gzip header"),
        (1, "not a gzip header"),
        (2, "method is not DEFLATE"),
        (4, "header's CRC"),
        (10, "header's CRC"),
        (end - 8, "CRC-32 does not match"),
        (end - 4, "length at the end"),
    ] {
        let mut packed = sound.clone();
        packed[at] ^= 0x40;
        let error = unpack(Format::Gzip, &packed, 6).unwrap_err();
        assert!(matches!(error, Error::Corrupt { .. }) && error.to_string().contains(what), "{at}: {error}");
    }
    let error = unpack(Format::Gzip, &member(0x20, b""), 0).unwrap_err().to_string();
    assert!(error.contains("reserved header flags"), "{error}");
}
