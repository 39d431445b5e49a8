//! Short streams against libdeflate, both ways.

use super::{MAX_INPUT, encode};
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
    .take(MAX_INPUT)
    .collect();
    let text = b"the greedy brown fox jumps over the lazy dog; the lazy dog sleeps, and the greedy brown fox jumps over it again. ";
    let text: Vec<u8> = text.iter().copied().cycle().take(MAX_INPUT).collect();
    let all: Vec<u8> = (0..MAX_INPUT).map(|i| (2 * i) as u8).collect();
    let runs: Vec<u8> = (0..MAX_INPUT).map(|i| (i / 40) as u8).collect();
    [noise, text, all, runs].into_iter().flat_map(|data| (0..=MAX_INPUT).map(move |len| data[..len].to_vec()))
}

#[test]
fn libdeflate_reads_what_is_written() {
    let mut reader = Decompressor::new().expect("there is memory");
    for uncompressed in inputs() {
        let mut compressed = [0; MAX_INPUT + 5];
        let len = encode(&uncompressed, &mut compressed).expect("there is room");
        assert!(len <= uncompressed.len() + 5, "no longer than stored");
        for room in 0..len {
            assert!(encode(&uncompressed, &mut compressed[..room]).is_none(), "{room} bytes are too few");
        }
        encode(&uncompressed, &mut compressed[..len]).expect("exact room suffices");
        let mut found = vec![0; uncompressed.len()];
        let done = reader.decompress(&compressed[..len], &mut found).ok().expect("a right stream");
        assert_eq!((done.consumed, done.produced), (len, uncompressed.len()));
        assert_eq!(found, uncompressed);
    }
}

#[test]
fn what_libdeflate_writes_is_read() {
    let mut writer = Compressor::new(1).expect("there is memory");
    let mut fixed = 0;
    for uncompressed in inputs() {
        let mut compressed = [0; 2 * MAX_INPUT];
        let len = writer.compress(Format::Deflate, &uncompressed, &mut compressed).expect("there is room");
        let mut found = vec![0; uncompressed.len()];
        let Some(done) = decode(&compressed, &mut found) else { continue };
        fixed += 1;
        assert_eq!((done.consumed, done.produced), (len, uncompressed.len()));
        assert_eq!(found, uncompressed);
        for cut in 0..len {
            assert_eq!(decode(&compressed[..cut], &mut found), None, "{cut} of {len} bytes");
        }
        if let Some(short) = uncompressed.len().checked_sub(1) {
            assert_eq!(decode(&compressed, &mut found[..short]), None, "a byte too little room");
        }
        for spare in 1..10 {
            let mut found = vec![0; uncompressed.len() + spare];
            assert_eq!(decode(&compressed, &mut found), Some(done), "{spare} bytes more room");
            assert_eq!(found[..uncompressed.len()], uncompressed);
        }
    }
    assert!(fixed > 50, "{fixed} streams with the fixed code");
}

/// Damaged streams are decoded as by libdeflate, or not at all.
#[test]
fn changed_streams() {
    let mut reader = Decompressor::new().expect("there is memory");
    for uncompressed in inputs().filter(|uncompressed| uncompressed.len() % 16 == 15) {
        let mut compressed = [0; MAX_INPUT + 5];
        let len = encode(&uncompressed, &mut compressed).expect("there is room");
        for bit in 0..8 * len {
            let mut changed = compressed[..len].to_vec();
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
