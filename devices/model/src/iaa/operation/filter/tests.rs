//! Records and bytes worked out by hand, filters of compressed elements, and arbitrary descriptors.

use pelton_codec::{BitWriter, BlockEncoder, Checksum, Window, checksum};
use pelton_device_iaa::hw::aecs::decompress as layout;
use pelton_device_iaa::hw::flags::{decompress as inflate, filter as flags, operation};
use pelton_device_iaa::hw::{AnalyticsError, Descriptor, Opcode, RecordView, Status};
use pelton_random::reduced;

use super::test_support::{Done, Inputs, LAYOUTS, Layout, aecs};
use crate::iaa::operation::random::Random;

const INDEXES_8: u32 = 1 << flags::OUTPUT_WIDTH_SHIFT;
const INDEXES_16: u32 = 2 << flags::OUTPUT_WIDTH_SHIFT;
const INDEXES_32: u32 = 3 << flags::OUTPUT_WIDTH_SHIFT;

fn summary(record: &RecordView) -> [u32; 3] {
    assert_eq!(record.status(), Some(Status::Success));
    [record.min_or_first(), record.max_or_last(), record.sum_or_count()]
}

#[track_caller]
fn expect(done: Done, bytes: &[u8], bits: u8, figures: [u32; 3]) {
    assert_eq!(summary(&done.record), figures);
    assert_eq!((done.bytes.as_slice(), done.record.output_bits()), (bytes, bits));
}

/// Returns inputs with nine elements of four bits, 1 to 9.
fn digits(opcode: Opcode) -> Inputs {
    let inputs = Inputs::new(opcode, &[1, 2, 3, 4, 5, 6, 7, 8, 9], 4, Layout::Little);
    assert_eq!(inputs.source1, [0x21, 0x43, 0x65, 0x87, 0x09]);
    inputs
}

/// Elements in a range, in both bit orders.
#[test]
fn scan() {
    let scan = digits(Opcode::Scan).with_aecs(aecs(3, 8, 100));
    expect(scan.run(2), &[0xFC, 0x00], 1, [2, 7, 6]);
    expect(scan.clone().with_flags(flags::OUTPUT_BIG_ENDIAN).run(2), &[0x3F, 0x00], 1, [2, 7, 6]);
    // The positions of the other elements.
    let outside = scan.clone().with_flags(flags::INVERT_OUTPUT);
    expect(outside.run(2), &[0x03, 0x01], 1, [0, 8, 3]);
    // Indexes include the output modifier; the summary does not.
    expect(outside.clone().with_flags(INDEXES_8).run(3), &[100, 101, 108], 0, [0, 8, 3]);
    let big = outside.with_flags(INDEXES_16 | flags::OUTPUT_BIG_ENDIAN);
    expect(big.run(6), &[0, 100, 0, 101, 0, 108], 0, [0, 8, 3]);
}

/// Consumed bytes and checksums are those of all of source 1: CRC-32 by Python's zlib.crc32, XOR by
/// hand.
#[test]
fn scan_sums_its_input() {
    let record = digits(Opcode::Scan).with_aecs(aecs(3, 8, 0)).run(2).record;
    assert_eq!((record.consumed(), record.xor(), record.crc()), (5, 0xC44D, 0xF020_B999));
}

/// Without a match the summary has the initial values of a search.
#[test]
fn scan_for_nothing() {
    let none = digits(Opcode::Scan).with_aecs(aecs(10, 15, 0));
    expect(none.run(2), &[0, 0], 1, [u32::MAX, 0, 0]);
    expect(none.with_flags(INDEXES_32).run(0), &[], 0, [u32::MAX, 0, 0]);
    let empty = digits(Opcode::Scan).with_aecs(aecs(8, 3, 0));
    expect(empty.run(2), &[0, 0], 1, [u32::MAX, 0, 0]);
}

/// Three elements; the last byte has four valid bits.
#[test]
fn extract() {
    let extract = digits(Opcode::Extract).with_aecs(aecs(2, 4, 9));
    expect(extract.run(2), &[0x43, 0x05], 4, [3, 5, 12]);
    expect(extract.clone().with_flags(flags::OUTPUT_BIG_ENDIAN).run(2), &[0x34, 0x50], 4, [3, 5, 12]);
    expect(extract.clone().with_flags(INDEXES_8).run(3), &[3, 4, 5], 0, [3, 5, 12]);
    let wide = extract.with_flags(INDEXES_16 | flags::OUTPUT_BIG_ENDIAN);
    expect(wide.run(6), &[0, 3, 0, 4, 0, 5], 0, [3, 5, 12]);
}

/// The mask selects four elements.
#[test]
fn select() {
    let mask = [1, 0, 0, 0, 0, 1, 1, 0, 1];
    let select = digits(Opcode::Select).with_second(&mask, 1, false);
    assert_eq!(select.source2, [0x61, 0x01]);
    expect(select.run(2), &[0x61, 0x97], 0, [1, 9, 23]);
    let big = digits(Opcode::Select).with_second(&mask, 1, true);
    assert_eq!(big.source2, [0x86, 0x80]);
    expect(big.run(2), &[0x61, 0x97], 0, [1, 9, 23]);
}

