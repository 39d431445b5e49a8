//! Data of all sorts, the same every time.

use pelton_random::Random;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// All the same.
    Zeros,
    /// No two alike.
    Noise,
    /// Runs of all lengths.
    Runs,
    /// Words and spaces.
    Text,
    /// Rows like those of TPC-H's lineitem: rising keys, small numbers, dates, flags.
    Rows,
    /// Few values, unevenly distributed.
    Skewed,
    /// Text with repeats from far back, and noise between.
    Far,
    /// Small integers of 64 bits.
    Integers,
}

impl Shape {
    pub const ALL: [Shape; 8] = [
        Shape::Zeros,
        Shape::Noise,
        Shape::Runs,
        Shape::Text,
        Shape::Rows,
        Shape::Skewed,
        Shape::Far,
        Shape::Integers,
    ];

    pub fn bytes(self, len: usize) -> Vec<u8> {
        let mut random = Random(0x9E37_79B9 + self as u64);
        let mut out = Vec::with_capacity(len + 100);
        while out.len() < len {
            match self {
                Shape::Zeros => out.push(0),
                Shape::Noise => out.push(random.next() as u8),
                Shape::Runs => {
                    let most = 1 << random.below(10);
                    let run = 1 + random.below(most);
                    out.extend(std::iter::repeat_n(random.next() as u8, run));
                }
                Shape::Text => text(&mut random, &mut out),
                Shape::Rows => row(&mut random, &mut out),
                Shape::Skewed => out.push((random.next().leading_zeros() * 7) as u8),
                Shape::Far => {
                    let back = random.below(out.len() + 1);
                    let take = random.below(100).min(back);
                    let from = out.len() - back;
                    out.extend_from_within(from..from + take);
                    (0..random.below(20)).for_each(|_| out.push(random.next() as u8));
                }
                Shape::Integers => out.extend((random.next() >> (random.below(24) + 40)).to_le_bytes()),
            }
        }
        out.truncate(len);
        out
    }
}

const WORDS: &[&str] = &[
    "furiously",
    "the",
    "regular",
    "packages",
    "of",
    "ironic",
    "deposits",
    "sleep",
    "quickly",
    "above",
    "final",
    "accounts",
    "carefully",
    "express",
    "requests",
    "haggle",
    "pending",
    "theodolites",
    "a",
    "to",
];

fn text(random: &mut Random, out: &mut Vec<u8>) {
    out.extend_from_slice(WORDS[random.below(WORDS.len())].as_bytes());
    out.extend_from_slice(if random.below(12) == 0 { b". " } else { b" " });
}

fn row(random: &mut Random, out: &mut Vec<u8>) {
    let key = out.len() as u64 / 40;
    out.extend_from_slice(&key.to_le_bytes());
    out.extend_from_slice(&(random.below(200_000) as u32).to_le_bytes());
    out.extend_from_slice(&(random.below(50) as u32).to_le_bytes());
    out.extend_from_slice(&(90_000 + random.below(1_000_000) as u64).to_le_bytes());
    out.extend_from_slice(&(8000 + random.below(2500) as u32).to_le_bytes());
    out.push(b"ANR"[random.below(3)]);
    out.push(b"OF"[random.below(2)]);
    out.extend_from_slice(["MAIL", "SHIP", "TRUCK", "AIR"][random.below(4)].as_bytes());
}
