//! Blocks that contain their bytes uncompressed: the range has to have the output of a decoder.

use pelton_codec::{Format, stored};

use crate::support::{SHAPES, data, levels, pack, pack_default, streamed, unpack};

/// The formats with blocks that are read.
const FORMATS: [Format; 3] = [Format::Lz4, Format::Snappy, Format::Zstd];

/// Returns the stored bytes of a block, after a comparison with the decoder.
fn checked(format: Format, packed: &[u8], room: usize) -> Option<&[u8]> {
    let found = &packed[stored(format, packed)?];
    let decoded = unpack(format, packed, room.max(found.len()));
    assert_eq!(
        decoded,
        Ok((found.to_vec(), packed.len())),
        "{format}: {:02x?}",
        &packed[..packed.len().min(20)]
    );
    Some(found)
}

#[test]
fn what_does_not_shrink_is_found() {
    for format in FORMATS {
        // around where the numbers in front get longer
        for size in [1, 14, 15, 16, 60, 61, 255, 256, 257, 269, 270, 271, 4096, 65_535, 65_536] {
            let plain = data("random", size);
            assert_eq!(
                checked(format, &pack_default(format, &plain), size),
                Some(&plain[..]),
                "{format} {size}"
            );
        }
    }
}

#[test]
fn what_shrinks_and_what_is_in_parts_is_not() {
    for format in Format::ALL {
        for shape in SHAPES.into_iter().filter(|shape| *shape != "random") {
            let plain = data(shape, 5000);
            for level in levels(format) {
                assert_eq!(stored(format, &pack(format, level, &plain)), None, "{format} {shape}");
            }
        }
        // two literals, two blocks; LZ4 has no bound
        if format != Format::Lz4 {
            let packed = pack_default(format, &data("random", 300_000));
            assert_eq!(stored(format, &packed), None, "{format}");
        }
    }
}

#[test]
fn what_is_said_of_damaged_blocks_holds() {
    let shapes = [("random", 1), ("random", 20), ("random", 300), ("text", 100), ("zeros", 300)];
    let packed = |format| shapes.map(|(shape, size)| (format, pack_default(format, &data(shape, size))));
    let mut blocks = FORMATS.map(packed).concat();
    blocks.push((Format::Zstd, streamed(&data("random", 300), false, 17)));
    let mut found = 0;
    for (format, sound) in blocks {
        for len in 0..sound.len() {
            found += usize::from(checked(format, &sound[..len], 1000).is_some());
        }
        for bit in 0..sound.len() * 8 {
            let mut packed = sound.clone();
            packed[bit / 8] ^= 1 << (bit % 8);
            found += usize::from(checked(format, &packed, 1000).is_some());
        }
        let longer = [&sound[..], &[0]].concat();
        found += usize::from(checked(format, &longer, 1000).is_some());
    }
    // flipped bits of the bytes themselves
    assert!(found > 4 * 8 * 300, "{found}");
}

#[test]
fn frames_in_pieces_are_found_unless_they_have_a_checksum() {
    let plain = data("random", 1000);
    assert_eq!(checked(Format::Zstd, &streamed(&plain, false, 20), 1000), Some(&plain[..]));
    assert_eq!(checked(Format::Zstd, &streamed(&plain, false, 10), 1000), Some(&plain[..]));
    assert_eq!(stored(Format::Zstd, &streamed(&plain, true, 20)), None);
    // as large as the window at most
    assert_eq!(stored(Format::Zstd, &streamed(&data("random", 2000), false, 10)), None);
}