/// The mask puts the elements at its ones. The minimum is a zero.
#[test]
fn expand() {
    let expand = digits(Opcode::Expand).with_second(&[1, 0, 1, 1, 0, 0, 1, 0], 1, false).with_elements(8);
    expect(expand.run(4), &[0x01, 0x32, 0x00, 0x04], 0, [0, 4, 10]);
}

/// The set has four of the nine elements.
#[test]
fn set_membership() {
    let set: Vec<u32> = (0..16).map(|n| u32::from([2, 3, 5, 7].contains(&n))).collect();
    let members = digits(Opcode::SetMembership).with_second(&set, 1, false);
    assert_eq!(members.source2, [0xAC, 0x00]);
    expect(members.run(2), &[0x56, 0x00], 1, [1, 6, 4]);
    // The set after dropping the lowest bit, and the highest.
    let dropped = 1 << flags::DROP_LOW_SHIFT | 1 << flags::DROP_HIGH_SHIFT;
    let members = digits(Opcode::SetMembership).with_second(&[1, 0, 0, 1], 1, false).with_flags(dropped);
    expect(members.run(2), &[0xE1, 0x01], 1, [0, 8, 5]);
}

/// Three different elements are three bits of the set.
#[test]
fn find_unique() {
    let unique = Inputs::new(Opcode::FindUnique, &[3, 9, 3, 1], 4, Layout::Little);
    expect(unique.run(2), &[0x0A, 0x02], 0, [1, 9, 3]);
    expect(unique.clone().with_flags(INDEXES_8).run(3), &[1, 3, 9], 0, [1, 9, 3]);
    // Without the two low bits there are two different elements.
    expect(unique.with_flags(2 << flags::DROP_LOW_SHIFT).run(1), &[0b0101], 4, [0, 2, 2]);
}

/// The example of Intel's documentation: bits with their repetitions, from the lowest bit.
#[test]
fn burst() {
    let symbols = [1, 0, 1, 0, 1];
    let counts =
        Inputs::new(Opcode::RleBurst, &[2, 4, 3, 3, 2], 8, Layout::Little).with_second(&symbols, 1, false);
    let bits = [0b1100_0011, 0b0011_0001];
    expect(counts.run(2), &bits, 6, [0, 13, 7]);
    let sums = Inputs::new(Opcode::RleBurst, &[0, 2, 6, 9, 12, 14], 32, Layout::Little);
    expect(sums.with_second(&symbols, 1, false).run(2), &bits, 6, [0, 13, 7]);
    // Elements of 12 bits, one of them without a repetition, and their sum.
    let counts = Inputs::new(Opcode::RleBurst, &[1, 0, 2], 16, Layout::Big);
    let words = counts.with_second(&[0xABC, 0x123, 0xDEF], 12, true);
    expect(words.run(5), &[0xBC, 0xFA, 0xDE, 0xEF, 0x0D], 4, [0xABC, 0xDEF, 0x269A]);
}

/// A bit vector as an array has bytes of zero and one; its summary is that of a bit vector.
#[test]
fn forced_array() {
    let scan = digits(Opcode::Scan).with_aecs(aecs(3, 8, 100)).with_flags(INDEXES_8 | flags::FORCE_ARRAY);
    expect(scan.run(9), &[0, 0, 1, 1, 1, 1, 1, 1, 0], 0, [2, 7, 6]);
}

/// The first two bytes are a header.
#[test]
fn bytes_dropped() {
    let mut image = aecs(4, 4, 0);
    image[0x14] = 2;
    let mut scan = digits(Opcode::Scan).with_aecs(image).with_elements(5);
    expect(scan.run(1), &[0], 5, [u32::MAX, 0, 0]);
    scan.aecs[0x08] = 6;
    scan.aecs[0x0C] = 7;
    expect(scan.run(1), &[0b00110], 5, [1, 2, 2]);
}

/// The checksums continue those of the AECS, with published CRCs of the two parts.
#[test]
fn checksums_go_on() {
    let mut image = aecs(0, 255, 0);
    image[..4].copy_from_slice(&0x9BE3_E0A3_u32.to_le_bytes());
    image[4..6].copy_from_slice(&0x0602_u16.to_le_bytes());
    let digits: Vec<u32> = b"56789".map(u32::from).to_vec();
    let record = Inputs::new(Opcode::Scan, &digits, 8, Layout::Little).with_aecs(image).run(1).record;
    assert_eq!((record.crc(), record.xor()), (0xCBF4_3926, 0x0839));
}

/// Returns a stream of these bytes with a window of 4 KB.
fn deflate(uncompressed: &[u8]) -> Vec<u8> {
    let mut out = vec![0; uncompressed.len() + 100];
    let mut encoder = BlockEncoder::new();
    encoder.set_window(Window::SMALL);
    let mut writer = BitWriter::new(&mut out);
    encoder.deflate_block(uncompressed, &[], 6, true, &mut writer).unwrap();
    let bytes = writer.finish().unwrap();
    out.truncate(bytes);
    out
}

