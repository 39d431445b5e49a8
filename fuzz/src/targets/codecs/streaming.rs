//! Raw streams in pieces, by ours and by the C zlib call by call.
//!
//! An input's first [`HEAD`] bytes say how large the window is and how the pieces are chosen. The
//! rest is a stream or a recipe for one (`craft/`).

use pelton_codec::StreamStop;

use super::deflate;
use pelton_random::Random;

use crate::craft;
use crate::reference::pieces::{Piece, agree};

/// The window, the stops, whether the rest is a recipe, and whether bits are put before pieces; the
/// sizes of pieces; and a seed for them.
const HEAD: usize = 4;
/// Output after which a stream is left.
const MAX: usize = 1 << 20;

/// Returns streams of compressors and crafted ones, in pieces of all sizes.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut random = Random(9);
    let mut head = |options: u8| [options, random.next() as u8, random.next() as u8, 0];
    let mut seeds = Vec::new();
    for (at, stream) in deflate::raw_seeds().iter().enumerate() {
        seeds.push([&head(at as u8 & 0x3f)[..], stream].concat());
    }
    let stops = craft::stops(3000).into_iter();
    seeds.extend(stops.map(|(stream, _)| [&head(0)[..], &stream].concat()));
    for round in 0..100_u64 {
        let recipe =
            (0..(1 + round % 12) * craft::RECIPE as u64).map(|at| Random(round << 32 | at).next() as u8);
        let recipe: Vec<u8> = recipe.collect();
        seeds.push([&head(0x40 | (round as u8 & 1) << 7)[..], &recipe].concat());
    }
    seeds
}

/// Decodes the stream that `input` describes in its pieces.
pub fn run(input: &[u8]) {
    let (head, rest) = input.split_at(input.len().min(HEAD));
    let field = |at: usize| head.get(at).copied().unwrap_or_default();
    let stream = if field(0) & 0x40 == 0 { rest.to_vec() } else { craft::stream(rest) };
    let bits = 15 - (field(0) & 7).min(7);
    let stops = match field(0) >> 3 & 7 {
        0..6 => [StreamStop::Never; 2],
        6 => [StreamStop::Blocks; 2],
        _ => [StreamStop::Never, StreamStop::Headers],
    };
    // From bytes to everything at once.
    let [max_more, max_room] = [field(1) & 15, field(1) >> 4].map(|bits| 2_usize << bits);
    let primes = field(0) & 0x80 != 0;
    let mut random = Random(u64::from(field(2)) << 8 | u64::from(field(3)));
    agree(bits, &stream, MAX, || Piece {
        more: random.next() as usize % max_more,
        room: random.next() as usize % (4 * max_room),
        stop: stops[(random.next() & 1) as usize],
        primed: if primes && random.next().is_multiple_of(8) {
            (random.next() as u32 % 18, random.next() as u32)
        } else {
            (0, 0)
        },
        dictionary: if primes && random.next().is_multiple_of(16) { b"some bytes, or others" } else { b"" },
    });
}
