//! Data of several shapes, and the two calls with buffers made for them.

use pelton_codec::{Decoder, Encoder, Error, Format, Level, compress_bound};
pub use pelton_random::{Random, reduced, sample};
use zstd_safe::{CCtx, CParameter, InBuffer, OutBuffer};

/// A small text, and the output of other implementations for it (tests/data/make.py).
pub const PLAIN: &[u8] = include_bytes!("../data/plain.txt");

pub const SHAPES: [&str; 5] = ["zeros", "random", "text", "repeated", "skewed"];

/// `len` bytes of a shape.
pub fn data(shape: &str, len: usize) -> Vec<u8> {
    let mut random = Random(len as u64);
    match shape {
        "zeros" => vec![0; len],
        "random" => (0..len).map(|_| random.next() as u8).collect(),
        "text" => text(&mut random, len),
        // Longer than Snappy's and LZ4's blocks can hold apart, shorter than DEFLATE's window.
        "repeated" => (0..len).map(|i| (i % 1021 * 37 / 8) as u8).collect(),
        // Most bytes are small: what bit-packed levels and narrow integers look like.
        "skewed" => (0..len).map(|_| (random.next().trailing_zeros() * 3) as u8).collect(),
        other => panic!("no shape {other}"),
    }
}

/// Words of a text in a random order, early ones more often.
fn text(random: &mut Random, len: usize) -> Vec<u8> {
    let words: Vec<&[u8]> = PLAIN.split_inclusive(|&byte| byte == b' ').collect();
    let mut text = Vec::with_capacity(len + 16);
    while text.len() < len {
        let end = 1 + random.below(words.len());
        text.extend_from_slice(words[random.below(end)]);
    }
    text.truncate(len);
    text
}

pub fn pack(format: Format, level: Level, plain: &[u8]) -> Vec<u8> {
    let mut packed = vec![0; compress_bound(format, plain.len())];
    let done = Encoder::new().compress(format, level, plain, &mut packed).unwrap();
    assert_eq!(done.consumed, plain.len());
    packed.truncate(done.produced);
    packed
}

pub fn pack_default(format: Format, plain: &[u8]) -> Vec<u8> {
    pack(format, format.default_level(), plain)
}

/// The plain bytes and how much of the input they took, with room for `room` bytes.
pub fn unpack(format: Format, packed: &[u8], room: usize) -> Result<(Vec<u8>, usize), Error> {
    let mut plain = vec![0xAA; room];
    let done = Decoder::new().decompress(format, packed, &mut plain)?;
    assert!(done.consumed <= packed.len() && done.produced <= room, "{format}: {done:?}");
    plain.truncate(done.produced);
    Ok((plain, done.consumed))
}

/// Every level of a format, or its only one.
pub fn levels(format: Format) -> Vec<Level> {
    match format.levels() {
        None => vec![format.default_level()],
        Some(range) => range.map(|n| Level::new(format, n).unwrap()).collect(),
    }
}

/// A frame of Zstandard as it is written piece by piece, without the size of its content.
pub fn streamed(plain: &[u8], with_checksum: bool, window_log: u32) -> Vec<u8> {
    let mut context = CCtx::create();
    context.set_parameter(CParameter::ChecksumFlag(with_checksum)).unwrap();
    context.set_parameter(CParameter::WindowLog(window_log)).unwrap();
    let mut packed = vec![0; zstd_safe::compress_bound(plain.len()) + 100];
    let mut out = OutBuffer::around(packed.as_mut_slice());
    context.compress_stream(&mut out, &mut InBuffer::around(plain)).unwrap();
    assert_eq!(context.end_stream(&mut out), Ok(0));
    let len = out.pos();
    packed.truncate(len);
    packed
}
