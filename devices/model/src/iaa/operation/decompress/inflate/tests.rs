//! Invalid streams, each with its error.

use pelton_codec::{Decoder, Format, RawEncoder};
use pelton_device_iaa::hw::flags::decompress as own;
use pelton_device_iaa::hw::{AnalyticsError, RecordView, Status, aecs::decompress as at};
use pelton_random::reduced;

use crate::iaa::operation::decompress::test_support::{Chain, bits, compress, decompress, error};
use crate::iaa::operation::random::Random;

fn of(text: &str) -> Option<AnalyticsError> {
    error(decompress(own::WHOLE_STREAM, &bits(text), 1000).0)
}

#[test]
fn each_error() {
    use AnalyticsError as E;
    assert_eq!(of("1 11"), Some(E::BadBlockType));
    let stored = [0x01, 0x03, 0x00, 0xFC, 0xFE, 0, 0, 0];
    assert_eq!(error(decompress(own::WHOLE_STREAM, &stored, 9).0), Some(E::StoredLengthMismatch));
    // The last two symbols of the fixed code have no meaning.
    assert_eq!(of("1 10 11000110 0000000"), Some(E::BadLength));
    assert_eq!(of("1 10 11000111 0000000"), Some(E::BadLength));
    // Distance symbol 30 has no meaning.
    assert_eq!(of("1 10 10010001 0000001 11110 0000000 0000000000000000"), Some(E::BadDistanceCode));
    // A distance of two after one byte.
    assert_eq!(of("1 10 10010001 0000001 00001 0000000"), Some(E::ReferenceBeforeStart));
    // HLIT and HDIST with too many codes.
    assert_eq!(of("1 01 01111 00000 0000 0000"), Some(E::TooManyLiteralCodes));
    assert_eq!(of("1 01 00000 01111 0000 0000"), Some(E::TooManyDistanceCodes));
    // The first four code lengths: oversubscribed, incomplete, and a repetition without a length
    // before.
    assert_eq!(of("1 01 00000 00000 0000 100 100 100 000 0000"), Some(E::OversubscribedCodeLengths));
    assert_eq!(of("1 01 00000 00000 0000 010 000 000 000 0000"), Some(E::BadCodeLengthCode));
    assert_eq!(of("1 01 00000 00000 0000 100 000 000 100 1 00 0000"), Some(E::FirstLiteralRepeats));
    // Two runs of zeros: more than all symbols, then exactly all.
    let zeros = "1 01 00000 00000 0000 000 000 100 000";
    assert_eq!(of(&format!("{zeros} 0 1111111 0 1111111")), Some(E::WrongDistanceCount));
    assert_eq!(of(&format!("{zeros} 0 1111111 0 1011011")), Some(E::NoLiteralCodes));
    // Inputs that end in a header, in a symbol, and in a stored block.
    assert_eq!(of("1 01 00000"), Some(E::EobNotSeen));
    assert_eq!(of("1 10 10010001"), Some(E::EobNotSeen));
    let stored = [0x01, 0x03, 0x00, 0xFC, 0xFF, 0];
    assert_eq!(error(decompress(own::WHOLE_STREAM, &stored, 9).0), Some(E::EobNotSeen));
}

/// A header with which oversubscribed and incomplete codes can be written.
#[test]
fn codes_that_are_none() {
    let start =
        "1 01 00000 00000 0111 000 000 100 000 000 000 000 000 000 000 000 000 000 000 000 010 000 010";
    // Three literals with one bit are oversubscribed. The rest are zeros, and one distance.
    let rest = "0 1111111 0 1001011";
    let of = |codes: &str| of(&format!("{start} {codes} 0000000000000000"));
    assert_eq!(of(&format!("10 10 10 {rest} 10")), Some(AnalyticsError::OversubscribedLiterals));
    // Two literals with two bits are incomplete.
    assert_eq!(of("11 11 0 1111111 0 0101011 10"), Some(AnalyticsError::BadLiteralCode));
    // Two literals with one bit, and a distance alone with two.
    assert_eq!(of("10 10 0 1111111 0 0101011 11"), Some(AnalyticsError::BadDistanceCode));
}

/// A match may reach back 4096 bytes.
#[test]
fn a_distance_over_4096() {
    // The last distance of one symbol is the window, and the next symbol starts after it.
    let literals = "00110000 ".repeat(4097);
    let near = bits(&format!("1 10 {literals} 0000001 10111 1111111111 0000000"));
    assert_eq!(decompress(own::WHOLE_STREAM, &near, 5000).0.produced(), 4100);
    let far = bits(&format!("1 10 {literals} 0000001 11000 00000000000 0000000"));
    assert_eq!(error(decompress(own::WHOLE_STREAM, &far, 5000).0), Some(AnalyticsError::DistanceTooFar));
}

