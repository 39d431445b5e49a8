//! Brotli streams of another implementation, and by hand.

use pelton_codec::{Error, Format};

use crate::support::{PLAIN, data, pack_default, unpack};

const FORMAT: Format = Format::Brotli;

/// English text at the library's best quality uses the format's built-in dictionary.
#[test]
fn a_stream_of_the_c_library_is_decoded() {
    let packed = include_bytes!("../../data/plain.brotli");
    assert_eq!(unpack(FORMAT, packed, PLAIN.len()), Ok((PLAIN.to_vec(), packed.len())));
}

#[test]
fn bytes_after_the_stream_are_not_consumed() {
    let packed = pack_default(FORMAT, b"a stream");
    let input = [&packed[..], b"and what follows it, longer than the decoder's look-ahead"].concat();
    assert_eq!(unpack(FORMAT, &input, 8), Ok((b"a stream".to_vec(), packed.len())));
}

#[test]
fn every_prefix_is_truncated() {
    let packed = pack_default(FORMAT, &data("text", 3000));
    for len in 0..packed.len() {
        assert_eq!(unpack(FORMAT, &packed[..len], 3000), Err(Error::Truncated { format: FORMAT }), "{len}");
    }
}

/// The reserved WBITS (RFC 7932), which the large-window extension uses.
#[test]
fn large_windows_are_refused() {
    let error = unpack(FORMAT, &[0x11, 30, 0x03], 100).unwrap_err();
    assert!(matches!(error, Error::Corrupt { .. }) && error.to_string().contains("window size"), "{error}");
}
