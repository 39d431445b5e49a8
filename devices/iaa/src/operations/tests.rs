//! Descriptors compared with bytes worked out by hand from the layout in docs/iaa.md.

use pelton_codec::{Container, Format};

use super::*;
use crate::hw::CompletionRecord;
use crate::queue::{Borrowed, Memory};

const TERMS: OperationLimits = OperationLimits { transfer: 1 << 21, verify: false };

/// Returns the first descriptor of an operation, with addresses, and the bytes of its source 2.
fn first(
    mut work: DeviceOperation,
    input: &[u8],
    second: &[u8],
    output: &mut [u8],
) -> ([u8; 64], Vec<u8>, Addresses) {
    let at = |bytes: &[u8]| bytes.as_ptr().addr() as u64;
    let addresses = Addresses { input: at(input), second: at(second), output: at(output) };
    let mut memory = Memory { buffers: Borrowed { input, second, output }, scratch: Default::default() };
    let Ok(Step::Submit(request)) = work.begin(memory.parts()) else { panic!("no descriptor") };
    let descriptor = memory.descriptor(&request).expect("within its memory");
    let image = memory.scratch.bytes().to_vec();
    (*descriptor.as_bytes(), image, addresses)
}

struct Addresses {
    input: u64,
    second: u64,
    output: u64,
}

/// Returns a descriptor's bytes without the address of source 2, which is scratch memory.
fn without_source2(mut bytes: [u8; 64]) -> [u8; 64] {
    bytes[40..48].fill(0);
    bytes
}

/// Returns the bytes of a descriptor with these fields.
fn bytes(fields: &[(usize, &[u8])]) -> [u8; 64] {
    let mut bytes = [0; 64];
    for (at, field) in fields {
        bytes[*at..*at + field.len()].copy_from_slice(field);
    }
    bytes
}

#[test]
fn a_raw_stream_is_decompressed_by_one_descriptor() {
    let work =
        DeviceOperation::Decompress(Decompress::new(Container::of(Format::Deflate).unwrap(), true, TERMS));
    let mut output = [0; 500];
    let (got, _, at) = first(work, &[1; 100], &[], &mut output);
    // DECOMPRESS; enable, flush, stop, check, final end: 0x1F.
    let expected = bytes(&[
        (7, &[0x42]),
        (16, &at.input.to_le_bytes()),
        (24, &at.output.to_le_bytes()),
        (32, &[100, 0, 0, 0]),
        (38, &[0x1F, 0]),
        (48, &[0xF4, 1, 0, 0]),
    ]);
    assert_eq!(got, expected);
}

#[test]
fn containers_are_left_out() {
    let gzip = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    for (format, input, header) in
        [(Format::Zlib, &[0x78, 0x9c, 3, 0, 0, 0, 0, 1][..], 2), (Format::Gzip, &gzip, 10)]
    {
        let work = DeviceOperation::Decompress(Decompress::new(Container::of(format).unwrap(), true, TERMS));
        let (got, _, at) = first(work, input, &[], &mut [0; 10]);
        assert_eq!(got[16..24], (at.input + header).to_le_bytes(), "{format}");
        assert_eq!(got[32..36], (input.len() as u32 - header as u32).to_le_bytes(), "{format}");
    }
}

#[test]
fn a_stream_over_a_transfer_is_cut_and_carried_over() {
    let limits = OperationLimits { transfer: 4096, verify: false };
    let mut work = Decompress::new(Container::of(Format::Deflate).unwrap(), true, limits);
    let (input, mut output) = ([1; 10_000], [0; 20_000]);
    let buffers = Borrowed { input: &input, second: &[], output: &mut output };
    let mut memory = Memory { buffers, scratch: Default::default() };
    let Ok(Step::Submit(request)) = work.begin(memory.parts()) else { panic!("no descriptor") };
    let got = *memory.descriptor(&request).expect("within its memory").as_bytes();
    // Source 2 is an AECS, and is written; enable, stop and final end.
    assert_eq!(got[4..8], [0, 0, 0b101, 0x42]);
    assert_eq!(
        (&got[32..36], &got[38..40], &got[48..52]),
        (&[0, 16, 0, 0][..], &[0x15, 0][..], &[0, 16, 0, 0][..])
    );
    // An image has 0x1500 bytes; the first is that of a stream at a block's header.
    assert_eq!(got[52..56], [0, 0x15, 0, 0]);
    assert_eq!(memory.scratch.bytes()[0x434..0x436], [1, 0]);
    let source2 = u64::from_le_bytes(got[40..48].try_into().unwrap());
    assert!(source2.is_multiple_of(32));
    // The record reports 100 output bytes. The next request reads the second image, by the toggle,
    // bit 22.
    let record = RecordView::new(crate::hw::Status::Success).with_consumed(4096).with_produced(100);
    let Ok(Step::Submit(request)) = work.resume(memory.parts(), Completion::Success(record)) else {
        panic!("no descriptor")
    };
    let next = *memory.descriptor(&request).expect("within its memory").as_bytes();
    assert_eq!(next[4..8], [0, 0, 0b100_0101, 0x42]);
    let field = |bytes: &[u8; 64], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    assert_eq!((field(&next, 16), field(&next, 24)), (field(&got, 16) + 4096, field(&got, 24) + 100));
}

