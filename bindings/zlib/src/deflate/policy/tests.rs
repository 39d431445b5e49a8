use libz_rs_sys::z_stream;

use super::*;
use crate::deflate::block_encoder::BlockStream;
use crate::deflate::stream::Parameters;
use crate::deflate::wrap::Wrap;
use crate::memory;

/// Returns bytes that look random.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..len).map(|_| next()).collect()
}

/// Returns lines of two hundred kinds in any order: most repeat none of the 4 KB before them.
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
    let uncompressed = lines(256 << 10);
    let mut encoders = Encoders::new();
    for asked in 1..=9 {
        encoders.blocks.set_window(Window::FULL);
        let level = LevelChoice::default().level(&mut encoders, asked, Window::FULL, &uncompressed);
        encoders.blocks.set_window(Window::SMALL);
        assert_eq!(
            LevelChoice::default().level(&mut encoders, asked, Window::FULL, &uncompressed),
            level,
            "level {asked}"
        );
    }
}

/// Returns rows of a table as text.
fn rows(len: usize) -> Vec<u8> {
    let row = |row: u32| format!("{row}|{}|a row of a table\n", row.wrapping_mul(2_654_435_761)).into_bytes();
    (0..).flat_map(row).take(len).collect()
}

/// Zeros, which the sequential parser compresses, and then rows, for which lanes are faster.
#[test]
fn a_change_of_the_data_leads_to_another_trial() {
    let strm = z_stream { zalloc: Some(memory::malloc), zfree: Some(memory::free), ..z_stream::default() };
    let parameters = Parameters { level: 6, window_bits: -15, wrap: Wrap::Raw, mem_level: 8, strategy: 0 };
    let mut blocks = BlockStream::new(&parameters, &strm).expect("a stream");
    let mut push = |uncompressed: &[u8]| {
        let mut done = 0;
        while done < uncompressed.len() {
            done += blocks.gather(&uncompressed[done..]).expect("memory");
            if blocks.is_full() {
                blocks.compress(6, false).expect("memory");
            }
        }
        blocks.choice.chosen
    };
    let of_zeros = push(&vec![0; 8 << 20]);
    let of_rows = push(&rows(2 * TRIAL_DISTANCE_CHANGED + 2 * BLOCK));
    let mut encoders = Encoders::new();
    let alone = LevelChoice::default().level(&mut encoders, 6, Window::FULL, &rows(BLOCK));
    assert_ne!(of_zeros, of_rows);
    assert_eq!(of_rows, Some((alone, 6)), "after {of_zeros:?}");
}
