use pelton_codec::RawEncoder;

use super::*;

/// Returns lines of words, which suit level 4.
fn rows(len: usize) -> Vec<u8> {
    let mut state = 7_u32;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize
    };
    const WORDS: [&str; 6] = ["carefully", "final", "deposits", "sleep", "above", "ironic"];
    let mut line = || {
        let [number, price, first, second] = [0; 4].map(|_| next());
        let words = [WORDS[first % 6], WORDS[second % 6]];
        format!(
            "{number}|{price}.{:02}|1994-0{}-12|AIR|{} {}|\n",
            first % 100,
            second % 9,
            words[0],
            words[1]
        )
    };
    (0..).flat_map(|_| line().into_bytes()).take(len).collect()
}

/// Returns the size by `compress_short` at an ISA level, and the encoder's at levels 4 and 6.
fn lengths(steps: IsaLevel, uncompressed: &[u8]) -> [usize; 3] {
    let mut room = vec![0; 2 * uncompressed.len() + 1000];
    let mut encoders = Encoders::with(steps);
    let ours = compress_short(&mut encoders, 6, uncompressed, &mut room).expect("there is room");
    let mut encoder = RawEncoder::with_isa_level(steps);
    let [fourth, sixth] =
        [4, 6].map(|level| encoder.compress(level, uncompressed, &mut room).expect("there is room"));
    [ours, fourth, sixth]
}

#[test]
fn level_4_is_for_rows_that_are_long_enough() {
    for steps in IsaLevel::available() {
        for (len, with_avx512) in [(2000, false), (3000, false), (3584, true), (4000, true), (8 << 10, true)]
        {
            let [ours, fourth, sixth] = lengths(steps, &rows(len));
            assert!(fourth > sixth, "{fourth} and {sixth} of {len} bytes");
            let is_for_4 = match steps {
                IsaLevel::Avx512 => with_avx512,
                IsaLevel::Avx2 => len >= 8 << 10,
                IsaLevel::Portable => false,
            };
            assert_eq!(ours, if is_for_4 { fourth } else { sixth }, "{len} bytes, {steps:?}");
        }
    }
}

#[test]
fn level_6_is_for_short_words_wherever_they_are() {
    let steps = IsaLevel::available().last().expect("there always are some");
    let numbers: Vec<u8> =
        rows(200_000).iter().flat_map(|&byte| (u32::from(byte % 50) * 0x9e37_79b1).to_le_bytes()).collect();
    for len in [4 << 10, 8 << 10, 16 << 10, 32 << 10] {
        let (rows, numbers) = (rows(len), &numbers[..len]);
        for at in [0, len / 4, len * 3 / 4] {
            let uncompressed = [&rows[..at], &numbers[..len - at]].concat();
            let [ours, _, sixth] = lengths(steps, &uncompressed);
            assert_eq!(ours, sixth, "{at} of {len} bytes are rows");
        }
        let uncompressed = [&numbers[..len / 4], &rows[..len * 3 / 4]].concat();
        let [ours, _, sixth] = lengths(steps, &uncompressed);
        assert_eq!(ours, sixth, "{} of {len} bytes are rows", len * 3 / 4);
    }
}
