//! Raw LZ4 blocks against the C LZ4, both ways.

use pelton_codec::{Error, Format};

use crate::reference::lz4;
use crate::support::{PLAIN, SHAPES, data, pack_default, unpack};

const FORMAT: Format = Format::Lz4;

#[test]
fn a_block_of_arrow_is_decoded() {
    let packed = include_bytes!("../../data/plain.lz4_raw");
    assert_eq!(unpack(FORMAT, packed, PLAIN.len()), Ok((PLAIN.to_vec(), packed.len())));
}

#[test]
fn the_c_library_and_this_one_decode_each_other() {
    for shape in SHAPES {
        for len in [0, 1, 5, 12, 13, 14, 20, 100, 1000, 70_000, 300_000] {
            let plain = data(shape, len);
            let packed = pack_default(FORMAT, &plain);
            assert!(lz4::decompress(&packed, len).as_ref() == Some(&plain), "{shape} {len}");
            let packed = lz4::compress(&plain);
            assert!(unpack(FORMAT, &packed, len) == Ok((plain, packed.len())), "{shape} {len}");
        }
    }
}

#[test]
fn faults_are_named() {
    // A token of one literal and a match of four, at offset 0, then 2.
    for (block, what) in [(&[0x10, b'a', 0, 0], "offset 0"), (&[0x10, b'a', 2, 0], "before the start")] {
        let error = unpack(FORMAT, block, 100).unwrap_err();
        assert!(matches!(error, Error::Corrupt { .. }) && error.to_string().contains(what), "{error}");
    }
    let truncated = Error::Truncated { format: FORMAT };
    // Nothing, a literal that is missing, a length that goes on, half an offset.
    for block in [&[][..], &[0x10], &[0xf0, 0xff], &[0x10, b'a', 1]] {
        assert_eq!(unpack(FORMAT, block, 1000), Err(truncated.clone()), "{block:02x?}");
    }
}
