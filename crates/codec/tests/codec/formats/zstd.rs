//! Zstandard: frames after each other, skippable ones, and those that other encoders write.

use pelton_codec::{Error, Format};

use crate::support::{PLAIN, data, pack_default, streamed, unpack};

const FORMAT: Format = Format::Zstd;

fn skippable(len: u32) -> Vec<u8> {
    let mut frame = 0x184D_2A57_u32.to_le_bytes().to_vec();
    frame.extend_from_slice(&len.to_le_bytes());
    frame.resize(8 + len as usize, 0xEE);
    frame
}

/// A frame in pieces, with a checksum.
fn checked(plain: &[u8]) -> Vec<u8> {
    streamed(plain, true, 20)
}

#[test]
fn a_frame_of_arrow_is_decoded() {
    let packed = include_bytes!("../../data/plain.zstd");
    assert_eq!(unpack(FORMAT, packed, PLAIN.len()), Ok((PLAIN.to_vec(), packed.len())));
}

#[test]
fn frames_of_every_kind_are_decoded_wholly() {
    let text = data("text", 300_000);
    let (a, b) = text.split_at(123_456);
    let packed = [skippable(0), checked(a), skippable(5), pack_default(FORMAT, b), skippable(0)].concat();
    assert!(unpack(FORMAT, &packed, text.len()) == Ok((text.clone(), packed.len())));
    let room = text.len() - 1;
    assert_eq!(unpack(FORMAT, &packed, room), Err(Error::OutputTooSmall { format: FORMAT, room }));
    // Nothing but a skippable frame is an empty block.
    assert_eq!(unpack(FORMAT, &skippable(9), 0), Ok((vec![], 17)));
}

#[test]
fn what_follows_the_last_frame_is_not_consumed() {
    let packed = pack_default(FORMAT, b"frame");
    for tail in [&b"\0\0\0\0\0"[..], b"\x28\xb5\x2f", b"PAR1"] {
        let input = [&packed, tail].concat();
        assert_eq!(unpack(FORMAT, &input, 5), Ok((b"frame".to_vec(), packed.len())));
    }
}

#[test]
fn every_prefix_is_truncated() {
    let packed = checked(&data("skewed", 2000));
    for len in 0..packed.len() {
        assert_eq!(unpack(FORMAT, &packed[..len], 2000), Err(Error::Truncated { format: FORMAT }), "{len}");
    }
}

#[test]
fn a_checksum_that_does_not_match_is_found() {
    let mut packed = checked(PLAIN);
    *packed.last_mut().unwrap() ^= 1;
    let error = unpack(FORMAT, &packed, PLAIN.len()).unwrap_err();
    assert!(matches!(error, Error::Corrupt { .. }) && error.to_string().contains("checksum"), "{error}");
}

/// RFC 8878, section 3.1.1.1: an eight-byte Frame_Content_Size, and a raw last block of one byte.
#[test]
fn a_frame_that_claims_too_much_is_an_error() {
    for claim in [2, 1 << 32, u64::MAX - 1] {
        let mut packed = 0xFD2F_B528_u32.to_le_bytes().to_vec();
        packed.push(0b1110_0000);
        packed.extend_from_slice(&claim.to_le_bytes());
        packed.extend_from_slice(&[0b1001, 0, 0, b'x']);
        assert!(unpack(FORMAT, &packed, 1000).is_err(), "{claim}");
        packed[5..13].copy_from_slice(&1u64.to_le_bytes());
        assert_eq!(unpack(FORMAT, &packed, 1000), Ok((vec![b'x'], packed.len())));
    }
}
