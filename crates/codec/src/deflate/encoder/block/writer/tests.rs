use pelton_random::reduced;

use super::*;
use crate::deflate::encoder::symbols::{LENGTH_INDEX, LITERAL, WINDOW, distance_symbol, literal, place_of};
use crate::deflate::isa::IsaLevel;

/// Tokens of all kinds; of `rare` in 256 the length and the distance are any, and of `common` in 16
/// the token is always the same.
fn tokens(seed: &mut u32, len: usize, rare: u32, common: u32) -> Vec<Token> {
    let mut random = |end: u32| {
        *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (*seed >> 8) % end
    };
    let mut token = || match random(3) {
        _ if random(16) < common => literal(0),
        0 => literal(random(256).min(random(256)) as u8),
        _ if random(256) < rare => (random(256) + 3) << 16 | random(WINDOW as u32),
        _ => (random(2) + 3) << 16 | random(2),
    };
    (0..len).map(|_| token()).collect()
}

fn count(tokens: &[Token]) -> Histogram {
    let mut counts = Histogram::EMPTY;
    for &token in tokens {
        let place = place_of(token);
        if token & LITERAL != 0 {
            counts.literals[place] += 1;
        } else {
            counts.literals[END + 1 + usize::from(LENGTH_INDEX[place - END])] += 1;
            counts.distances[distance_symbol(token & 0x7fff)] += 1;
        }
    }
    counts.literals[END] = 1;
    counts
}

/// All implementations write the same bits, of the announced number, with just enough room and with
/// more. Some pairs of tokens are too long to be written at once.
#[test]
fn implementations_agree_on_tokens_of_every_length() {
    let mut seed = 1;
    let (mut longest, mut shortest) = (0, u32::MAX);
    for round in 0..reduced(400) {
        let len = if round % 8 == 0 { 20_000 } else { round };
        let tokens = tokens(&mut seed, len, 1 << (round % 9), [0, 7, 15][round % 3]);
        let counts = count(&tokens);
        let mut best = Codes::EMPTY;
        best.assign(&counts);
        for codes in [best, Codes::fixed()] {
            let mut tables = Tables::EMPTY;
            tables.assign(&codes);
            let bits = codes.cost(&counts) + extra_cost(&counts);
            let room = bits.div_ceil(8) as usize;
            let write = |isa: Isa, room: usize| {
                let mut out: Box<[u8]> = vec![0; room].into();
                let mut to = BitWriter::new(&mut out);
                isa.emit(&tokens, &tables, &mut to);
                let end = room as u64 * 8 - to.remaining_bits();
                to.align().unwrap();
                (end, out)
            };
            let (end, expected) = write(Isa::Portable, room);
            assert_eq!(end, bits, "round {round}");
            for isa_level in IsaLevel::available() {
                for more in [0, 1, 7, 8, 31, 32, 33, 127, 128, 129, 1000] {
                    let (end, out) = write(Isa::with(isa_level), room + more);
                    let is_same = end == bits && out[..room] == expected[..];
                    assert!(is_same, "{isa_level:?}, round {round}, {more} bytes more");
                }
            }
            let lengths =
                tokens.chunks_exact(2).map(|pair| pair.iter().map(|&token| bits_of(token, &codes)).sum());
            let lengths: Vec<u32> = lengths.collect();
            longest = longest.max(lengths.iter().max().copied().unwrap_or(0));
            shortest = shortest.min(lengths.iter().min().copied().unwrap_or(u32::MAX));
        }
    }
    assert!(longest > 56, "{longest} bits: no pair is long");
    assert!(shortest < 4, "{shortest} bits: no pair is short");
}

/// Bits of a token, with those that are the same in any code.
fn bits_of(token: Token, codes: &Codes) -> u32 {
    let counts = count(&[token]);
    (codes.cost(&counts) + extra_cost(&counts)) as u32 - u32::from(codes.literals.lengths[END])
}

#[test]
fn stored_blocks_cost_what_is_written() {
    for offset in 0..8 {
        for len in [0, 1, 100, 65_534, 65_535, 65_536, 131_070, 131_071] {
            let mut out = vec![0; len + 30];
            let mut to = BitWriter::new(&mut out);
            to.put(0, offset);
            let before = to.remaining_bits();
            let cost = stored_cost(len, to.offset());
            write_stored(&vec![7; len], true, &mut to).unwrap();
            assert_eq!(before - to.remaining_bits(), cost, "{len} bytes at bit {offset}");
        }
    }
}
