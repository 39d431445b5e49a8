//! Outputs computed by hand from RFC 1951.

use pelton_device_iaa::hw::aecs::compress as layout;
use pelton_device_iaa::hw::flags::{compress as flags, operation};
use pelton_device_iaa::hw::{Descriptor, Opcode, Status};

use super::software::{Bits, fixed_header};
use super::{Tables, run, run_with};

/// Header of a last fixed block 1, 01 (lowest bit first: 110), 'a' is 0x30 + 0x61 = 1001 0001, the
/// end is 000 0000: 1101 0010 | 0010 0000 | 00 from the lowest bit, which is 4B 04 00, two bits of
/// the last byte.
#[test]
fn a_fixed_block() {
    let aecs = Tables::fixed().image(&fixed_header(true));
    let done = run(flags::FLUSH_OUTPUT | flags::END_EOB, b"a", &aecs, 64);
    assert_eq!(done.record.status(), Some(Status::Success));
    assert_eq!((done.bytes.as_slice(), done.record.output_bits()), ([0x4B, 0x04, 0x00].as_slice(), 2));
    assert_eq!((done.record.consumed(), done.record.xor()), (1, 0x61));
    // CRC-32 of "a", as any gzip file of it ends.
    assert_eq!(done.record.crc(), 0xE8B7_BE43);
}

/// a, b, c are 10010001, 10010010, 10010011; length 6 is symbol 260, 0000100; distance 3 is symbol
/// 2, 00010: 11010010 00110010 01010010 01100001 00000100 000000 from the lowest bit.
#[test]
fn a_match() {
    let aecs = Tables::fixed().image(&fixed_header(true));
    let done = run(flags::FLUSH_OUTPUT | flags::END_EOB, b"abcabcabc", &aecs, 64);
    assert_eq!(done.bytes, [0x4B, 0x4C, 0x4A, 0x86, 0x20, 0x00]);
    assert_eq!(done.record.output_bits(), 6);
}

/// The block of "a" is not the last (header 010, so 4A 04 and two bits of zero); the stored block
/// is 000 or 100, zeros up to the byte, and 00 00 FF FF.
#[test]
fn the_ends() {
    let aecs = Tables::fixed().image(&fixed_header(false));
    let ended = |end| run(flags::FLUSH_OUTPUT | end, b"a", &aecs, 64);
    assert_eq!(ended(flags::END_EOB_AND_STORED).bytes, [0x4A, 0x04, 0x00, 0, 0, 0xFF, 0xFF]);
    assert_eq!(ended(flags::END_EOB_AND_FINAL_STORED).bytes, [0x4A, 0x04, 0x04, 0, 0, 0xFF, 0xFF]);
    assert_eq!(ended(flags::END_EOB_AND_STORED).record.output_bits(), 0);
    // No end: 3 + 8 bits.
    assert_eq!((ended(0).bytes, ended(0).record.output_bits()), (vec![0x4A, 0x04], 3));
}

/// The stored block's three bits are the last of a byte: 5 bits are there before, none for symbols,
/// and an end-of-block code of 0 and 8 bits. 5 + 8 + 3 = 16: no padding.
#[test]
fn a_stored_block_without_padding() {
    let mut tables = Tables::fixed();
    tables.literals[256] = 8 << 15;
    let mut header = Bits::default();
    header.number(0b10101, 5);
    let done = run(flags::FLUSH_OUTPUT | flags::END_EOB_AND_FINAL_STORED, b"", &tables.image(&header), 64);
    assert_eq!(done.bytes, [0b0001_0101, 0b0010_0000, 0, 0, 0xFF, 0xFF]);
}

/// "abcabcabc": a, b, c, symbol 260, the end and distance symbol 2 once each.
#[test]
fn a_histogram() {
    let done = run(flags::STATISTICS, b"abcabcabc", &[], layout::HISTOGRAM_BYTES);
    let mut expected = vec![0; layout::HISTOGRAM_BYTES];
    for symbol in [97, 98, 99, 260, 256] {
        expected[4 * symbol] = 1;
    }
    // 286 counts and 8 bytes come before those of distances.
    expected[4 * 286 + 8 + 4 * 2] = 1;
    assert_eq!(done.bytes, expected);
    assert_eq!(done.record.consumed(), 9);
}

/// Without the flush, 3 + 12 × 8 = 99 bits give one group of 8 bytes, and 35 bits stay: bytes 8 to
/// 11 of what the flush writes, and 3 bits of byte 12. The next descriptor goes on with them.
#[test]
fn bits_are_carried_over() {
    let aecs = Tables::fixed().image(&fixed_header(true));
    let (first, second) = (b"aAbBcCdDeEfF", b"gG");
    let whole =
        run(flags::FLUSH_OUTPUT | flags::LITERALS_ONLY | flags::END_EOB, b"aAbBcCdDeEfFgG", &aecs, 64);

    let begun = run(flags::LITERALS_ONLY, first, &aecs, 64);
    assert_eq!((begun.bytes.len(), begun.record.output_bits()), (8, 0));
    let mut kept = whole.bytes[8..13].to_vec();
    kept[4] &= 0b111;
    assert_eq!(begun.aecs[layout::OUTPUT_BITS..][..4], [35, 0, 0, 0]);
    assert_eq!(begun.aecs[layout::OUTPUT_ACCUMULATOR..][..5], kept);
    assert_eq!(begun.aecs[layout::OUTPUT_ACCUMULATOR + 5..layout::LITERAL_CODES], [0; 251]);
    assert_eq!(begun.aecs[layout::LITERAL_CODES..], aecs[layout::LITERAL_CODES..]);

    let flags = flags::FLUSH_OUTPUT | flags::LITERALS_ONLY | flags::END_EOB;
    let ended = run(flags, second, &begun.aecs, 64);
    assert_eq!([begun.bytes, ended.bytes].concat(), whole.bytes);
    assert_eq!(ended.aecs[layout::OUTPUT_BITS..][..4], [0; 4]);
    assert_eq!((ended.record.crc(), ended.record.xor()), (whole.record.crc(), whole.record.xor()));
    assert_eq!(ended.aecs[..4], whole.record.crc().to_le_bytes());
}

/// Huffman only in big-endian words: no header, 'a' and 'b' are 10010001 and 10010010, so the word
/// 0x9192, stored low byte first; with 'c' a second word 0x9300 of 8 bits.
#[test]
fn big_endian_words() {
    let aecs = Tables::fixed().image(&Bits::default());
    let own = flags::FLUSH_OUTPUT | flags::LITERALS_ONLY | flags::BIG_ENDIAN_16;
    let done = run(own, b"abc", &aecs, 64);
    assert_eq!((done.bytes, done.record.output_bits()), (vec![0x92, 0x91, 0x00, 0x93], 8));
}

/// The check value of CRC-32C, of "123456789", is 0xE3069283.
#[test]
fn the_other_crc() {
    let descriptor = Descriptor::new(Opcode::Compress)
        .with_own_flags(flags::STATISTICS)
        .with_operation_flags(operation::CRC32C);
    let done = run_with(descriptor, b"123456789", &[], layout::HISTOGRAM_BYTES);
    assert_eq!(done.record.crc(), 0xE306_9283);
}
