//! The sequential parser against the C zlib's sizes, on data that repeats over long distances.

use pelton_codec::BlockEncoder;

use super::{Encoders, data, decode};
use crate::reference::zlib::{self, Container};

/// Levels of zlib, with the hundredths by which our output may exceed zlib's.
const ALLOWED: [(i32, usize); 3] = [(1, 5), (6, 2), (9, 2)];

/// Inputs that repeat bytes of this length, with zeros before them, up to `LEN`.
const REPEATED: [(usize, usize); 5] = [(0, 30_000), (0, 1_000), (0, 16), (500, 20), (3, 5)];
const LEN: usize = 2 << 20;

#[test]
fn long_repetitions_have_zlibs_sizes() {
    let mut encoders = Encoders::new();
    for (zeros, len) in REPEATED {
        let repeated = [vec![0; zeros], data::of("random", len)].concat();
        let plain: Vec<u8> = repeated.iter().copied().cycle().take(LEN).collect();
        for (level, allowed) in ALLOWED {
            let packed = encoders.pack(&plain, BlockEncoder::SEQUENTIAL + level);
            let theirs = zlib::deflate(Container::Raw, level, 0, &plain).len();
            let at = format!("{zeros} zeros and {len} bytes at level {level}");
            assert!(
                packed.len() * 100 <= theirs * (100 + allowed),
                "{at}: {} bytes, zlib makes {theirs}",
                packed.len()
            );
            decode(&[(packed, &plain)], &at);
        }
    }
}

/// Runs of zeros are matches at distance 1, though the last zeros before are farther and shorter.
#[test]
fn runs_between_noise_have_zlibs_size() {
    let mut encoders = Encoders::new();
    let noise = data::of("random", LEN / 26);
    let plain: Vec<u8> = noise.chunks(20).flat_map(|bytes| [&[0; 500], bytes].concat()).collect();
    for (level, allowed) in ALLOWED {
        let packed = encoders.pack(&plain, BlockEncoder::SEQUENTIAL + level);
        let theirs = zlib::deflate(Container::Raw, level, 0, &plain).len();
        let len = packed.len();
        assert!(len * 100 <= theirs * (100 + allowed), "level {level}: {len} bytes, zlib makes {theirs}");
        decode(&[(packed, &plain)], &format!("runs at level {level}"));
    }
}

/// A parse that breaks off long matches, or misses those at the end of a chunk or of the window,
/// makes text larger than zlib.
#[test]
fn text_has_about_zlibs_size() {
    let mut encoders = Encoders::new();
    // A few words in any order, which repeat at more positions than are searched, and others.
    for (name, allowed) in [("text", 7), ("json", 3), ("far", 3)] {
        let plain = data::of(name, 300_000);
        for level in 4..=9 {
            let packed = encoders.pack(&plain, BlockEncoder::SEQUENTIAL + level);
            let theirs = zlib::deflate(Container::Raw, level, 0, &plain).len();
            assert!(
                packed.len() * 100 <= theirs * (100 + allowed),
                "{name} at level {level}: {} bytes, zlib makes {theirs}",
                packed.len()
            );
            decode(&[(packed, &plain)], &format!("{name} at level {level}"));
        }
    }
}
