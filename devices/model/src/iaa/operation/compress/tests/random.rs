//! Whatever is compressed, another decoder gets it back.

use pelton_codec::{Decoder, Format, RawDecoder};
use pelton_device_iaa::hw::aecs::compress as layout;
use pelton_device_iaa::hw::flags::compress as flags;
use pelton_device_iaa::hw::{Opcode, Status};

use super::software::{Bits, fixed_header};
use super::{Descriptor, Tables, run, run_with};
use crate::iaa::operation::random::Random;

fn decode(stream: &[u8], plain: &[u8]) {
    let mut back = vec![0; plain.len()];
    let done = Decoder::new().decompress(Format::Deflate, stream, &mut back).unwrap();
    assert_eq!((done.consumed, done.produced), (stream.len(), plain.len()));
    assert!(back == plain);
    back.fill(0);
    assert_eq!(RawDecoder::new().decompress(stream, &mut back), Some(done));
    assert!(back == plain);
}

#[test]
fn fixed_blocks_decode() {
    let mut random = Random::seeded(1);
    let aecs = Tables::fixed().image(&fixed_header(true));
    for round in 0..200 {
        let plain = random.text(20_000);
        let own = flags::FLUSH_OUTPUT | flags::END_EOB | (random.below(2) as u16 * flags::LITERALS_ONLY);
        let done = run(own, &plain, &aecs, plain.len() * 2 + 64);
        assert_eq!(done.record.status(), Some(Status::Success), "round {round}");
        decode(&done.bytes, &plain);
    }
}

/// The second pass has a code for each symbol that the first counted, and its size is what the
/// counts say.
#[test]
fn both_passes_take_the_same_parse() {
    let mut random = Random::seeded(2);
    for round in 0..200 {
        let plain = random.text(20_000);
        let shared = (random.below(8) as u16 * (1 << flags::INDEXING_SHIFT))
            | (random.below(2) as u16 * flags::LITERALS_ONLY);
        let histogram = run(flags::STATISTICS | shared, &plain, &[], layout::HISTOGRAM_BYTES).bytes;
        let tables = Tables::of_histogram(&histogram);
        let aecs = tables.image(&tables.header(true));
        let own = flags::FLUSH_OUTPUT | flags::END_EOB | shared;
        let done = run(own, &plain, &aecs, plain.len() * 2 + 512);
        assert_eq!(done.record.status(), Some(Status::Success), "round {round}");
        decode(&done.bytes, &plain);

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

/// A stream of several descriptors, each but the last with the rest of its bits left in the AECS.
#[test]
fn descriptors_in_a_row_make_one_block() {
    let mut random = Random::seeded(3);
    for _ in 0..100 {
        let plain = random.text(20_000);
        let mut aecs = Tables::fixed().image(&fixed_header(true));
        let mut stream = Vec::new();
        let pieces: Vec<&[u8]> = plain.chunks(random.below(5_000) as usize + 1).collect();
        for (n, piece) in pieces.iter().enumerate() {
            let own = if n + 1 == pieces.len() { flags::FLUSH_OUTPUT | flags::END_EOB } else { 0 };
            let done = run(own, piece, &aecs, piece.len() * 2 + 64);
            assert_eq!(done.record.status(), Some(Status::Success));
            stream.extend(done.bytes);
            aecs = done.aecs;
        }
        if !pieces.is_empty() {
            decode(&stream, &plain);
        }
    }
}

/// Blocks that end with a stored block are whole bytes, so that any number of them can follow each
/// other.
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

/// Big-endian words turned back round are the stream without that flag.
#[test]
fn big_endian_words_are_the_same_bits() {
    let mut random = Random::seeded(5);
    let aecs = Tables::fixed().image(&Bits::default());
    for _ in 0..100 {
        let plain = random.text(3_000);
        let straight = run(flags::FLUSH_OUTPUT, &plain, &aecs, plain.len() * 2 + 64).bytes;
        let mut words =
            run(flags::FLUSH_OUTPUT | flags::BIG_ENDIAN_16, &plain, &aecs, plain.len() * 2 + 64).bytes;
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
    for _ in 0..20_000 {
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
        let plain = random.text(300);
        let room = random.below(1500) as usize;
        let done = run_with(descriptor, &plain, &aecs, room);
        assert!(done.record.status().is_some_and(|status| status != Status::InProgress));
        assert!(done.record.produced() as usize <= room);
    }
}
