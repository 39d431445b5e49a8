//! Short streams against libdeflate, both ways.

use super::{LONGEST, encode};
use crate::deflate::inflate::fixed::decode;
use crate::deflate::sys::{Compressor, Decompressor};
use crate::{Format, Progress};

/// Inputs of every length up to the longest: text, runs, noise, all bytes.
fn inputs() -> impl Iterator<Item = Vec<u8>> {
    let mut noise = 1_u32;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (noise >> 24) as u8
    })
    .take(LONGEST)
    .collect();
    let text = b"the quick brown fox jumps over the lazy dog; the lazy dog sleeps, and the quick brown fox jumps over it again. ";
    let text: Vec<u8> = text.iter().copied().cycle().take(LONGEST).collect();
    let all: Vec<u8> = (0..LONGEST).map(|i| (2 * i) as u8).collect();
    let runs: Vec<u8> = (0..LONGEST).map(|i| (i / 40) as u8).collect();
    [noise, text, all, runs].into_iter().flat_map(|data| (0..=LONGEST).map(move |len| data[..len].to_vec()))
}

#[test]
fn libdeflate_reads_what_is_written() {
    let mut reader = Decompressor::new().expect("there is memory");
    for plain in inputs() {
        let mut packed = [0; LONGEST + 5];
        let len = encode(&plain, &mut packed).expect("there is room");
        assert!(len <= plain.len() + 5, "no longer than stored");
        for room in 0..len {
            assert!(encode(&plain, &mut packed[..room]).is_none(), "{room} bytes are too few");
        }
        encode(&plain, &mut packed[..len]).expect("exact room suffices");
        let mut found = vec![0; plain.len()];
        let done = reader.decompress(&packed[..len], &mut found).ok().expect("a right stream");
        assert_eq!((done.consumed, done.produced), (len, plain.len()));
        assert_eq!(found, plain);
    }
}

#[test]
fn what_libdeflate_writes_is_read() {
    let mut writer = Compressor::new(1).expect("there is memory");
    let mut fixed = 0;
    for plain in inputs() {
        let mut packed = [0; 2 * LONGEST];
        let len = writer.compress(Format::Deflate, &plain, &mut packed).expect("there is room");
        let mut found = vec![0; plain.len()];
        let Some(done) = decode(&packed, &mut found) else { continue };
        fixed += 1;
        assert_eq!((done.consumed, done.produced), (len, plain.len()));
        assert_eq!(found, plain);
        for cut in 0..len {
            assert_eq!(decode(&packed[..cut], &mut found), None, "{cut} of {len} bytes");
        }
        if let Some(short) = plain.len().checked_sub(1) {
            assert_eq!(decode(&packed, &mut found[..short]), None, "a byte too little room");
        }
        for spare in 1..10 {
            let mut found = vec![0; plain.len() + spare];
            assert_eq!(decode(&packed, &mut found), Some(done), "{spare} bytes more room");
            assert_eq!(found[..plain.len()], plain);
        }
    }
    assert!(fixed > 50, "{fixed} streams with the fixed code");
}

/// What is read from changed streams is what libdeflate reads, if anything.
#[test]
fn changed_streams() {
    let mut reader = Decompressor::new().expect("there is memory");
    for plain in inputs().filter(|plain| plain.len() % 16 == 15) {
        let mut packed = [0; LONGEST + 5];
        let len = encode(&plain, &mut packed).expect("there is room");
        for bit in 0..8 * len {
            let mut changed = packed[..len].to_vec();
            changed[bit / 8] ^= 1 << (bit % 8);
            let (mut ours, mut theirs) = ([0; 600], [0; 600]);
            if let Some(done) = decode(&changed, &mut ours) {
                let right = reader.decompress(&changed, &mut theirs).ok();
                let Progress { consumed, produced } = right.expect("libdeflate reads it too");
                assert_eq!((done.consumed, done.produced), (consumed, produced));
                assert_eq!(ours[..produced], theirs[..produced]);
            }
        }
    }
}
