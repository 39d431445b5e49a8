use pelton_codec::{BatchInflater, Decoder, Format, Stream};

use super::code::{KINDS, lens};
use super::*;
use crate::reference::zlib::{Container, Verdict, inflate};

/// Returns the share of the code space that a code uses, in codewords of maximum length: 32,768 are
/// all.
fn used(lens: &[u8]) -> u32 {
    lens.iter().filter(|&&len| len > 0).map(|&len| 1 << (15 - len)).sum()
}

#[test]
fn codes_are_what_their_kinds_say() {
    let mut random = Random(1);
    for round in 0..500 {
        for (kind, symbols) in (0..KINDS).flat_map(|kind| [(kind, 286), (kind, 30)]) {
            let lens = lens(kind, symbols, &mut random);
            let what = format!("kind {kind}, round {round}: {lens:?}");
            assert_eq!(lens.len(), symbols);
            match kind {
                0..=4 => assert_eq!(used(&lens), 1 << 15, "{what}"),
                5 => assert_eq!(used(&lens), 1 << 14, "{what}"),
                6 => assert_eq!(used(&lens), 0, "{what}"),
                7 => assert!(used(&lens) >= 1 << 15, "{what}"),
                _ => assert!(used(&lens) < 1 << 15, "{what}"),
            }
            let longest = lens.iter().filter(|&&len| len == 15).count();
            assert!(kind != 3 || longest > symbols / 4, "{what}");
        }
    }
}

#[test]
fn recipes_make_sound_streams_and_unsound_ones() {
    let mut random = Random(2);
    let (mut sound, mut corrupt, mut uncompressed_bytes) = (0, 0, 0);
    for _ in 0..2000 {
        let recipe: Vec<u8> = (0..RECIPE * (1 + random.below(6))).map(|_| random.next() as u8).collect();
        match inflate(Container::Raw, &stream(&recipe), 1 << 20) {
            Verdict::Done { plain: uncompressed, .. } => {
                sound += 1;
                uncompressed_bytes += uncompressed.len();
            }
            Verdict::Corrupt(_) => corrupt += 1,
            _ => {}
        }
    }
    assert!(sound > 300 && corrupt > 300, "{sound} of 2000 are sound, {corrupt} corrupt");
    assert!(uncompressed_bytes / sound > 1000, "{uncompressed_bytes} bytes of {sound} sound streams");
}

#[test]
fn streams_that_always_stop_are_sound_and_leave_their_lanes() {
    for (index, (input, uncompressed)) in stops(20_000).into_iter().enumerate() {
        let capacity = 2 * input.len();
        let alone = Decoder::serial().decompress(Format::Deflate, &input, &mut vec![0; capacity]).unwrap();
        assert_eq!((alone.consumed, alone.produced), (input.len(), uncompressed));
        let mut outputs = vec![vec![0; capacity]; 5];
        let mut streams: Vec<Stream<'_>> =
            outputs.iter_mut().map(|output| Stream::new(Format::Deflate, &input, output)).collect();
        BatchInflater::new().inflate_batch(&mut streams);
        assert!(streams.iter().all(|stream| stream.result == Ok(alone)));
        let stops_always = index == 0;
        assert!(!stops_always || streams.iter().all(|stream| !stream.is_interleaved));
    }
}
