//! Streams of `Encoder`: its choice of an encoder by level and data, and its containers.

use pelton_codec::{Encoder, Error, Format, Level, compress_bound};

use super::{GUARD, data};
use crate::reference::zlib::{self, Container, Verdict};
use crate::support::{sample, unpack};

const CONTAINERS: [(Format, Container); 3] =
    [(Format::Deflate, Container::Raw), (Format::Zlib, Container::Zlib), (Format::Gzip, Container::Gzip)];

/// Compresses into `room` bytes, behind which nothing may be written.
fn pack(
    encoder: &mut Encoder,
    format: Format,
    level: i32,
    plain: &[u8],
    room: usize,
) -> Result<Vec<u8>, Error> {
    let level = Level::new(format, level).unwrap();
    let mut output = vec![0xAA; room + GUARD];
    let done = encoder.compress(format, level, plain, &mut output[..room]);
    assert!(output[room..].iter().all(|&byte| byte == 0xAA), "{format}: written past the end");
    output.truncate(done?.produced);
    Ok(output)
}

#[test]
fn every_container_level_and_kind() {
    let mut encoder = Encoder::new();
    let mut skips = sample();
    for kind in data::kinds() {
        let plain = data::of(kind, 50_000);
        for (format, container) in CONTAINERS {
            for level in (0..=8).step_by(2).chain([9]) {
                if skips() {
                    continue;
                }
                let at = format!("{format}, {kind}, level {level}");
                let bound = compress_bound(format, plain.len());
                let packed = pack(&mut encoder, format, level, &plain, bound).unwrap();
                let done = Verdict::Done { consumed: packed.len(), plain: plain.clone() };
                assert!(zlib::inflate(container, &packed, plain.len()) == done, "{at}: zlib");
                let back = unpack(format, &packed, plain.len());
                assert!(back == Ok((plain.clone(), packed.len())), "{at}: libdeflate");
                // Too little for the header, the stream and the trailer.
                for room in
                    [0, 1, 5, 10, 18, packed.len() - 9, packed.len() - 8, packed.len() - 4, packed.len() - 1]
                {
                    let error = pack(&mut encoder, format, level, &plain, room).err();
                    assert_eq!(error, Some(Error::OutputTooSmall { format, room }), "{at}");
                }
            }
        }
    }
}
