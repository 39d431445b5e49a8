//! Streams in pieces: every call as zlib's.

use pelton_codec::StreamStop;

use crate::reference::pieces::{End, Piece, agree};
use crate::reference::zlib::{Container, deflate};
use crate::support::{Random, SHAPES, data, reduced, sample};

const STOPS: [StreamStop; 3] = [StreamStop::Never, StreamStop::Blocks, StreamStop::Headers];

/// Raw streams of every kind of block, and what they hold.
fn streams(len: usize) -> impl Iterator<Item = (String, Vec<u8>, Vec<u8>)> {
    SHAPES.into_iter().flat_map(move |shape| {
        let plain = data(shape, len);
        [(0, 0), (1, 0), (6, 0), (9, 2), (6, 3), (6, 4)].into_iter().map(move |(level, strategy)| {
            let packed = deflate(Container::Raw, level, strategy, &plain);
            (format!("{shape}, {len} bytes at {level}, strategy {strategy}"), packed, plain.clone())
        })
    })
}

/// What is put into the middle of streams that have no use for it.
const DICTIONARY: &[u8] = b"what nobody has written, or everybody";

/// Bits to put before the input, rarely.
fn primed(random: &mut Random) -> (u32, u32) {
    if random.below(10) == 0 { (random.below(18) as u32, random.next() as u32) } else { (0, 0) }
}

/// The same piece again and again.
fn steady(more: usize, room: usize) -> impl FnMut() -> Piece {
    move || Piece { more, room, stop: StreamStop::Never, primed: (0, 0), dictionary: b"" }
}

#[test]
fn pieces_of_every_size() {
    let mut skips = sample();
    for len in [0, 1, 300, 5000, 200_000] {
        for (name, packed, plain) in streams(len) {
            let sizes = [(1 << 20, 1 << 20), (4096, 4096), (512, 8192), (1 << 16, 100_000), (1000, 70_000)];
            let small = [(1, 1), (1, 10_000), (10_000, 1), (7, 300), (0, 100)];
            for (more, room) in sizes.into_iter().chain(small.into_iter().filter(|_| len <= 5000)) {
                if skips() {
                    continue;
                }
                let end = agree(15, &packed, len, steady(more, room));
                let whole = End::Ended { consumed: packed.len(), plain: plain.clone() };
                let expected = if more == 0 { End::Unfinished } else { whole };
                assert!(end == expected, "{name}, by {more} and {room}");
            }
        }
    }
}

#[test]
fn pieces_at_random() {
    let mut random = Random(3);
    let mut skips = sample();
    for (name, packed, plain) in (0..reduced(3)).flat_map(|_| streams(reduced(150_000).max(20_000))) {
        for round in 0..4 {
            if skips() {
                continue;
            }
            let (most_more, most_room) = [(100, 5000), (20_000, 100_000), (5, 600), (200_000, 40)][round];
            let end = agree(15, &packed, plain.len(), || Piece {
                more: random.below(most_more),
                room: random.below(most_room),
                stop: STOPS[random.below(9).min(2)],
                primed: (0, 0),
                dictionary: b"",
            });
            assert!(end == End::Ended { consumed: packed.len(), plain: plain.clone() }, "{name}");
        }
    }
}

/// What is behind a smaller window is too far back, unless the same call has written it.
#[test]
fn every_window() {
    let mut random = Random(5);
    let mut skips = sample();
    for (_, packed, plain) in streams(40_000) {
        for bits in 8..15 {
            for most in [100, 3000, 50_000] {
                if skips() {
                    continue;
                }
                let piece = || Piece {
                    more: random.below(most),
                    room: random.below(most),
                    stop: StreamStop::Never,
                    primed: (0, 0),
                    dictionary: b"",
                };
                agree(bits, &packed, plain.len(), piece);
            }
        }
    }
}

#[test]
fn damage() {
    let mut random = Random(7);
    let mut found = 0;
    for len in [300, 20_000] {
        for (_, packed, plain) in streams(len) {
            for round in 0..reduced(60) {
                let mut bad = packed.clone();
                // Headers are where most can be wrong.
                let reach = if round % 2 == 0 { bad.len().min(60) } else { bad.len() };
                bad[random.below(reach)] ^= 1 << random.below(8);
                let most = [10, 1000, 100_000][round % 3];
                let end = agree(15, &bad, 2 * plain.len(), || Piece {
                    more: random.below(most),
                    room: random.below(most),
                    stop: STOPS[random.below(9).min(2)],
                    primed: primed(&mut random),
                    dictionary: if random.below(15) == 0 { DICTIONARY } else { b"" },
                });
                found += usize::from(end == End::Damaged);
            }
        }
    }
    assert!(found > reduced(500), "{found} damaged");
}
