//! Index of mini-blocks, and mini-blocks decompressed alone.

use pelton_codec::{Checksum, checksum};
use pelton_device_iaa::hw::flags::decompress as own;
use pelton_device_iaa::hw::{AnalyticsError, RecordView, Status, aecs::decompress as at};

use crate::iaa::operation::decompress::test_support::{Chain, bits, decompress, error};
use crate::iaa::operation::random::Random;

const INDEXED: u16 = own::WHOLE_STREAM | own::SUPPRESS_OUTPUT | 1 << own::INDEXING_SHIFT;

fn entries(bytes: &[u8]) -> Vec<(u32, u32)> {
    let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|entry| ((word(entry) & 0xFFFF_FFFF) as u32, (word(entry) >> 32) as u32))
        .collect()
}

/// Two blocks of literals in the fixed code, with three mini-blocks and one.
#[test]
fn where_the_entries_are() {
    let literal = |at: usize| format!("{:08b}", 0x30 + at % 100);
    let literals = |from: usize, count| (from..from + count).map(literal).collect::<String>();
    let compressed =
        bits(&format!("0 10 {} 0000000 1 10 {} 0000000", literals(0, 1200), literals(1200, 512)));
    let uncompressed: Vec<u8> = (0..1712).map(|at| (at % 100) as u8).collect();
    let (record, out) = decompress(INDEXED, &compressed, 1000);
    assert_eq!(record.status(), Some(Status::Success), "{record:?}");
    // The positions follow from 8 bits a literal, and the bits of header and end. Their number,
    // with one entry from software, agrees with the documentation.
    let at = [
        (3, 0),
        (4099, 512),
        (8195, 1024),
        (9603, 1200),
        (9610, 1200),
        (9613, 1200),
        (13_709, 1712),
        (13_716, 1712),
    ];
    let expected: Vec<(u32, u32)> = at
        .iter()
        .map(|(bit, byte)| (*bit, checksum(Checksum::Crc32, &uncompressed[..*byte]) as u32))
        .collect();
    assert_eq!(entries(&out), expected);
    assert_eq!(record.produced(), 64);
    assert_eq!(u64::from(record.crc()), checksum(Checksum::Crc32, &uncompressed));

    // In pieces the index is the same.
    for piece in [1, 7, 100, 1000] {
        let (mut chain, mut index) = (Chain::new(), Vec::new());
        for source in compressed.chunks(piece) {
            let (record, out) = chain.step(INDEXED & !own::CHECK_FOR_EOB, source, 1000);
            assert_eq!(record.status(), Some(Status::Success), "{record:?}");
            index.extend_from_slice(&out);
        }
        assert_eq!(entries(&index), expected, "pieces of {piece}");
    }
}

/// A mini-block alone: the state is that after the header, and the input starts within a byte.
#[test]
fn a_mini_block_can_be_read_alone() {
    let uncompressed = Random::seeded(3).text(4_000).iter().map(|byte| byte % 90).collect::<Vec<u8>>();
    let literals: String = uncompressed.iter().map(|byte| format!("{:08b}", 0x30 + byte)).collect();
    let compressed = bits(&format!("1 10 {literals} 0000000"));
    let (_, out) = decompress(INDEXED, &compressed, 1000);
    let index = entries(&out);
    let mut header = Chain::new();
    header.step(own::ENABLE | own::SUPPRESS_OUTPUT | 5 << own::IGNORE_END_BITS_SHIFT, &compressed[..1], 1);
    for (nth, expected) in uncompressed.chunks(512).enumerate() {
        let (from, to) = (index[nth].0 as usize, index[nth + 1].0 as usize);
        let mut image = header.images[1].clone();
        // Bits before the first complete byte go to the accumulator.
        let first = 8 - from % 8;
        image[at::INPUT_ACCUMULATOR] = compressed[from / 8] >> (from % 8);
        image[at::INPUT_BITS] = first as u8;
        image[at::CRC..][..4].copy_from_slice(&index[nth].1.to_le_bytes());
        let ignored = (8 - to % 8) % 8;
        let flags = own::ENABLE | own::FLUSH_OUTPUT | (ignored as u16) << own::IGNORE_END_BITS_SHIFT;
        let mut chain = Chain { images: [image.clone(), image], toggle: false, first: false };
        let (record, out) = chain.step(flags, &compressed[from / 8 + 1..to.div_ceil(8)], 600);
        assert!(out == expected, "mini-block {nth}: {record:?}");
        assert_eq!(record.crc(), index[nth + 1].1);
    }
}

#[test]
fn matches_stay_in_their_mini_block() {
    let literals: String = (0..511).map(|at| format!("{:08b}", 0x30 + at % 100)).collect();
    // A match with one byte before the edge; a match after the edge with a distance across it.
    let length = bits(&format!("1 10 {literals} 0000001 00000 0000000"));
    assert_eq!(error(decompress(INDEXED, &length, 1000).0), Some(AnalyticsError::LengthSpansMiniBlocks));
    let distance = bits(&format!("1 10 {literals} 00110000 0000001 00011 0000000"));
    assert_eq!(error(decompress(INDEXED, &distance, 1000).0), Some(AnalyticsError::DistanceSpansMiniBlocks));
    assert_eq!(decompress(own::WHOLE_STREAM, &distance, 1000).0.status(), Some(Status::Success));
}

#[test]
fn an_index_that_does_not_fit() {
    let compressed = bits("1 10 10010001 0000000");
    assert_eq!(error(decompress(INDEXED, &compressed, 23).0), Some(AnalyticsError::UnrecoverableOverflow));
    assert_eq!(decompress(INDEXED, &compressed, 24).0.status(), Some(Status::Success));
    let without_suppression = INDEXED & !own::SUPPRESS_OUTPUT;
    assert_eq!(decompress(without_suppression, &compressed, 24).0, RecordView::new(Status::InvalidOwnFlags));
}
