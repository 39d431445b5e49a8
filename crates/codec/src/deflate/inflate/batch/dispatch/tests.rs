use pelton_random::reduced;

use super::*;
use crate::deflate::inflate::batch::tokens::NEAR;

/// A sequence of numbers that look random.
fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    }
}

/// A chunk of matches with literals between, and how many bytes that is; distances are up to
/// `farthest`.
fn chunk(below: &mut impl FnMut(usize) -> usize, farthest: usize) -> (Box<Sequences>, usize) {
    let mut sequences = Box::new(Sequences::EMPTY);
    let mut len = 0;
    for i in 0..10 + below(50) {
        let run = [0, 1, 2, 5, 31, 32, 33, 70][below(8)];
        let longest = if below(3) == 0 { 258 } else { 32 };
        let (of, distance) = (3 + below(longest - 2), 1 + below(farthest));
        if sequences.literal_count + run > 240 {
            break;
        }
        for _ in 0..run {
            sequences.literals[sequences.literal_count] = below(256) as u8;
            sequences.literal_count += 1;
        }
        sequences.before[i] = sequences.literal_count as u16;
        sequences.matches[2 * i] = of as u16;
        sequences.matches[2 * i + 1] = distance as u16;
        sequences.number_count += 2;
        len += run + of;
    }
    (sequences, len)
}

/// Near matches and others, with all the room there is and with none to spare.
#[test]
fn copies_are_those_of_portable_code() {
    let mut below = numbers(1);
    let before: Vec<u8> = (0..300).map(|_| below(256) as u8).collect();
    let mut were_near = [0; 2];
    let rounds = reduced(4_000);
    for round in 0..rounds {
        let (sequences, len) = chunk(&mut below, [NEAR, 70, 300][round % 3]);
        were_near[usize::from(sequences.are_near())] += 1;
        // Some distances are beyond the start.
        let start = [0, 0, 100][below(3)];
        let room = [before.len() + len + below(100), before.len() + len, before.len() + len - 1][below(3)];
        let mut expected = before.clone();
        expected.resize(room, 0);
        let mut outputs = [expected.clone(), expected.clone()];
        let end = Isa::Portable.copy(&sequences, &mut expected, start, before.len());
        let others = [BatchIsaLevel::Avx2, BatchIsaLevel::Avx512];
        for (output, of) in outputs.iter_mut().zip(others) {
            let Some(isa) = Isa::of(of) else { continue };
            assert_eq!(isa.copy(&sequences, output, start, before.len()), end, "{of:?}");
            assert!(end.is_none_or(|end| output[..end] == expected[..end]), "{of:?}");
        }
    }
    assert!(were_near.iter().all(|&chunks| chunks > rounds / 8), "{were_near:?}");
}
