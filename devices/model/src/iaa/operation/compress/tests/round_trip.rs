//! The model's own decompression gets everything back, within its history of 4 KB.

use pelton_device_iaa::hw::aecs::compress as layout;
use pelton_device_iaa::hw::flags::{compress as flags, decompress as inflate};
use pelton_device_iaa::hw::{Descriptor, Opcode, Status};

use super::software::fixed_header;
use super::{Tables, run};
use crate::iaa::operation::random::Random;
use crate::iaa::operation::{Reply, Request, decompress};

#[test]
fn dynamic_streams_come_back() {
    let mut random = Random::seeded(7);
    for round in 0..100 {
        let plain = random.text(60_000);
        let histogram = run(flags::STATISTICS, &plain, &[], layout::HISTOGRAM_BYTES).bytes;
        let tables = Tables::of_histogram(&histogram);
        let aecs = tables.image(&tables.header(true));
        let packed = run(flags::FLUSH_OUTPUT | flags::END_EOB, &plain, &aecs, plain.len() * 2 + 512);

        let descriptor = Descriptor::new(Opcode::Decompress).with_own_flags(inflate::WHOLE_STREAM);
        let request = Request { descriptor: &descriptor, source1: &packed.bytes, source2: &[], aecs: &[] };
        let mut back = vec![0; plain.len()];
        let record = decompress::run(&request, Reply { destination: &mut back, aecs: None });
        assert_eq!(record.status(), Some(Status::Success), "seed 7, round {round}");
        assert!(back == plain);
        assert_eq!(record.consumed() as usize, packed.bytes.len());
        assert_eq!((record.crc(), record.xor()), (packed.record.crc(), packed.record.xor()));
    }
}

/// Blocks that each end with a stored block, one behind the other.
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
        let plain = pieces.concat();
        let mut back = vec![0; plain.len()];
        let record = decompress::run(&request, Reply { destination: &mut back, aecs: None });
        assert_eq!(record.status(), Some(Status::Success), "seed 8, round {round}");
        assert!(back == plain);
    }
}

/// A stream of mini-blocks can be indexed by mini-blocks of that size; of a stream of none, a match
/// crosses an edge.
#[test]
fn mini_blocks_can_be_indexed() {
    let mut random = Random::seeded(9);
    let aecs = Tables::fixed().image(&fixed_header(true));
    for size in 1..=7u16 {
        let plain = b"mini-block ".repeat(9_000 + random.below(1_000) as usize);
        let whole = flags::FLUSH_OUTPUT | flags::END_EOB;
        let index = |stream: &[u8]| {
            let own = inflate::WHOLE_STREAM | inflate::SUPPRESS_OUTPUT | (size << inflate::INDEXING_SHIFT);
            let descriptor = Descriptor::new(Opcode::Decompress).with_own_flags(own);
            let request = Request { descriptor: &descriptor, source1: stream, source2: &[], aecs: &[] };
            decompress::run(&request, Reply { destination: &mut [0; 4096], aecs: None })
        };
        let blocks = run(whole | (size << flags::INDEXING_SHIFT), &plain, &aecs, 250_000);
        let record = index(&blocks.bytes);
        assert_eq!(record.status(), Some(Status::Success), "seed 9, mini-blocks of size {size}");
        assert_eq!(record.crc(), blocks.record.crc());
        let straight = run(whole, &plain, &aecs, 250_000);
        assert!(matches!(index(&straight.bytes).error_byte(), 26 | 27), "seed 9, size {size}");
    }
}
