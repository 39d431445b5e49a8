//! Snappy blocks of another implementation, and by hand.

use pelton_codec::{Error, Format};

use crate::support::{PLAIN, unpack};

const FORMAT: Format = Format::Snappy;

#[test]
fn a_block_of_the_cpp_library_is_decoded() {
    let packed = include_bytes!("../../data/plain.snappy");
    assert_eq!(unpack(FORMAT, packed, PLAIN.len()), Ok((PLAIN.to_vec(), packed.len())));
}

/// A literal of two bytes, then a copy with each size of offset (format_description.txt).
#[test]
fn every_element_is_decoded() {
    let block = [14, 0x04, b'a', b'b', 0x01, 2, 0x0e, 6, 0, 0x0f, 2, 0, 0, 0];
    assert_eq!(unpack(FORMAT, &block, 14), Ok((b"ababababababab".to_vec(), block.len())));
}

#[test]
fn faults_are_named() {
    let truncated = Error::Truncated { format: FORMAT };
    // Nothing, a size that goes on, less data than the size, a literal and a copy that are cut.
    for block in [&[][..], &[0x80], &[5], &[5, 0x10, b'a'], &[5, 0x00, b'a', 0x01], &[5, 0xf0]] {
        assert_eq!(unpack(FORMAT, block, 100), Err(truncated.clone()), "{block:02x?}");
    }
    for (block, what) in [
        (&[1, 0x04, b'a', b'b'][..], "longer than its size"),
        (&[4, 0x00, b'a', 0x01, 1], "longer than its size"),
        (&[9, 0x00, b'a', 0x01, 2], "before the start"),
        (&[9, 0x00, b'a', 0x01, 0], "before the start"),
        (&[0xff, 0xff, 0xff, 0xff, 0x7f], "32 bits"),
        (&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], "32 bits"),
    ] {
        let error = unpack(FORMAT, block, 100).unwrap_err();
        assert!(matches!(error, Error::Corrupt { .. }) && error.to_string().contains(what), "{error}");
    }
}

#[test]
fn a_size_that_lies_is_too_much() {
    let block = [0xff, 0xff, 0xff, 0xff, 0x0f, 0x00, b'a'];
    assert_eq!(unpack(FORMAT, &block, 100), Err(Error::OutputTooSmall { format: FORMAT, room: 100 }));
}
