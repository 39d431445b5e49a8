//! Streams in pieces of any size, with the bytes and checksums of the complete stream.

use pelton_codec::{Checksum, RawEncoder, checksum};
use pelton_device_iaa::hw::flags::decompress as own;
use pelton_device_iaa::hw::{RecordView, Status, aecs::decompress as at};

use crate::iaa::operation::decompress::test_support::{Chain, decompress, in_pieces, pack};
use crate::iaa::operation::random::Random;

fn xor(plain: &[u8]) -> u16 {
    plain.chunks(2).fold(0, |sum, word| sum ^ u16::from(word[0]) ^ u16::from(*word.get(1).unwrap_or(&0)) << 8)
}

fn check(seed: u64, plain: &[u8], (got, record): (Vec<u8>, RecordView)) {
    assert_eq!(record.status(), Some(Status::Success), "seed {seed}: {record:?}");
    assert!(got == plain, "seed {seed}: other bytes");
    assert_eq!(u64::from(record.crc()), checksum(Checksum::Crc32, plain), "seed {seed}");
    assert_eq!(record.xor(), xor(plain), "seed {seed}");
}

/// Returns text, and its blocks of all three types, compressed at any level.
fn stream(random: &mut Random) -> (Vec<u8>, Vec<u8>) {
    let level = random.below(10) as i32;
    let blocks: Vec<Vec<u8>> = (0..=random.below(4)).map(|_| random.text(9_000)).collect();
    let slices: Vec<&[u8]> = blocks.iter().map(Vec::as_slice).collect();
    (blocks.concat(), pack(&slices, level))
}

#[test]
fn any_pieces_of_any_stream() {
    for seed in 0..600 {
        let mut random = Random::seeded(seed);
        let (plain, packed) = stream(&mut random);
        let (mut inputs, mut rooms) = (Random::seeded(seed + 1), Random::seeded(seed + 2));
        let (most_input, most_room) = (1 + random.below(3_000), 8 + random.below(5_000));
        let input = || 1 + inputs.below(most_input) as usize;
        check(seed, &plain, in_pieces(&packed, input, || 1 + rooms.below(most_room) as usize));
    }
}

#[test]
fn one_byte_at_a_time() {
    for seed in 0..20 {
        let (plain, packed) = stream(&mut Random::seeded(seed));
        check(seed, &plain, in_pieces(&packed, || 1, || 8));
        check(seed, &plain, in_pieces(&packed, || packed.len(), || 1));
        check(seed, &plain, in_pieces(&packed, || 1, || 100_000));
    }
}

#[test]
fn cut_in_two_at_every_byte() {
    let mut random = Random::seeded(7);
    let (plain, packed) = loop {
        let (plain, packed) = stream(&mut random);
        if (300..3_000).contains(&packed.len()) {
            break (plain, packed);
        }
    };
    for cut in 1..packed.len() {
        let mut cuts = [cut, packed.len()].into_iter();
        check(
            cut as u64,
            &plain,
            in_pieces(&packed, || cuts.next().unwrap_or(packed.len()), || plain.len().max(1)),
        );
    }
    for room in 1..plain.len().min(3_000) {
        check(room as u64, &plain, in_pieces(&packed, || packed.len(), || room));
    }
}

#[test]
fn streams_of_another_compressor() {
    for seed in 0..60 {
        let mut random = Random::seeded(seed);
        // Short enough that all matches are within the window.
        let plain = random.text(4_096);
        let mut packed = vec![0; plain.len() + 100];
        let len = RawEncoder::new().compress(random.below(13) as i32, &plain, &mut packed).unwrap();
        packed.truncate(len);
        let (record, got) = decompress(own::WHOLE_STREAM, &packed, plain.len());
        assert_eq!(record.consumed() as usize, packed.len());
        check(seed, &plain, (got, record));
        check(seed, &plain, in_pieces(&packed, || 1 + random.below(500) as usize, || 700));
    }
}

#[test]
fn output_is_left_out_and_suppressed() {
    for seed in 0..40 {
        let mut random = Random::seeded(seed);
        let (plain, packed) = stream(&mut random);
        let (record, got) = decompress(own::WHOLE_STREAM | own::SUPPRESS_OUTPUT, &packed, 0);
        assert!(got.is_empty());
        check(seed, &plain, (plain.clone(), record));

        let dropped = random.below(plain.len() as u64 + 10) as u16;
        let mut image = vec![0; at::BYTES];
        image[at::STATE] = at::state::HEADER as u8;
        image[at::DROP_INITIAL_BYTES..][..2].copy_from_slice(&dropped.to_le_bytes());
        let mut chain = Chain { images: [image.clone(), image], toggle: false, first: false };
        let (record, got) = chain.step(own::WHOLE_STREAM, &packed, plain.len().max(1));
        assert!(got == plain[plain.len().min(dropped.into())..], "seed {seed}");
        check(seed, &plain, (plain.clone(), record));
    }
}