/// A header with more bits than the accumulator can't be cut.
#[test]
fn a_header_too_large_to_be_cut() {
    // The largest header: all lengths, with the longest codes for them.
    let mut code_lengths = [0u8; 19];
    for (symbol, length) in [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (8, 7), (9, 7)] {
        code_lengths[symbol] = length;
    }
    let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
    let three = |length: u8| format!("{:03b}", length).chars().rev().collect::<String>();
    let lengths: String = order.iter().map(|symbol| three(code_lengths[*symbol])).collect();
    // A complete code of literals of two lengths, and two distances of one bit.
    let codes = "1111110".repeat(226) + &"1111111".repeat(60) + "10 10";
    let compressed = bits(&format!("1 01 10111 10000 1111 {lengths} {codes}"));
    let whole = compressed.len();
    let mut chain = Chain::new();
    let (record, _) = chain.step(own::ENABLE, &compressed[..256], 100);
    assert_eq!(record.status(), Some(Status::Success), "256 bytes fit");
    let mut chain = Chain::new();
    let cut = chain.step(own::ENABLE, &compressed[..258], 100).0;
    assert_eq!(error(cut), Some(AnalyticsError::HeaderTooLarge));
    assert!(whole > 258);
}

#[test]
fn flags_that_are_none() {
    let compressed = bits("1 10 10010001 0000000");
    for flags in [0, own::FLUSH_OUTPUT, own::ENABLE | 1 << 13, own::ENABLE | 1 << 14, own::ENABLE | 1 << 15] {
        assert_eq!(
            decompress(flags, &compressed, 10).0,
            RecordView::new(Status::InvalidOwnFlags),
            "{flags:#x}"
        );
    }
}

/// A stream that the CPU's decoder rejects is rejected here, and a stream that both accept has the
/// same output.
#[test]
fn against_the_processor() {
    let (mut sound, mut refused) = (0, 0);
    for seed in 0..reduced(4_000) as u64 {
        let mut random = Random::seeded(seed);
        let uncompressed = random.text(700);
        let mut compressed = vec![0; uncompressed.len() + 100];
        let len =
            RawEncoder::new().compress(random.below(13) as i32, &uncompressed, &mut compressed).unwrap();
        compressed.truncate(len);
        for _ in 0..=random.below(3) {
            let at = random.below(compressed.len() as u64) as usize;
            compressed[at] ^= 1 << random.below(8);
        }
        let (record, got) = decompress(own::WHOLE_STREAM, &compressed, 100_000);
        let mut expected = vec![0; 100_000];
        match Decoder::new().decompress(Format::Deflate, &compressed, &mut expected) {
            Ok(done) => {
                // The model may be stricter, and its window is smaller.
                if record.status() == Some(Status::Success) {
                    assert!(got == expected[..done.produced], "seed {seed}");
                    assert_eq!(record.consumed() as usize, done.consumed, "seed {seed}");
                    sound += 1;
                }
            }
            Err(error) => {
                assert_ne!(record.status(), Some(Status::Success), "seed {seed}: {error}");
                refused += 1;
            }
        }
    }
    assert!(sound.min(refused) > reduced(300), "{sound} sound, {refused} refused");
}

/// Arbitrary images make no panic.
#[test]
fn no_image_makes_it_panic() {
    let mut done = 0;
    for seed in 0..reduced(3_000) as u64 {
        let mut random = Random::seeded(seed);
        let uncompressed = random.text(2_000);
        let compressed = compress(&[&uncompressed], 6);
        let mut chain = Chain::new();
        let cut = random.below(compressed.len() as u64 + 1) as usize;
        chain.step(own::ENABLE, &compressed[..cut], 512);
        let mut images = chain.images.clone();
        for image in &mut images {
            for _ in 0..random.below(6) {
                let field = [
                    at::STATE,
                    at::INPUT_BITS,
                    at::LITERAL_COUNTS,
                    at::CODES,
                    at::HISTORY_OFFSET,
                    0x43C,
                    0xB0,
                ];
                let at = field[random.below(field.len() as u64) as usize] + random.below(20) as usize;
                image[at] = random.next() as u8;
            }
        }
        let mut chain = Chain { images, ..chain };
        let (record, _) = chain.step(random.next() as u16 & 0x1FFF | own::ENABLE, &compressed[cut..], 3_000);
        assert!(record.status().is_some(), "seed {seed}");
        done += usize::from(record.status() == Some(Status::Success));
    }
    assert!(done > reduced(100), "{done}");
}
