//! Several calls that make one stream, each into a buffer of its own.

use pelton_codec::{BitWriter, BlockEncoder, Error, Format, PendingBits, Window, compress_bound};

use super::{LEVELS, WINDOWS, data, decode, encoders};
use crate::support::{Random, reduced, sample};

/// One call of several.
struct Part {
    len: usize,
    level: i32,
    window: Window,
    with_history: bool,
}

/// Compresses parts one after the other, each into an allocation that is as long as what is
/// complete of it.
fn join(encoder: &mut BlockEncoder, plain: &[u8], parts: &[Part]) -> Vec<u8> {
    let (mut packed, mut pending, mut at) = (Vec::new(), PendingBits::default(), 0);
    for (number, part) in parts.iter().enumerate() {
        encoder.set_window(part.window);
        let input: Box<[u8]> = plain[at..at + part.len].into();
        let history: Box<[u8]> = if part.with_history { plain[..at].into() } else { [].into() };
        at += part.len;
        let is_last = number + 1 == parts.len();
        let mut run = |room: usize| -> Result<(Box<[u8]>, usize, PendingBits), Error> {
            let mut output: Box<[u8]> = vec![0xAA; room].into();
            let mut to = BitWriter::resume(&mut output, pending);
            encoder.deflate_block(&input, &history, part.level, is_last, &mut to)?;
            let (len, after) = to.pause();
            Ok((output, len, after))
        };
        let (output, len, after) = run(compress_bound(Format::Deflate, part.len) + 1).unwrap();
        // The byte that is not complete has to have room too. None at all is the least there can
        // be.
        let needed = len + usize::from(after != PendingBits::default());
        for room in [0, needed.saturating_sub(2), needed - 1] {
            let error = run(room).map(|_| ()).unwrap_err();
            assert!(matches!(error, Error::OutputTooSmall { .. }), "{room} bytes of {needed}: {error}");
        }
        let (exact, exact_len, exact_after) = run(needed).unwrap();
        assert!(exact[..len] == output[..len] && (exact_len, exact_after) == (len, after));
        packed.extend_from_slice(&output[..len]);
        pending = after;
    }
    let mut end = [0; 1];
    let len = BitWriter::resume(&mut end, pending).finish().unwrap();
    packed.extend_from_slice(&end[..len]);
    packed
}

fn check(plain: &[u8], parts: &[Part], at: &str) {
    let mut all = encoders().map(|(steps, mut encoder)| (steps, join(&mut encoder, plain, parts)));
    let (_, packed) = all.next().expect("portable steps run everywhere");
    for (steps, other) in all {
        assert!(packed == other, "{at}: {steps:?} gives other bytes");
    }
    decode(&[(packed, plain)], at);
}

/// Parts of one level and window each.
#[test]
fn every_level() {
    let mut skips = sample();
    for kind in data::kinds() {
        let plain = data::of(kind, 9000);
        for level in LEVELS {
            for with_history in [false, true] {
                if skips() {
                    continue;
                }
                let lens = [0, 1, 0, 0, 2, 100, 0, 3897, 5000, 0];
                let window = WINDOWS[level as usize % 2];
                let parts = lens.map(|len| Part { len, level, window, with_history });
                check(&plain, &parts, &format!("{kind}, level {level}, history {with_history}"));
            }
        }
    }
}

/// Parts that have nothing in common.
#[test]
fn mixed_parts() {
    let mut random = Random(11);
    for round in 0..reduced(200) {
        let mut part = || Part {
            len: data::size(&mut random, 15),
            level: random.below(10) as i32,
            window: WINDOWS[random.below(2)],
            with_history: random.below(2) == 0,
        };
        let parts: Vec<Part> = (0..1 + round % 8).map(|_| part()).collect();
        let kind = data::kinds().nth(round % data::kinds().count()).unwrap();
        let plain = data::of(kind, parts.iter().map(|part| part.len).sum());
        check(&plain, &parts, &format!("{kind}, round {round}"));
    }
}

/// Blocks of nothing end in every bit of a byte, and the one that is stored starts there.
#[test]
fn every_bit_of_a_byte() {
    for blocks in 0..20 {
        for level in [0, 6] {
            for plain in [data::of("random", 1000), data::of("text", 1000), vec![]] {
                let nothing = |_| Part { len: 0, level: 6, window: Window::FULL, with_history: true };
                let last = Part { len: plain.len(), level, window: Window::FULL, with_history: true };
                let parts: Vec<Part> = (0..blocks).map(nothing).chain([last]).collect();
                check(&plain, &parts, &format!("after {blocks} blocks of nothing, level {level}"));
            }
        }
    }
}
