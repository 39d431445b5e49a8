//! Elements that no compressor makes, against `snap`.

use pelton_random::{Random, reduced};

use super::*;
use crate::{BatchInflater, Stream};

/// Returns the output of `snap` for a block.
fn expected(block: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut plain = vec![0; size];
    let produced = snap::raw::Decoder::new().decompress(block, &mut plain).ok()?;
    plain.truncate(produced);
    Some(plain)
}

fn found(block: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut plain = vec![0; size];
    decode(block, &mut plain).map(|produced| plain[..produced].to_vec())
}

fn block(size: usize, elements: &[u8]) -> Vec<u8> {
    let mut block = Vec::new();
    let mut left = size;
    while left >= 0x80 {
        block.push(left as u8 | 0x80);
        left >>= 7;
    }
    block.push(left as u8);
    block.extend_from_slice(elements);
    block
}

/// Literals of any length, as short as their length can be told.
fn literal(bytes: &[u8]) -> Vec<u8> {
    let less = bytes.len() - 1;
    let extra = if less < 60 { 0 } else { (less.ilog2() / 8 + 1) as usize };
    let tag = if less < 60 { less } else { 59 + extra };
    [&[(tag << 2) as u8][..], &less.to_le_bytes()[..extra], bytes].concat()
}

/// Every kind of copy that can have such a length and offset.
fn copies(len: usize, offset: usize) -> Vec<Vec<u8>> {
    let mut copies = vec![[&[((len - 1) << 2) as u8 | 3][..], &(offset as u32).to_le_bytes()].concat()];
    if offset < 1 << 16 {
        copies.push([&[((len - 1) << 2) as u8 | 2][..], &(offset as u16).to_le_bytes()].concat());
    }
    if (4..12).contains(&len) && offset < 1 << 11 {
        copies.push(vec![(offset >> 8 << 5) as u8 | ((len - 4) << 2) as u8 | 1, offset as u8]);
    }
    copies
}

#[test]
fn every_length_and_offset() {
    let first: Vec<u8> = (0..80_u8).collect();
    for len in 1..=64 {
        for offset in 0..=82 {
            for copy in copies(len, offset) {
                // Within the buffers and at their ends.
                for behind in [0, 1, 15, 70, 200] {
                    let mut elements = [literal(&first), copy.clone()].concat();
                    if behind > 0 {
                        elements.extend(literal(&vec![7; behind]));
                    }
                    for wrong in [0, 1] {
                        let size = first.len() + len + behind + wrong;
                        let block = block(size, &elements);
                        assert_eq!(found(&block, size), expected(&block, size), "{len} {offset} {behind}");
                    }
                }
            }
        }
    }
}

#[test]
fn literals_of_any_length() {
    for len in (1..200).chain([255, 256, 257, 65_535, 65_536, 65_537, 70_000]) {
        let bytes: Vec<u8> = (0..len).map(|i| (i * 7 % 251) as u8).collect();
        let twice = [literal(&bytes), literal(&bytes)].concat();
        let block = block(2 * len, &twice);
        assert_eq!(found(&block, 2 * len), Some([&bytes[..], &bytes].concat()), "{len}");
        for cut in 1..block.len().min(100) {
            let block = &block[..block.len() - cut];
            assert_eq!((found(block, 2 * len), expected(block, 2 * len)), (None, None), "{len} less {cut}");
        }
    }
}

#[test]
fn any_bytes_are_what_snap_says() {
    let mut sequence = Random::new(1);
    let mut random = || sequence.next();
    let mut sound = 0;
    let cases = reduced(20_000);
    for _ in 0..cases {
        let plain: Vec<u8> = (0..random() % 600).map(|i| (i * (random() % 3)) as u8 & 15).collect();
        let mut block = snap::raw::Encoder::new().compress_vec(&plain).expect("it is short");
        for _ in 0..random() % 3 {
            let at = random() as usize % block.len();
            block[at] = random() as u8;
        }
        let room = plain.len() + random() as usize % 3;
        let expected = expected(&block, room);
        sound += usize::from(expected.is_some());
        assert_eq!(found(&block, room), expected, "{block:?}");
    }
    assert!((cases / 4..cases * 9 / 10).contains(&sound), "{sound} of {cases}");
}

