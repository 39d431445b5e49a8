//! Streams in pieces of any size, with the bytes and checksums of the complete stream.

use pelton_codec::{Checksum, RawEncoder, checksum};
use pelton_device_iaa::hw::flags::decompress as own;
use pelton_device_iaa::hw::{RecordView, Status, aecs::decompress as at};
use pelton_random::reduced;

use crate::iaa::operation::decompress::test_support::{Chain, compress, decompress, in_pieces};
use crate::iaa::operation::random::Random;

fn xor(uncompressed: &[u8]) -> u16 {
    uncompressed
        .chunks(2)
        .fold(0, |sum, word| sum ^ u16::from(word[0]) ^ u16::from(*word.get(1).unwrap_or(&0)) << 8)
}

fn check(seed: u64, uncompressed: &[u8], (got, record): (Vec<u8>, RecordView)) {
    assert_eq!(record.status(), Some(Status::Success), "seed {seed}: {record:?}");
    assert!(got == uncompressed, "seed {seed}: other bytes");
    assert_eq!(u64::from(record.crc()), checksum(Checksum::Crc32, uncompressed), "seed {seed}");
    assert_eq!(record.xor(), xor(uncompressed), "seed {seed}");
}

/// Returns text, and its blocks of all three types, compressed at any level.
fn stream(random: &mut Random) -> (Vec<u8>, Vec<u8>) {
    let level = random.below(10) as i32;
    let blocks: Vec<Vec<u8>> = (0..=random.below(4)).map(|_| random.text(9_000)).collect();
    let slices: Vec<&[u8]> = blocks.iter().map(Vec::as_slice).collect();
    (blocks.concat(), compress(&slices, level))
}

#[test]
fn any_pieces_of_any_stream() {
    for seed in 0..reduced(600) as u64 {
        let mut random = Random::seeded(seed);
        let (uncompressed, compressed) = stream(&mut random);
        let (mut inputs, mut capacities) = (Random::seeded(seed + 1), Random::seeded(seed + 2));
        let (most_input, most_room) = (1 + random.below(3_000), 8 + random.below(5_000));
        let input = || 1 + inputs.below(most_input) as usize;
        check(
            seed,
            &uncompressed,
            in_pieces(&compressed, input, || 1 + capacities.below(most_room) as usize),
        );
    }
}

#[test]
fn one_byte_at_a_time() {
    for seed in 0..20 {
        let (uncompressed, compressed) = stream(&mut Random::seeded(seed));
        check(seed, &uncompressed, in_pieces(&compressed, || 1, || 8));
        check(seed, &uncompressed, in_pieces(&compressed, || compressed.len(), || 1));
        check(seed, &uncompressed, in_pieces(&compressed, || 1, || 100_000));
    }
}

#[test]
fn cut_in_two_at_every_byte() {
    let mut random = Random::seeded(7);
    let (uncompressed, compressed) = loop {
        let (uncompressed, compressed) = stream(&mut random);
        if (300..3_000).contains(&compressed.len()) {
            break (uncompressed, compressed);
        }
    };
    for cut in 1..compressed.len() {
        let mut cuts = [cut, compressed.len()].into_iter();
        check(
            cut as u64,
            &uncompressed,
            in_pieces(&compressed, || cuts.next().unwrap_or(compressed.len()), || uncompressed.len().max(1)),
        );
    }
    for capacity in 1..uncompressed.len().min(3_000) {
        check(capacity as u64, &uncompressed, in_pieces(&compressed, || compressed.len(), || capacity));
    }
}

#[test]
fn streams_of_another_compressor() {
    for seed in 0..60 {
        let mut random = Random::seeded(seed);
        // Short enough that all matches are within the window.
        let uncompressed = random.text(4_096);
        let mut compressed = vec![0; uncompressed.len() + 100];
        let len =
            RawEncoder::new().compress(random.below(13) as i32, &uncompressed, &mut compressed).unwrap();
        compressed.truncate(len);
        let (record, got) = decompress(own::WHOLE_STREAM, &compressed, uncompressed.len());
        assert_eq!(record.consumed() as usize, compressed.len());
        check(seed, &uncompressed, (got, record));
        check(seed, &uncompressed, in_pieces(&compressed, || 1 + random.below(500) as usize, || 700));
    }
}

#[test]
fn output_is_left_out_and_suppressed() {
    for seed in 0..40 {
        let mut random = Random::seeded(seed);
        let (uncompressed, compressed) = stream(&mut random);
        let (record, got) = decompress(own::WHOLE_STREAM | own::SUPPRESS_OUTPUT, &compressed, 0);
        assert!(got.is_empty());
        check(seed, &uncompressed, (uncompressed.clone(), record));

        let dropped = random.below(uncompressed.len() as u64 + 10) as u16;
        let mut image = vec![0; at::BYTES];
        image[at::STATE] = at::state::HEADER as u8;
        image[at::DROP_INITIAL_BYTES..][..2].copy_from_slice(&dropped.to_le_bytes());
        let mut chain = Chain { images: [image.clone(), image], toggle: false, first: false };
        let (record, got) = chain.step(own::WHOLE_STREAM, &compressed, uncompressed.len().max(1));
        assert!(got == uncompressed[uncompressed.len().min(dropped.into())..], "seed {seed}");
        check(seed, &uncompressed, (uncompressed.clone(), record));
    }
}
