//! Damaged pages: the same verdict as `pelton-codec`'s, and no access outside of them.

use pelton_device_cuda::Format;

use crate::data::Shape;
use crate::support::{Case, Device, device, expected, levels, pack};
use pelton_random::Random;

/// `CODE_UNSUPPORTED`.
const UNSUPPORTED: u32 = 10;

/// `CODE_TRAILING_BYTES`.
const TRAILING_BYTES: u32 = 9;

/// `CODE_BAD_TABLE` and `CODE_BAD_SYMBOL`.
const RESERVED: [u32; 2] = [4, 3];

/// Compares verdicts, and bytes where there are some.
pub fn agree(cases: &[Case]) {
    agree_on(device(), cases);
}

pub fn agree_on(device: &Device, cases: &[Case]) {
    for (found, case) in device.run(cases).into_iter().zip(cases) {
        match (found.is_sound(), expected(case)) {
            (true, Ok((plain, consumed))) => {
                assert!(found.plain == plain, "{case:?}: other bytes");
                assert_eq!(found.outcome.consumed as usize, consumed, "{case:?}");
            }
            (false, Err(_)) => {}
            // The codec leaves bytes behind the end to its caller.
            (false, Ok((_, consumed)))
                if found.outcome.code == TRAILING_BYTES && consumed < case.packed.len() => {}
            // Left to the CPU to judge (kernels/decompress/zstd.cuh).
            (false, Ok(_)) if case.format == Format::Zstd && found.outcome.code == UNSUPPORTED => {}
            // With a checksum behind the stream, the codec takes codes that DEFLATE reserves.
            (false, Ok(_))
                if matches!(case.format, Format::Gzip | Format::Zlib)
                    && RESERVED.contains(&found.outcome.code) => {}
            (true, Err(error)) => panic!("accepted, though {error}: {case:?}"),
            (false, Ok(_)) => panic!("refused with {:?}: {case:?}", found.outcome),
        }
    }
}

fn small_pages(format: Format) -> Vec<(Vec<u8>, usize)> {
    let all = levels(format);
    let few = [all.first(), all.get(all.len() / 2), all.last()];
    let shapes =
        [(Shape::Text, 300), (Shape::Skewed, 400), (Shape::Zeros, 300), (Shape::Rows, 200), (Shape::Runs, 1)];
    let pages = shapes.into_iter().flat_map(|(shape, len)| {
        few.into_iter().flatten().map(move |level| (pack(format, *level, &shape.bytes(len)), len))
    });
    pages.collect()
}

#[test]
pub fn every_flipped_bit() {
    for format in Format::ALL {
        for (sound, len) in small_pages(format) {
            let flip = |bit: usize| {
                let mut packed = sound.clone();
                packed[bit / 8] ^= 1 << (bit % 8);
                Case { format, packed, room: len + 50 }
            };
            agree(&(0..sound.len() * 8).map(flip).collect::<Vec<_>>());
        }
    }
}

#[test]
pub fn every_changed_byte() {
    for format in Format::ALL {
        let mut random = Random(3);
        for (sound, len) in small_pages(format) {
            let change = |at: usize| {
                let mut packed = sound.clone();
                packed[at] = random.next() as u8;
                Case { format, packed, room: len }
            };
            agree(&(0..sound.len()).map(change).collect::<Vec<_>>());
        }
    }
}

#[test]
pub fn every_truncation() {
    for format in Format::ALL {
        for (sound, len) in small_pages(format) {
            let cut = |end: usize| Case { format, packed: sound[..end].to_vec(), room: len };
            agree(&(0..sound.len()).map(cut).collect::<Vec<_>>());
        }
    }
}

#[test]
pub fn random_bytes() {
    let mut random = Random(11);
    for format in Format::ALL {
        let cases: Vec<Case> = (0..3000)
            .map(|_| {
                let mut packed: Vec<u8> = (0..random.below(100)).map(|_| random.next() as u8).collect();
                // a sound start, as otherwise most would fail at the first bytes
                let head: &[u8] = match format {
                    Format::Zstd => b"\x28\xb5\x2f\xfd\x20",
                    Format::Gzip => b"\x1f\x8b\x08\0\0\0\0\0\0\0",
                    Format::Zlib => b"\x78\x9c",
                    _ => b"",
                };
                packed.splice(..0, head.iter().copied());
                Case { format, packed, room: 500 }
            })
            .collect();
        agree(&cases);
    }
}

/// Larger pages, with damage deep inside of tables, streams and blocks.
#[test]
pub fn damage_anywhere() {
    for format in Format::ALL {
        let mut random = Random(17);
        for (shape, len) in
            [(Shape::Text, 20_000), (Shape::Rows, 9000), (Shape::Far, 5000), (Shape::Skewed, 4000)]
        {
            let sound = pack(format, None, &shape.bytes(len));
            let cases: Vec<Case> = (0..60)
                .map(|_| {
                    let mut packed = sound.clone();
                    for _ in 0..1 + random.below(3) {
                        let at = random.below(packed.len());
                        packed[at] ^= 1 << random.below(8);
                    }
                    Case { format, packed, room: len }
                })
                .collect();
            agree(&cases);
        }
    }
}
