//! Data that leads the encoder everywhere: to every kind of block, symbol and border.

use crate::support::{Random, SHAPES, data};

/// Names for [`of`], with those of `support::data`.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    SHAPES.into_iter().chain(["runs", "json", "integers", "alternating", "fibonacci", "far", "numbers"])
}

/// `len` bytes of a kind.
pub fn of(kind: &str, len: usize) -> Vec<u8> {
    let mut random = Random(len as u64 + 1);
    let mut plain = match kind {
        "runs" => runs(&mut random, len),
        "json" => json(&mut random, len),
        "integers" => integers(&mut random, len),
        "alternating" => alternating(&mut random, len, 4 << 10),
        "fibonacci" => fibonacci(&mut random, len),
        "far" => far(&mut random, len),
        "numbers" => numbers(&mut random, len),
        shape => data(shape, len),
    };
    plain.truncate(len);
    plain
}

/// A size below 2^`bits`, as often of one order of magnitude as of another, and every other time 0.
pub fn size(random: &mut Random, bits: usize) -> usize {
    let bits = random.below(bits + 1);
    random.below(2) * random.below(1 << bits)
}

/// Repeats its first `period` bytes.
pub fn repeated(period: usize, len: usize) -> Vec<u8> {
    let mut random = Random(period as u64);
    let once: Vec<u8> = (0..period).map(|_| random.next() as u8).collect();
    once.into_iter().cycle().take(len).collect()
}

fn runs(random: &mut Random, len: usize) -> Vec<u8> {
    let mut plain = Vec::new();
    while plain.len() < len {
        let longest = 1 << random.below(12);
        plain.resize(plain.len() + 1 + random.below(longest), random.next() as u8);
    }
    plain
}

fn json(random: &mut Random, len: usize) -> Vec<u8> {
    let mut plain = Vec::new();
    for id in 0.. {
        if plain.len() >= len {
            break;
        }
        let (name, value) = (random.below(50), random.next() as u16);
        let line =
            format!("{{\"id\":{id},\"name\":\"user-{name}\",\"value\":{value},\"ok\":{}}}\n", value % 3 == 0);
        plain.extend_from_slice(line.as_bytes());
    }
    plain
}

/// 32-bit numbers, each one of 500: words of four bytes, and hardly any longer ones.
fn numbers(random: &mut Random, len: usize) -> Vec<u8> {
    let all: Vec<[u8; 4]> = (0..500).map(|_| (random.next() as u32).to_le_bytes()).collect();
    std::iter::repeat_with(|| all[random.below(all.len())]).take(len.div_ceil(4)).flatten().collect()
}

/// Rising 64-bit integers.
fn integers(random: &mut Random, len: usize) -> Vec<u8> {
    let mut value = 1_700_000_000_000_i64;
    let next = || {
        value += random.below(100_000) as i64;
        value.to_le_bytes()
    };
    std::iter::repeat_with(next).take(len.div_ceil(8)).flatten().collect()
}

/// Pieces of some length in which nothing repeats, then much, in turn.
pub fn alternating(random: &mut Random, len: usize, piece: usize) -> Vec<u8> {
    let mut plain = Vec::new();
    while plain.len() < len {
        match plain.len() / piece % 2 {
            0 => plain.extend((0..piece).map(|_| random.next() as u8)),
            _ => plain.extend(data("text", piece)),
        }
    }
    plain
}

/// Symbols with Fibonacci numbers as frequencies, so that their code would have words longer than
/// it may have.
fn fibonacci(random: &mut Random, len: usize) -> Vec<u8> {
    let (mut plain, mut counts) = (Vec::new(), (1, 1));
    let mut symbol = 0_u8;
    while plain.len() < len {
        plain.resize(plain.len() + counts.0, symbol.wrapping_mul(77));
        symbol += 1;
        counts = (counts.1, counts.0 + counts.1);
    }
    plain.truncate(len);
    for i in (1..len).rev() {
        plain.swap(i, random.below(i + 1));
    }
    plain
}

/// Matches of all lengths at all distances, mostly at short ones: the others' code words are long.
fn far(random: &mut Random, len: usize) -> Vec<u8> {
    let mut plain = data("random", 33_000.min(len / 3 + 1));
    while plain.len() < len {
        let widest = if random.below(40) == 0 { 15 } else { 7 };
        let nearest = 1 << random.below(widest);
        let distance = (nearest + random.below(nearest)).min(32_768).min(plain.len());
        (0..3 + random.below(260)).for_each(|_| plain.push(plain[plain.len() - distance]));
        plain.extend_from_slice(&random.next().to_le_bytes()[..1 + random.below(7)]);
    }
    plain
}

/// Matches of a few lengths, all from one distance.
pub fn matches(lens: &[usize], distance: usize, len: usize) -> Vec<u8> {
    let mut random = Random(distance as u64);
    let mut plain = data("random", distance);
    while plain.len() < len {
        for _ in 0..lens[random.below(lens.len())] {
            plain.push(plain[plain.len() - distance]);
        }
        // Not a longer match.
        plain.push(!plain[plain.len() - distance]);
    }
    plain
}