impl Inputs {
    /// Returns the inputs with a compressed source 1.
    fn compressed(mut self) -> Inputs {
        self.source1 = deflate(&self.source1);
        self.descriptor = self.descriptor.with_own_flags(inflate::WHOLE_STREAM);
        self
    }
}

#[test]
fn filters_of_streams() {
    let mut random = Random::seeded(21);
    for (width, layout) in (1..=32).flat_map(|width| LAYOUTS.map(|layout| (width, layout))) {
        let mask = u32::MAX >> (32 - width);
        let values: Vec<u32> = (0..1 + random.below(3_000)).map(|n| (n as u32 / 5 * 7) & mask).collect();
        let bits: Vec<u32> = values.iter().map(|_| random.below(2) as u32).collect();
        let range = || aecs(1, 1_000, 3);
        for uncompressed in [
            Inputs::new(Opcode::Scan, &values, width, layout).with_aecs(range()),
            Inputs::new(Opcode::Extract, &values, width, layout).with_aecs(range()),
            Inputs::new(Opcode::Select, &values, width, layout).with_second(&bits, 1, false),
            Inputs::new(Opcode::Expand, &values, width, layout).with_second(&bits, 1, true),
        ] {
            let stream = uncompressed.clone().compressed();
            let (expected, done) = (uncompressed.run(20_000), stream.run(20_000));
            let what = format!("seed 21, width {width}, {layout:?}, {:?}", uncompressed.descriptor);
            assert_eq!(done.record.status(), Some(Status::Success), "{what}");
            assert!(done.bytes == expected.bytes, "{what}");
            assert_eq!(done.record.consumed() as usize, stream.source1.len(), "{what}");
            // The checksums are those of the uncompressed bytes in both cases.
            assert_eq!(done.record.with_consumed(0), expected.record.with_consumed(0), "{what}");
            let crc = checksum(Checksum::Crc32, &uncompressed.source1);
            assert_eq!(u64::from(done.record.crc()), crc, "{what}");
        }
    }
}

/// A page with a header of 7 bytes, which the AECS drops.
#[test]
fn a_header_is_dropped() {
    let mut image = aecs(2, 3, 0);
    image[layout::DROP_INITIAL_BYTES] = 7;
    let mut scan = Inputs::new(Opcode::Scan, &[1, 2, 3, 4, 5], 8, Layout::Little).with_aecs(image);
    scan.source1.splice(0..0, *b"header!");
    let done = scan.compressed().run(1);
    assert_eq!((done.bytes, done.record.output_bits()), (vec![0b00110], 5));
}

/// One element too few, which is noticed at the end of the stream; and a damaged stream.
#[test]
fn streams_that_are_too_short() {
    let scan = Inputs::new(Opcode::Scan, &[1, 2, 3], 8, Layout::Little).with_aecs(aecs(0, 9, 0)).compressed();
    let few = scan.clone().with_elements(4).run(8).record;
    assert_eq!(few.analytics_error(), Some(AnalyticsError::TooFewElements));
    let mut cut = scan.clone();
    cut.source1.pop();
    assert_eq!(cut.run(8).record.analytics_error(), Some(AnalyticsError::EobNotSeen));
    let mut bad = scan;
    bad.source1[0] |= 0b110;
    assert_eq!(bad.run(8).record.analytics_error(), Some(AnalyticsError::BadBlockType));
}

#[test]
fn no_descriptor_makes_it_panic() {
    let mut random = Random::seeded(17);
    let mut successes = 0;
    let descriptors = reduced(60_000);
    for _ in 0..descriptors {
        let opcode = Opcode::ALL[5 + random.below(7) as usize];
        let source2 = [0, operation::SOURCE2_AECS, operation::SOURCE2_FILTER][random.below(3) as usize];
        let mut bytes =
            |most: u64| -> Vec<u8> { (0..random.below(most)).map(|_| random.next() as u8).collect() };
        let (source1, second, mut aecs) = (bytes(60), bytes(600), bytes(80));
        aecs.resize(if random.below(8) == 0 { aecs.len() } else { 0x20 }, 0);
        let masks = [u32::MAX, 0x0001_FFFF, 0x0001_E07F, 0x0001_E07C];
        let inputs = Inputs {
            descriptor: Descriptor::new(opcode)
                .with_operation_flags(random.rarely() as u32 & !operation::SOURCE2_MASK | source2)
                .with_own_flags(random.rarely() as u16)
                .with_filter_flags(random.next() as u32 & masks[random.below(4) as usize])
                .with_elements(if random.below(20) == 0 {
                    random.next() as u32
                } else {
                    random.below(20) as u32
                }),
            source1,
            source2: if source2 == operation::SOURCE2_FILTER { second } else { Vec::new() },
            aecs: if source2 == operation::SOURCE2_AECS { aecs } else { Vec::new() },
        };
        let done = inputs.run(random.below(400) as usize);
        assert!(done.record.status().is_some_and(|status| status != Status::InProgress));
        successes += usize::from(done.record.status() == Some(Status::Success));
    }
    assert!(successes > descriptors / 60, "only {successes} descriptors of {descriptors} were any good");
}