#[test]
fn sizes_in_front() {
    assert_eq!(header(&[0x80, 0x80, 0x80, 0x80, 0x10]), None);
    assert_eq!(header(&[0xff, 0xff, 0xff, 0xff, 0x0f]), Some((u32::MAX as usize, 5)));
    assert_eq!(header(&[0x80]), None);
    assert_eq!(found(&[0], 0), Some(Vec::new()));
    assert_eq!(found(&[], 0), None);
}

/// Numbers that share their upper bytes, which make short literals and copies in turns.
fn numbers(len: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 40
    };
    let mut bytes: Vec<u8> = (0..len / 8 + 1).flat_map(|_| (next() % 60_000).to_le_bytes()).collect();
    bytes.truncate(len);
    bytes
}

/// Blocks that gain, in every number and place, some of them damaged: each has the result of
/// `snap`, and the sound ones are interleaved if there are enough.
#[test]
fn blocks_side_by_side() {
    let mut is_interleaved = 0;
    for count in 0..14 {
        for damaged in 0..=count {
            let plain: Vec<_> =
                (0..count).map(|i| numbers(3_000 + 1_117 * (i * 5 % 7), i as u64 + 7)).collect();
            let mut blocks: Vec<Vec<u8>> = Vec::new();
            for plain in &plain {
                blocks.push(snap::raw::Encoder::new().compress_vec(plain).expect("it is short"));
            }
            if let Some(block) = blocks.get_mut(damaged) {
                let at = block.len() * (1 + damaged % 3) / 4;
                match count % 3 {
                    0 => block[at] ^= 0xff,
                    1 => block.truncate(at),
                    _ => block[at..at + 3].fill(0xfe),
                }
            }
            let mut outputs: Vec<_> = plain.iter().map(|plain| vec![0; plain.len() + count % 2]).collect();
            let mut streams: Vec<_> = blocks
                .iter()
                .zip(&mut outputs)
                .map(|(block, output)| Stream::new(FORMAT, block, output))
                .collect();
            let does_gain: Vec<_> =
                streams.iter().map(|stream| gains(FORMAT, stream.input.len(), stream.output.len())).collect();
            assert!((0..count).all(|i| does_gain[i] || i == damaged));
            let are_enough = does_gain.iter().filter(|&&does_gain| does_gain).count() >= 3;
            let mut inflater = BatchInflater::new();
            inflater.inflate_batch(&mut streams);
            let results: Vec<_> =
                streams.into_iter().map(|stream| (stream.result, stream.is_interleaved)).collect();
            for (i, ((result, was_beside), output)) in results.into_iter().zip(&outputs).enumerate() {
                let context = format!("block {i} of {count}, {damaged} damaged");
                let mut alone = vec![0; output.len()];
                assert_eq!(result, decompress(&blocks[i], &mut alone), "{context}");
                assert_eq!(was_beside, are_enough && does_gain[i] && result.is_ok(), "{context}");
                is_interleaved += usize::from(was_beside);
                if let Ok(progress) = result {
                    assert_eq!(output[..progress.produced], alone[..progress.produced], "{context}");
                    assert!(i == damaged || output[..plain[i].len()] == plain[i], "{context}");
                }
            }
        }
    }
    assert!(is_interleaved > 500, "{is_interleaved}");
}

#[test]
fn what_gains() {
    assert!(gains(FORMAT, 50_000, 100_000) && gains(FORMAT, 90_000, 100_000));
    // Literals, runs, and small blocks; other formats.
    assert!(!gains(FORMAT, 99_000, 100_000) && !gains(FORMAT, 10_000, 100_000));
    assert!(!gains(FORMAT, 500, 1_000) && !gains(Format::Lz4, 50_000, 100_000));
}