#[test]
fn compression_with_the_fixed_codes() {
    let codes = CodeChoice::Fixed;
    let work = DeviceOperation::Compress(Box::new(Compress::new(
        Container::of(Format::Deflate).unwrap(),
        1,
        codes,
        TERMS,
    )));
    let mut output = [0; 300];
    let (got, image, at) = first(work, &[7; 100], &[], &mut output);
    // COMPRESS, with an AECS of 0x620 bytes (bit 16); flush and the end of the block: 0x06.
    let expected = bytes(&[
        (6, &[1, 0x43]),
        (16, &at.input.to_le_bytes()),
        (24, &at.output.to_le_bytes()),
        (32, &[100, 0, 0, 0]),
        (38, &[6, 0]),
        (48, &[44, 1, 0, 0]),
        (52, &[0x20, 6, 0, 0]),
    ]);
    assert_eq!(without_source2(got), expected);
    // Three bits in the accumulator: the last block, with fixed codes.
    assert_eq!((&image[0x1C..0x20], &image[0x20..0x24]), (&[3, 0, 0, 0][..], &[0b011, 0, 0, 0][..]));
    // Entries of the Linux driver for a zero byte, the byte 144, the end of the block and distance
    // 2.
    let entry = |at: usize| u32::from_le_bytes(image[at..at + 4].try_into().unwrap());
    assert_eq!((entry(0x120), entry(0x120 + 4 * 144)), (0x40030, 0x48190));
    assert_eq!((entry(0x120 + 4 * 256), entry(0x5A0 + 4)), (0x38000, 0x28001));
    assert_eq!(entry(0x120 + 4 * 285), 0x400C5);
}

#[test]
fn compression_with_codes_of_its_own_counts_first() {
    let codes = CodeChoice::Dynamic;
    let work = DeviceOperation::Compress(Box::new(Compress::new(
        Container::of(Format::Deflate).unwrap(),
        6,
        codes,
        TERMS,
    )));
    let (got, ..) = first(work, &[7; 100], &[], &mut [0; 300]);
    // No AECS; statistics: 1; a histogram of 1280 bytes.
    assert_eq!(
        (&got[4..8], &got[38..40], &got[48..56]),
        (&[0, 0, 0, 0x43][..], &[1, 0][..], &[0, 5, 0, 0, 0, 0, 0, 0][..])
    );
}

#[test]
fn crc64_has_its_polynomial_where_others_have_filter_flags() {
    let (got, _, at) = first(DeviceOperation::Crc64(Crc64 { verify: false }), &[7; 9], &[], &mut []);
    let expected = bytes(&[
        (7, &[0x44]),
        (16, &at.input.to_le_bytes()),
        (32, &[9, 0, 0, 0]),
        (38, &[0, 0x40]),
        (56, &[0x59, 0x36, 0xC9, 0x94, 0x35, 0xD2, 0x93, 0xAD]),
    ]);
    assert_eq!(got, expected);
}

#[test]
fn a_scan_has_its_range_in_the_aecs() {
    let filter = Filter::new(FilterOperation::Scan(Predicate::Outside(3, 9)), Layout::BigEndian(5), 77);
    let filter = Filter { width: Width::Bits16, first_index: 258, ..filter };
    let mut output = [0; 300];
    let (got, image, at) =
        first(DeviceOperation::Filter(Filtering::new(filter, 0)), &[7; 50], &[], &mut output);
    // Parser, width less one, output width, inversion.
    let flags: u32 = 1 | 4 << 2 | 2 << 13 | 1 << 16;
    let expected = bytes(&[
        (6, &[1, 0x50]),
        (16, &at.input.to_le_bytes()),
        (24, &at.output.to_le_bytes()),
        (32, &[50, 0, 0, 0]),
        (48, &[44, 1, 0, 0]),
        (52, &[32, 0, 0, 0]),
        (56, &flags.to_le_bytes()),
        (60, &[77, 0, 0, 0]),
    ]);
    assert_eq!(without_source2(got), expected);
    assert_eq!(image[..0x18], [0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 9, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn second_inputs_are_in_source_2() {
    use FilterOperation::*;
    let dropped = Dropped { low: 2, high: 3 };
    let cases = [
        (Select, 0x53, 0),
        (Expand, 0x56, 0),
        (SetMembership(dropped), 0x51, 2 << 17 | 3 << 22),
        (RleBurst { width: 6 }, 0x54, 5 << 7),
    ];
    for (operation, opcode, flags) in cases {
        let filter = Filter::new(operation, Layout::LittleEndian(8), 9);
        let mut output = [0; 30];
        let (got, _, at) =
            first(DeviceOperation::Filter(Filtering::new(filter, 4)), &[7; 9], &[1; 4], &mut output);
        // Source 2 is a second input.
        let expected = bytes(&[
            (6, &[2, opcode]),
            (16, &at.input.to_le_bytes()),
            (24, &at.output.to_le_bytes()),
            (32, &[9, 0, 0, 0]),
            (40, &at.second.to_le_bytes()),
            (48, &[30, 0, 0, 0]),
            (52, &[4, 0, 0, 0]),
            (56, &u32::to_le_bytes(7 << 2 | flags)),
            (60, &[9, 0, 0, 0]),
        ]);
        assert_eq!(got, expected, "{operation:?}");
    }
    for (operation, opcode) in [(FindUnique(dropped), 0x55), (Extract { first: 1, last: 2 }, 0x52)] {
        let filter = Filter::new(operation, Layout::ParquetRle, 9);
        let (got, ..) = first(DeviceOperation::Filter(Filtering::new(filter, 0)), &[7; 9], &[], &mut [0; 30]);
        assert_eq!((got[7], got[56] & 3), (opcode, 2));
    }
}

/// A completion record has the size and alignment of a cache line.
#[test]
fn a_record_is_a_cache_line() {
    assert_eq!((size_of::<CompletionRecord>(), align_of::<CompletionRecord>()), (64, 64));
}
