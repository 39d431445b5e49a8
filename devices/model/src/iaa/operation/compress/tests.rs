//! Records and bytes worked out by hand, and round trips of random data.

use pelton_codec::{Decoder, Format, RawDecoder};
use pelton_device_iaa::hw::aecs::compress as layout;
use pelton_device_iaa::hw::flags::{compress as flags, decompress as inflate, operation};
use pelton_device_iaa::hw::{Descriptor, Opcode, Status};
use pelton_random::reduced;

use super::test_support::{Bits, Tables, fixed_header, run, run_with};
use crate::iaa::operation::random::Random;
use crate::iaa::operation::{Reply, Request, decompress};

/// The header of a final fixed block (110 from the lowest bit), the code of "a" (highest bit first)
/// and the end of the block.
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

/// Three literals, then a match of length 6 (symbol 260) with its distance symbol.
#[test]
fn a_match() {
    let aecs = Tables::fixed().image(&fixed_header(true));
    let done = run(flags::FLUSH_OUTPUT | flags::END_EOB, b"abcabcabc", &aecs, 64);
    assert_eq!(done.bytes, [0x4B, 0x4C, 0x4A, 0x86, 0x20, 0x00]);
    assert_eq!(done.record.output_bits(), 6);
}

/// The block of "a" is not final. The stored block's header is padded with zeros, before LEN and
/// NLEN.
#[test]
fn the_ends() {
    let aecs = Tables::fixed().image(&fixed_header(false));
    let ended = |end| run(flags::FLUSH_OUTPUT | end, b"a", &aecs, 64);
    assert_eq!(ended(flags::END_EOB_AND_STORED).bytes, [0x4A, 0x04, 0x00, 0, 0, 0xFF, 0xFF]);
    assert_eq!(ended(flags::END_EOB_AND_FINAL_STORED).bytes, [0x4A, 0x04, 0x04, 0, 0, 0xFF, 0xFF]);
    assert_eq!(ended(flags::END_EOB_AND_STORED).record.output_bits(), 0);
    // No ending: header and literal.
    assert_eq!((ended(0).bytes, ended(0).record.output_bits()), (vec![0x4A, 0x04], 3));
}

/// The stored block's header fills a byte, so there is no padding: the bits before it are those of
/// the accumulator and the end-of-block code.
#[test]
fn a_stored_block_without_padding() {
    let mut tables = Tables::fixed();
    tables.literals[256] = 8 << 15;
    let mut header = Bits::default();
    header.number(0b10101, 5);
    let done = run(flags::FLUSH_OUTPUT | flags::END_EOB_AND_FINAL_STORED, b"", &tables.image(&header), 64);
    assert_eq!(done.bytes, [0b0001_0101, 0b0010_0000, 0, 0, 0xFF, 0xFF]);
}

/// "abcabcabc" has each symbol once: three literals, a length, the end and a distance.
#[test]
fn a_histogram() {
    let done = run(flags::STATISTICS, b"abcabcabc", &[], layout::HISTOGRAM_BYTES);
    let mut expected = vec![0; layout::HISTOGRAM_BYTES];
    for symbol in [97, 98, 99, 260, 256] {
        expected[4 * symbol] = 1;
    }
    // The distance counts are after the literal counts and a gap.
    expected[4 * 286 + 8 + 4 * 2] = 1;
    assert_eq!(done.bytes, expected);
    assert_eq!(done.record.consumed(), 9);
}

/// Without the flush, one group of 8 bytes is written. The remaining bits stay for the next
/// descriptor, which continues with them.
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

/// Huffman only, in big-endian words: no header, and each word is stored with its low byte first.
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

#[test]
fn dynamic_streams_come_back() {
    let mut random = Random::seeded(7);
    for round in 0..100 {
        let uncompressed = random.text(60_000);
        let histogram = run(flags::STATISTICS, &uncompressed, &[], layout::HISTOGRAM_BYTES).bytes;
        let tables = Tables::of_histogram(&histogram);
        let aecs = tables.image(&tables.header(true));
        let compressed =
            run(flags::FLUSH_OUTPUT | flags::END_EOB, &uncompressed, &aecs, uncompressed.len() * 2 + 512);

        let descriptor = Descriptor::new(Opcode::Decompress).with_own_flags(inflate::WHOLE_STREAM);
        let request =
            Request { descriptor: &descriptor, source1: &compressed.bytes, source2: &[], aecs: &[] };
        let mut back = vec![0; uncompressed.len()];
        let record = decompress::run(&request, Reply { destination: &mut back, aecs: None });
        assert_eq!(record.status(), Some(Status::Success), "seed 7, round {round}");
        assert!(back == uncompressed);
        assert_eq!(record.consumed() as usize, compressed.bytes.len());
        assert_eq!((record.crc(), record.xor()), (compressed.record.crc(), compressed.record.xor()));
    }
}

