//! Sound pages of all sorts.

use pelton_device_cuda::Format;

use crate::data::Shape;
use crate::support::{Case, assert_all_right, device, levels, pack};
use pelton_random::Random;

/// Sizes around those at which copies, sliding windows and blocks change their behaviour.
const SIZES: [usize; 22] =
    [0, 1, 2, 3, 4, 5, 7, 8, 15, 31, 32, 33, 63, 64, 65, 127, 255, 300, 1000, 4097, 20_000, 70_000];

#[test]
pub fn every_format_size_and_shape() {
    for shape in Shape::ALL {
        let mut cases = Vec::new();
        let mut plain = Vec::new();
        for format in Format::ALL {
            for len in SIZES {
                let bytes = shape.bytes(len);
                cases.push(Case { format, packed: pack(format, None, &bytes), room: len });
                plain.push(bytes);
            }
        }
        assert_all_right(&cases, &plain);
    }
}

#[test]
pub fn every_level() {
    for format in Format::ALL {
        let mut cases = Vec::new();
        let mut plain = Vec::new();
        for level in levels(format) {
            for (shape, len) in Shape::ALL.into_iter().flat_map(|shape| [(shape, 900), (shape, 9000)]) {
                let bytes = shape.bytes(len);
                cases.push(Case { format, packed: pack(format, level, &bytes), room: len });
                plain.push(bytes);
            }
        }
        assert_all_right(&cases, &plain);
    }
}

#[test]
pub fn a_mebibyte() {
    for format in Format::ALL {
        let plain: Vec<Vec<u8>> =
            [Shape::Text, Shape::Rows, Shape::Zeros, Shape::Noise].map(|shape| shape.bytes(1 << 20)).into();
        let case = |plain: &Vec<u8>| Case { format, packed: pack(format, None, plain), room: plain.len() };
        let cases: Vec<Case> = plain.iter().map(case).collect();
        assert_all_right(&cases, &plain);
    }
}

#[test]
pub fn mixed_batches_keep_their_order() {
    let mut random = Random(5);
    let mut cases = Vec::new();
    let mut plain = Vec::new();
    for _ in 0..300 {
        let format = Format::ALL[random.below(Format::ALL.len())];
        let bytes = Shape::ALL[random.below(Shape::ALL.len())].bytes(random.below(1500));
        cases.push(Case { format, packed: pack(format, None, &bytes), room: bytes.len() });
        plain.push(bytes);
    }
    assert_all_right(&cases, &plain);
    assert_all_right(&[], &[]);
}

#[test]
pub fn bytes_behind_a_block_are_told_and_not_used() {
    /// `CODE_TRAILING_BYTES`.
    const TRAILING_BYTES: u32 = 9;
    let plain = Shape::Text.bytes(3000);
    for format in [Format::Deflate, Format::Zlib, Format::Gzip, Format::Zstd] {
        let packed = pack(format, None, &plain);
        for more in [&[0u8; 9][..], b"x", &[0x1f; 3]] {
            let case = Case { format, packed: [&packed, more].concat(), room: plain.len() };
            let found = device().run(&[case]).remove(0);
            assert_eq!((found.outcome.code, found.outcome.consumed as usize), (TRAILING_BYTES, packed.len()));
            assert!(found.plain == plain);
        }
    }
}

#[test]
pub fn members_and_frames_follow_each_other() {
    let parts = [Shape::Text.bytes(700), vec![], Shape::Runs.bytes(3000), Shape::Noise.bytes(50)];
    let skippable = b"\x57\x2a\x4d\x18\x05\0\0\0skip!".to_vec();
    for format in [Format::Gzip, Format::Zstd] {
        let mut packed: Vec<Vec<u8>> = parts.iter().map(|part| pack(format, None, part)).collect();
        if format == Format::Zstd {
            packed.insert(2, skippable.clone());
            packed.insert(0, skippable.clone());
        }
        let plain = parts.concat();
        assert_all_right(&[Case { format, packed: packed.concat(), room: plain.len() }], &[plain]);
    }
}

/// Fields of a gzip header that encoders rarely write.
#[test]
pub fn gzip_headers_with_all_fields() {
    let plain = Shape::Text.bytes(500);
    let body = pack(Format::Deflate, None, &plain);
    let crc = |bytes: &[u8]| pelton_codec::checksum(pelton_codec::Checksum::Crc32, bytes) as u32;
    let cases = (0..32u8).map(|flags| {
        let mut packed = vec![0x1f, 0x8b, 8, flags, 1, 2, 3, 4, 5, 6];
        if flags & 4 != 0 {
            packed.extend([3, 0, 9, 9, 9]);
        }
        if flags & 8 != 0 {
            packed.extend(b"a name that is longer than thirty-two bytes\0");
        }
        if flags & 16 != 0 {
            packed.push(0);
        }
        if flags & 2 != 0 {
            let check = crc(&packed) as u16;
            packed.extend(check.to_le_bytes());
        }
        packed.extend(&body);
        packed.extend(crc(&plain).to_le_bytes());
        packed.extend((plain.len() as u32).to_le_bytes());
        Case { format: Format::Gzip, packed, room: plain.len() }
    });
    assert_all_right(&cases.collect::<Vec<_>>(), &vec![plain.clone(); 32]);
}

#[test]
pub fn too_little_and_too_much_room() {
    let plain = Shape::Text.bytes(2000);
    for format in Format::ALL {
        let packed = pack(format, None, &plain);
        let rooms = [0, 1, 31, 1000, 1999, 2001, 2100];
        let cases = rooms.map(|room| Case { format, packed: packed.clone(), room });
        for (found, room) in device().run(&cases).into_iter().zip(rooms) {
            // CODE_OUTPUT_TOO_SHORT and CODE_OUTPUT_TOO_LONG
            let expected = if room > plain.len() { 7 } else { 6 };
            assert_eq!(found.outcome.code, expected, "{format:?} in {room}");
            assert!(expected == 6 || found.plain == plain, "{format:?} in {room}");
        }
    }
}
