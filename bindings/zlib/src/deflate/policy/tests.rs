use libz_rs_sys::z_stream;

use super::*;
use crate::deflate::block_encoder::{BLOCK, Blocks};
use crate::deflate::stream::{Settings, Wrap};
use crate::memory;

/// Bytes that look random.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..len).map(|_| next()).collect()
}

/// Lines of two hundred kinds, in any order: most repeat none of the 4 KB before them.
fn lines(len: usize) -> Vec<u8> {
    let words: Vec<u8> = noise(200 * 80).iter().map(|byte| b'a' + byte % 26).collect();
    noise(len)
        .iter()
        .flat_map(|&kind| &words[usize::from(kind) % 200 * 80..][..80])
        .copied()
        .take(len)
        .collect()
}

#[test]
fn a_trial_does_not_depend_on_the_stream_before() {
    let plain = lines(256 << 10);
    let mut coders = Coders::new();
    for asked in FIRST_TRIED..=9 {
        coders.blocks.set_window(Window::FULL);
        let level = Choice::default().level(&mut coders, asked, Window::FULL, &plain);
        coders.blocks.set_window(Window::SMALL);
        assert_eq!(Choice::default().level(&mut coders, asked, Window::FULL, &plain), level, "level {asked}");
    }
}

/// Zeros, which zlib-rs compresses, and then noise, which it takes much longer for.
#[test]
fn what_zlib_rs_has_is_tried_again_when_it_is_other_data() {
    let strm = z_stream { zalloc: Some(memory::malloc), zfree: Some(memory::free), ..z_stream::default() };
    let settings = Settings { level: 6, window_bits: -15, wrap: Wrap::Raw, mem_level: 8, strategy: 0 };
    let mut blocks = Blocks::new(&settings, &strm).expect("a stream");
    let mut push = |plain: &[u8]| {
        let mut done = 0;
        while done < plain.len() {
            done += blocks.gather(&plain[done..]).expect("memory");
            if blocks.is_full() {
                blocks.pack(6, false).expect("memory");
            }
        }
        blocks.choice.chosen
    };
    let of_zeros = push(&vec![0; 8 << 20]);
    let of_noise = push(&noise(2 * LASTS_IF_NEW + 2 * BLOCK));
    let mut coders = Coders::new();
    let alone = Choice::default().level(&mut coders, 6, Window::FULL, &noise(BLOCK));
    assert_eq!(of_noise, Some((alone, 6)), "after {of_zeros:?}");
}
