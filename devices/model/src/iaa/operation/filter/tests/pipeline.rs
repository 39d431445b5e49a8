//! Decompression and filter in one descriptor: the same as one after the other.

use pelton_codec::{BitWriter, BlockEncoder, Checksum, Window, checksum};
use pelton_device_iaa::hw::aecs::decompress as layout;
use pelton_device_iaa::hw::flags::decompress as inflate;
use pelton_device_iaa::hw::{AnalyticsError, Opcode, Status};

use super::software::{LAYOUTS, Layout};
use super::{Inputs, aecs};
use crate::iaa::operation::random::Random;

/// A stream of these bytes, with matches no farther back than the device remembers.
fn packed(plain: &[u8]) -> Vec<u8> {
    let mut out = vec![0; plain.len() + 100];
    let mut encoder = BlockEncoder::new();
    encoder.set_window(Window::SMALL);
    let mut writer = BitWriter::new(&mut out);
    encoder.deflate_block(plain, &[], 6, true, &mut writer).unwrap();
    let bytes = writer.finish().unwrap();
    out.truncate(bytes);
    out
}

impl Inputs {
    /// Source 1 is a stream of what it was.
    fn compressed(mut self) -> Inputs {
        self.source1 = packed(&self.source1);
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
        for plain in [
            Inputs::new(Opcode::Scan, &values, width, layout).with_aecs(range()),
            Inputs::new(Opcode::Extract, &values, width, layout).with_aecs(range()),
            Inputs::new(Opcode::Select, &values, width, layout).with_second(&bits, 1, false),
            Inputs::new(Opcode::Expand, &values, width, layout).with_second(&bits, 1, true),
        ] {
            let stream = plain.clone().compressed();
            let (expected, done) = (plain.run(20_000), stream.run(20_000));
            let what = format!("seed 21, width {width}, {layout:?}, {:?}", plain.descriptor);
            assert_eq!(done.record.status(), Some(Status::Success), "{what}");
            assert!(done.bytes == expected.bytes, "{what}");
            assert_eq!(done.record.consumed() as usize, stream.source1.len(), "{what}");
            // The checksums are those of the plain bytes either way.
            assert_eq!(done.record.with_consumed(0), expected.record.with_consumed(0), "{what}");
            let crc = checksum(Checksum::Crc32, &plain.source1);
            assert_eq!(u64::from(done.record.crc()), crc, "{what}");
        }
    }
}

/// A page with a header of 7 bytes, which the AECS says to drop.
#[test]
fn a_header_is_dropped() {
    let mut image = aecs(2, 3, 0);
    image[layout::DROP_INITIAL_BYTES] = 7;
    let mut scan = Inputs::new(Opcode::Scan, &[1, 2, 3, 4, 5], 8, Layout::Little).with_aecs(image);
    scan.source1.splice(0..0, *b"header!");
    let done = scan.compressed().run(1);
    assert_eq!((done.bytes, done.record.output_bits()), (vec![0b00110], 5));
}

/// One element too few, whose number is only known at the stream's end; and a stream that is
/// damaged.
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
