//! Reuse of an encoder: its output is that of a new one, also after a failure.

use pelton_codec::{BlockEncoder, Error, Format, compress_bound};

use super::{WINDOWS, data, encoders, stream};
use crate::support::{Random, reduced};

#[test]
fn nothing_is_remembered() {
    let mut random = Random(9);
    let kinds: Vec<&str> = data::kinds().collect();
    for (steps, mut used) in encoders() {
        for round in 0..reduced(150) {
            let len = data::size(&mut random, 17);
            let history = data::size(&mut random, 16);
            let whole = data::of(kinds[round % kinds.len()], history + len);
            let (history, plain) = whole.split_at(history);
            let (level, window) = (random.below(10) as i32, WINDOWS[random.below(2)]);
            let mut fresh = BlockEncoder::with_isa_level(steps);
            fresh.set_window(window);
            used.set_window(window);
            let bound = compress_bound(Format::Deflate, len);
            let expected = stream(&mut fresh, history, plain, level, bound, 0).unwrap();
            if round % 3 == 0 {
                let room = random.below(expected.len());
                let error = Error::OutputTooSmall { format: Format::Deflate, room };
                assert_eq!(stream(&mut used, history, plain, level, room, 0), Err(error));
            }
            let found = stream(&mut used, history, plain, level, bound, 0).unwrap();
            assert!(found == expected, "round {round}: level {level}, {len} bytes, {window:?}");
        }
    }
}

/// Short inputs with the same data as the ones before, more than the inputs between two clearings
/// of the tables.
#[test]
fn what_was_noted_before_is_not_found() {
    let plain = data::of("json", 70_000);
    for (steps, mut used) in encoders() {
        for (round, len) in [4096, 65_536, 1, 16_384, 49_152, 49_153, 3, 40_000, 70_000, 512]
            .iter()
            .cycle()
            .take(reduced(200).max(10))
            .enumerate()
        {
            let (level, history) = (1 + (round / 10 % 5) as i32, [0, 0, 1000][round % 3].min(70_000 - len));
            let (history, plain) = plain[..history + len].split_at(history);
            let bound = compress_bound(Format::Deflate, *len);
            let expected =
                stream(&mut BlockEncoder::with_isa_level(steps), history, plain, level, bound, 0).unwrap();
            let found = stream(&mut used, history, plain, level, bound, 0).unwrap();
            assert!(found == expected, "{steps:?}, round {round}: level {level}, {len} bytes");
        }
    }
}
