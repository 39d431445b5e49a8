//! Blocks that refer to earlier data.

use pelton_codec::{BitWriter, BlockEncoder, Format, Window, compress_bound};

use super::{Encoders, LEVELS, WINDOWS, data, decode};
use crate::reference::zlib::{Verdict, inflate_after, inflate_in_window};
use crate::support::sample;

const HISTORIES: [usize; 12] = [0, 1, 3, 7, 8, 100, 4095, 4096, 4097, 32_768, 32_769, 40_000];
const LENS: [usize; 5] = [0, 1, 5, 300, 20_000];

/// zlib decodes them with the history as its dictionary, and others after blocks that hold it.
#[test]
fn every_length_of_history() {
    let mut encoders = Encoders::new();
    let mut skips = sample();
    for kind in ["text", "json", "far"] {
        for (turn, history) in HISTORIES.into_iter().enumerate() {
            let whole = data::of(kind, history + LENS[4]);
            for level in LEVELS {
                let window = WINDOWS[(turn + level as usize) % 2];
                encoders.set_window(window);
                for len in LENS {
                    if skips() {
                        continue;
                    }
                    let (before, plain) = whole[..history + len].split_at(history);
                    let at = format!("{kind}, level {level}, {window:?}, {len} bytes after {history}");
                    let packed = encoders.pack_after(before, plain, level);
                    let done = Verdict::Done { consumed: packed.len(), plain: plain.to_vec() };
                    assert!(inflate_after(before, &packed, len) == done, "{at}");
                    let whole = after_stored(before, plain, level, window);
                    assert!(whole.ends_with(&packed), "{at}: stored blocks end at a byte");
                    decode(&[(whole, &[before, plain].concat())], &at);
                }
            }
        }
    }
}

/// A stream that holds the history in stored blocks.
fn after_stored(history: &[u8], input: &[u8], level: i32, window: Window) -> Vec<u8> {
    let mut packed = vec![0; compress_bound(Format::Deflate, history.len() + input.len()) + 10];
    let mut to = BitWriter::new(&mut packed);
    let mut encoder = BlockEncoder::new();
    encoder.set_window(window);
    encoder.deflate_block(history, &[], 0, false, &mut to).unwrap();
    encoder.deflate_block(input, history, level, true, &mut to).unwrap();
    let len = to.finish().unwrap();
    packed.truncate(len);
    packed
}

/// The window reaches into the history, and no farther.
#[test]
fn a_window_over_both() {
    let mut encoders = Encoders::new();
    let mut skips = sample();
    for (window, bits) in WINDOWS.into_iter().zip([15, 12]) {
        encoders.set_window(window);
        for distance in [4000, 4095, 4096, 4097, 32_000, 32_767, 32_768, 32_769] {
            let whole = data::matches(&[20, 300], distance, 45_000);
            let (before, plain) = whole.split_at(40_000);
            for level in LEVELS {
                if skips() {
                    continue;
                }
                let packed = encoders.pack_after(before, plain, level);
                let found = inflate_in_window(bits, before, &packed, plain.len());
                let done = Verdict::Done { consumed: packed.len(), plain: plain.to_vec() };
                assert!(found == done, "distance {distance}, level {level}, window of 2^{bits}");
            }
        }
    }
}

/// Repetitions of the history cost little: it is searched.
#[test]
fn history_is_used() {
    let history = data::of("random", 3000);
    let mut encoders = Encoders::new();
    for level in LEVELS.into_iter().skip(1) {
        assert!(encoders.pack_after(&history, &history, level).len() < 300, "level {level}");
        assert!(encoders.pack(&history, level).len() >= 3000, "level {level}");
    }
}