/// Consecutive blocks with a stored block as their ending.
#[test]
fn blocks_with_stored_ends_come_back() {
    let mut random = Random::seeded(8);
    let aecs = Tables::fixed().image(&fixed_header(false));
    for round in 0..100 {
        let pieces: Vec<Vec<u8>> = (0..=random.below(4)).map(|_| random.text(9_000)).collect();
        let mut stream = Vec::new();
        for (n, piece) in pieces.iter().enumerate() {
            let last = n + 1 == pieces.len();
            let end = if last { flags::END_EOB_AND_FINAL_STORED } else { flags::END_EOB_AND_STORED };
            stream.extend(run(flags::FLUSH_OUTPUT | end, piece, &aecs, piece.len() * 2 + 64).bytes);
        }
        let descriptor = Descriptor::new(Opcode::Decompress).with_own_flags(inflate::WHOLE_STREAM);
        let request = Request { descriptor: &descriptor, source1: &stream, source2: &[], aecs: &[] };
        let uncompressed = pieces.concat();
        let mut back = vec![0; uncompressed.len()];
        let record = decompress::run(&request, Reply { destination: &mut back, aecs: None });
        assert_eq!(record.status(), Some(Status::Success), "seed 8, round {round}");
        assert!(back == uncompressed);
    }
}

/// A stream of mini-blocks can be indexed by them; without mini-blocks a match crosses an edge.
#[test]
fn mini_blocks_can_be_indexed() {
    let mut random = Random::seeded(9);
    let aecs = Tables::fixed().image(&fixed_header(true));
    for size in 1..=7u16 {
        let uncompressed = b"mini-block ".repeat(9_000 + random.below(1_000) as usize);
        let whole = flags::FLUSH_OUTPUT | flags::END_EOB;
        let index = |stream: &[u8]| {
            let own = inflate::WHOLE_STREAM | inflate::SUPPRESS_OUTPUT | (size << inflate::INDEXING_SHIFT);
            let descriptor = Descriptor::new(Opcode::Decompress).with_own_flags(own);
            let request = Request { descriptor: &descriptor, source1: stream, source2: &[], aecs: &[] };
            decompress::run(&request, Reply { destination: &mut [0; 4096], aecs: None })
        };
        let blocks = run(whole | (size << flags::INDEXING_SHIFT), &uncompressed, &aecs, 250_000);
        let record = index(&blocks.bytes);
        assert_eq!(record.status(), Some(Status::Success), "seed 9, mini-blocks of size {size}");
        assert_eq!(record.crc(), blocks.record.crc());
        let straight = run(whole, &uncompressed, &aecs, 250_000);
        assert!(matches!(index(&straight.bytes).error_byte(), 26 | 27), "seed 9, size {size}");
    }
}

fn decode(stream: &[u8], uncompressed: &[u8]) {
    let mut back = vec![0; uncompressed.len()];
    let done = Decoder::new().decompress(Format::Deflate, stream, &mut back).unwrap();
    assert_eq!((done.consumed, done.produced), (stream.len(), uncompressed.len()));
    assert!(back == uncompressed);
    back.fill(0);
    assert_eq!(RawDecoder::new().decompress(stream, &mut back), Some(done));
    assert!(back == uncompressed);
}

#[test]
fn fixed_blocks_decode() {
    let mut random = Random::seeded(1);
    let aecs = Tables::fixed().image(&fixed_header(true));
    for round in 0..200 {
        let uncompressed = random.text(20_000);
        let own = flags::FLUSH_OUTPUT | flags::END_EOB | (random.below(2) as u16 * flags::LITERALS_ONLY);
        let done = run(own, &uncompressed, &aecs, uncompressed.len() * 2 + 64);
        assert_eq!(done.record.status(), Some(Status::Success), "round {round}");
        decode(&done.bytes, &uncompressed);
    }
}

/// The second pass has a code for each symbol that the first counted, and writes the bits that the
/// counts predict.
#[test]
fn both_passes_take_the_same_parse() {
    let mut random = Random::seeded(2);
    for round in 0..200 {
        let uncompressed = random.text(20_000);
        let shared = (random.below(8) as u16 * (1 << flags::INDEXING_SHIFT))
            | (random.below(2) as u16 * flags::LITERALS_ONLY);
        let histogram = run(flags::STATISTICS | shared, &uncompressed, &[], layout::HISTOGRAM_BYTES).bytes;
        let tables = Tables::of_histogram(&histogram);
        let aecs = tables.image(&tables.header(true));
        let own = flags::FLUSH_OUTPUT | flags::END_EOB | shared;
        let done = run(own, &uncompressed, &aecs, uncompressed.len() * 2 + 512);
        assert_eq!(done.record.status(), Some(Status::Success), "round {round}");
        decode(&done.bytes, &uncompressed);

        let count = |offset: usize| u32::from_le_bytes(histogram[offset..offset + 4].try_into().unwrap());
        let bits = |entries: &[u32], offset: usize, extra: &dyn Fn(usize) -> u32| -> u32 {
            (0..entries.len()).map(|n| count(offset + 4 * n) * ((entries[n] >> 15) + extra(n))).sum()
        };
        let length_extra =
            |symbol: usize| if (265..285).contains(&symbol) { (symbol as u32 - 261) / 4 } else { 0 };
        let distance_extra = |symbol: usize| (symbol as u32 / 2).saturating_sub(1);
        let header = u32::from_le_bytes(aecs[layout::OUTPUT_BITS..][..4].try_into().unwrap());
        let total = header
            + bits(&tables.literals, 0, &length_extra)
            + bits(&tables.distances, layout::HISTOGRAM_DISTANCES, &distance_extra);
        assert_eq!(
            (done.bytes.len() as u32, u32::from(done.record.output_bits())),
            (total.div_ceil(8), total % 8)
        );
    }
}

