//! Headers written byte by byte, and all changes of one of their bytes.

use parquet::basic::Encoding;

use super::{HeaderError, PageHeader, PageKind, Parsed, parse, thrift::ThriftError};

/// A data page of version 1 with plain values and run-length encoded levels.
const V1: &[u8] = &[
    0x15, 0x00, // page type: data
    0x15, 0xc8, 0x01, // uncompressed size
    0x15, 0x64, // compressed size
    0x2c, // data page header
    0x15, 0x14, // number of values
    0x15, 0x00, // encoding: plain
    0x15, 0x06, // definition levels: RLE
    0x15, 0x06, // repetition levels: RLE
    0x00, 0x00,
];

/// An uncompressed data page of version 2 with one null.
const V2: &[u8] = &[
    0x15, 0x06, // page type: data of version 2
    0x15, 0x28, // uncompressed size
    0x15, 0x28, // compressed size
    0x5c, // data page header
    0x15, 0x06, // number of values
    0x15, 0x02, // number of nulls
    0x15, 0x06, // number of rows
    0x15, 0x10, // encoding: dictionary indices
    0x15, 0x04, // bytes of definition levels
    0x15, 0x00, // bytes of repetition levels
    0x12, // is compressed: false
    0x00, 0x00,
];

fn page(bytes: &[u8]) -> PageHeader {
    match parse(bytes) {
        Ok((Parsed::Page(header), length)) => {
            assert_eq!(length, bytes.len());
            header
        }
        other => panic!("no page: {other:?}"),
    }
}

#[test]
fn version_1() {
    let header = page(V1);
    let kind = PageKind::DataV1 { definition_levels: Encoding::RLE, repetition_levels: Encoding::RLE };
    assert_eq!((header.kind, header.num_values, header.encoding), (kind, 10, Encoding::PLAIN));
    assert_eq!((header.uncompressed_size, header.compressed_size, header.crc), (100, 50, None));
}

#[test]
fn version_2() {
    let header = page(V2);
    let kind = PageKind::DataV2 {
        num_nulls: 1,
        num_rows: 3,
        definition_bytes: 2,
        repetition_bytes: 0,
        is_compressed: false,
    };
    assert_eq!((header.kind, header.num_values, header.encoding), (kind, 3, Encoding::RLE_DICTIONARY));
}

#[test]
fn other_pages_are_passed_over() {
    // an index page
    assert_eq!(parse(&[0x15, 0x02, 0x15, 0x10, 0x15, 0x10, 0x00]), Ok((Parsed::Other(8), 7)));
}

#[test]
fn levels_larger_than_the_page_are_refused() {
    let mut bytes = V2.to_vec();
    let levels = bytes.iter().rposition(|&byte| byte == 0x04).expect("the length of the definition levels");
    bytes[levels] = 0x2a; // 21 bytes of a page of 20
    assert_eq!(parse(&bytes), Err(HeaderError::Bad("bytes of levels", 21)));
}

#[test]
fn negative_sizes_are_refused() {
    let mut bytes = V1.to_vec();
    bytes[6] = 0x63; // zigzag of -50
    assert_eq!(parse(&bytes), Err(HeaderError::Bad("compressed size", -50)));
}

#[test]
fn every_truncation_is_an_error() {
    for header in [V1, V2] {
        for length in 0..header.len() {
            let result = parse(&header[..length]);
            assert_eq!(
                result,
                Err(HeaderError::Thrift(ThriftError::Truncated)),
                "{length} bytes of {header:?}"
            );
        }
    }
}

#[test]
fn every_changed_byte_parses_within_bounds_or_is_an_error() {
    let (mut parsed, mut refused) = (0, 0);
    for header in [V1, V2] {
        for position in 0..header.len() {
            for value in 0..=255 {
                let mut bytes = header.to_vec();
                bytes[position] = value;
                match parse(&bytes) {
                    Ok((_, length)) => {
                        assert!(length <= bytes.len());
                        parsed += 1;
                    }
                    Err(_) => refused += 1,
                }
            }
        }
    }
    assert!(
        parsed > 1000 && refused > 1000,
        "{parsed} parsed, {refused} refused: the sweep looks at one kind only"
    );
}

#[test]
fn nesting_is_bounded() {
    // field 9, a struct in a struct in a struct …
    let bytes = vec![0x9c; 100_000];
    assert_eq!(parse(&bytes), Err(HeaderError::Thrift(ThriftError::TooDeep)));
}

#[test]
fn a_list_that_claims_to_be_long_ends_with_the_bytes() {
    // an unknown field: a list of 2^63 structs, and no bytes behind it
    let bytes = [0x99, 0xfc, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
    assert_eq!(parse(&bytes), Err(HeaderError::Thrift(ThriftError::Truncated)));
}