/// A stream of several descriptors, which pass the remaining bits in the AECS.
#[test]
fn descriptors_in_a_row_make_one_block() {
    let mut random = Random::seeded(3);
    for _ in 0..100 {
        let uncompressed = random.text(20_000);
        let mut aecs = Tables::fixed().image(&fixed_header(true));
        let mut stream = Vec::new();
        let pieces: Vec<&[u8]> = uncompressed.chunks(random.below(5_000) as usize + 1).collect();
        for (n, piece) in pieces.iter().enumerate() {
            let own = if n + 1 == pieces.len() { flags::FLUSH_OUTPUT | flags::END_EOB } else { 0 };
            let done = run(own, piece, &aecs, piece.len() * 2 + 64);
            assert_eq!(done.record.status(), Some(Status::Success));
            stream.extend(done.bytes);
            aecs = done.aecs;
        }
        if !pieces.is_empty() {
            decode(&stream, &uncompressed);
        }
    }
}

/// Blocks with a stored block as their ending are complete bytes, so they can be concatenated.
#[test]
fn blocks_in_a_row_make_one_stream() {
    let mut random = Random::seeded(4);
    let aecs = Tables::fixed().image(&fixed_header(false));
    for _ in 0..100 {
        let pieces: Vec<Vec<u8>> = (0..=random.below(4)).map(|_| random.text(3_000)).collect();
        let mut stream = Vec::new();
        for (n, piece) in pieces.iter().enumerate() {
            let last = n + 1 == pieces.len();
            let end = if last { flags::END_EOB_AND_FINAL_STORED } else { flags::END_EOB_AND_STORED };
            let done = run(flags::FLUSH_OUTPUT | end, piece, &aecs, piece.len() * 2 + 64);
            assert_eq!(done.record.output_bits(), 0);
            stream.extend(done.bytes);
        }
        decode(&stream, &pieces.concat());
    }
}

/// Big-endian words with their bits reversed are the stream without that flag.
#[test]
fn big_endian_words_are_the_same_bits() {
    let mut random = Random::seeded(5);
    let aecs = Tables::fixed().image(&Bits::default());
    for _ in 0..100 {
        let uncompressed = random.text(3_000);
        let straight = run(flags::FLUSH_OUTPUT, &uncompressed, &aecs, uncompressed.len() * 2 + 64).bytes;
        let mut words = run(
            flags::FLUSH_OUTPUT | flags::BIG_ENDIAN_16,
            &uncompressed,
            &aecs,
            uncompressed.len() * 2 + 64,
        )
        .bytes;
        for word in words.chunks_exact_mut(2) {
            let turned = u16::from_le_bytes([word[0], word[1]]).reverse_bits();
            word.copy_from_slice(&turned.to_le_bytes());
        }
        words.truncate(straight.len());
        assert!(words == straight);
    }
}

#[test]
fn no_descriptor_makes_it_panic() {
    let mut random = Random::seeded(6);
    for _ in 0..reduced(20_000) {
        let descriptor = Descriptor::new(Opcode::Compress)
            .with_own_flags(random.next() as u16 & if random.below(2) == 0 { 0x1FF } else { 0xFFFF })
            .with_operation_flags(random.next() as u32)
            .with_filter_flags(random.rarely() as u32)
            .with_elements(random.rarely() as u32);
        let mut aecs = Tables::fixed().image(&fixed_header(true));
        for _ in 0..random.below(4) {
            let at = random.below(aecs.len() as u64) as usize;
            aecs[at] = random.next() as u8;
        }
        aecs[layout::OUTPUT_BITS + 1] &= 0x0F;
        if random.below(8) == 0 {
            aecs.truncate(random.below(layout::BYTES as u64) as usize);
        }
        let uncompressed = random.text(300);
        let capacity = random.below(1500) as usize;
        let done = run_with(descriptor, &uncompressed, &aecs, capacity);
        assert!(done.record.status().is_some_and(|status| status != Status::InProgress));
        assert!(done.record.produced() as usize <= capacity);
    }
}
