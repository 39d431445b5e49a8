//! Hashes of compressed bytes: the output of every DEFLATE encoder at every level, pinned. An
//! intended change of the output replaces them by the table that the failing test prints.

use pelton_codec::{
    BitWriter, BlockCodes, BlockEncoder, Checksum, Encoder, Format, IsaLevel, Level, RawEncoder, Window,
    checksum, compress_bound,
};
use pelton_random::reduced;

const KINDS: [&str; 8] = ["text", "integers", "doubles", "words", "random", "runs", "mixed", "periodic"];
const LENGTHS: [usize; 6] = [40, 300, 5_000, 20_000, 64 << 10, 1 << 20];
/// Inputs longer than this are compressed with the full window only.
const LONGEST_FOR_ALL: usize = 64 << 10;

/// Longest input that this run compresses: emulated processors leave some out.
fn longest() -> usize {
    reduced(1 << 20)
}

/// Xorshift (Marsaglia, 2003), kept in this file so that no change elsewhere moves the inputs.
struct Generator(u64);

impl Generator {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: u64) -> u64 {
        (self.next() >> 11) % end
    }
}

fn input(kind: &str, len: usize) -> Vec<u8> {
    let mut random = Generator(0x2545_F491_4F6C_DD1D);
    let mut bytes = Vec::with_capacity(len + 4096);
    let mut number = 1_600_000_000_000_u64;
    while bytes.len() < len {
        match kind {
            "text" => text(&mut random, &mut bytes),
            "integers" => {
                number += random.below(5_000);
                bytes.extend_from_slice(&number.to_le_bytes());
            }
            "doubles" => {
                let value = random.below(1 << 53) as f64 / (1_u64 << 53) as f64;
                bytes.extend_from_slice(&(100.0 + value).to_le_bytes());
            }
            "words" => {
                let word = (random.below(400) as u32).wrapping_mul(0x9E37_79B1);
                bytes.extend_from_slice(&word.to_le_bytes());
            }
            "random" => bytes.extend_from_slice(&random.next().to_le_bytes()),
            "runs" => {
                let longest = 1 << random.below(12);
                let count = 1 + random.below(longest) as usize;
                bytes.resize(bytes.len() + count, random.next() as u8);
            }
            "mixed" if bytes.len() / 4096 % 2 == 0 => bytes.extend_from_slice(&random.next().to_le_bytes()),
            "mixed" => text(&mut random, &mut bytes),
            "periodic" => bytes.push((bytes.len() % 1021 * 37 / 8) as u8),
            other => panic!("no kind {other}"),
        }
    }
    bytes.truncate(len);
    bytes
}

/// Appends a word; low numbers come more often.
fn text(random: &mut Generator, bytes: &mut Vec<u8>) {
    let end = 1 + random.below(600);
    let number = random.below(end);
    let mut letters = Generator(number + 77);
    for _ in 0..2 + number % 9 {
        bytes.push(b'a' + letters.below(26) as u8);
    }
    bytes.extend_from_slice(if random.below(12) == 0 { b".\n" } else { b" " });
}

/// Appends a stream and its length.
fn append(to: &mut Vec<u8>, stream: &[u8]) {
    to.extend_from_slice(&(stream.len() as u64).to_le_bytes());
    to.extend_from_slice(stream);
}

fn hash(streams: &[u8]) -> u64 {
    checksum(Checksum::Xxh64, streams)
}

/// Hash of the blocks of levels 0 to 9.
fn of_blocks(isa: IsaLevel, window: Window, history: &[u8], input: &[u8]) -> u64 {
    let mut encoder = BlockEncoder::with_isa_level(isa);
    encoder.set_window(window);
    let mut streams = Vec::new();
    let mut output = vec![0; compress_bound(Format::Deflate, input.len())];
    for level in 0..=9 {
        let mut to = BitWriter::new(&mut output);
        encoder.deflate_block(input, history, level, true, &mut to).unwrap();
        let len = to.finish().unwrap();
        append(&mut streams, &output[..len]);
    }
    hash(&streams)
}

/// Hash of the raw streams of levels 0 to 12.
fn of_raw(isa: IsaLevel, input: &[u8]) -> u64 {
    let mut encoder = RawEncoder::with_isa_level(isa);
    let mut streams = Vec::new();
    let mut output = vec![0; compress_bound(Format::Deflate, input.len())];
    for level in 0..=12 {
        let len = encoder.compress(level, input, &mut output).unwrap();
        append(&mut streams, &output[..len]);
    }
    hash(&streams)
}

/// Hash of a format's streams at levels 0 to 12.
fn of_format(format: Format, window: Window, input: &[u8]) -> u64 {
    let mut encoder = Encoder::new();
    let mut streams = Vec::new();
    let mut output = vec![0; compress_bound(format, input.len())];
    for level in 0..=12 {
        let level = Level::new(format, level).unwrap();
        let done = encoder.compress_within(format, level, window, input, &mut output).unwrap();
        append(&mut streams, &output[..done.produced]);
    }
    hash(&streams)
}

/// All inputs: an empty one, one byte, and each length of each kind.
fn inputs() -> impl Iterator<Item = (String, Vec<u8>)> {
    let all = KINDS.into_iter().flat_map(|kind| LENGTHS.map(|len| (kind, len)));
    let all = all.filter(|&(_, len)| len <= longest());
    [("text", 0), ("text", 1)]
        .into_iter()
        .chain(all)
        .map(|(kind, len)| (format!("{kind} {len}"), input(kind, len)))
}

/// Panics with the whole new table unless the rows are the pinned ones of the same inputs.
fn check(found: &[(String, Vec<u64>)], pinned: &str) {
    let mut table = String::new();
    for (name, hashes) in found {
        let hashes: Vec<_> = hashes.iter().map(|hash| format!("{hash:016x}")).collect();
        table += &format!("{name}: {}\n", hashes.join(" "));
    }
    let len =
        |row: &str| row.split([' ', ':']).nth(1).map_or(0, |len| len.parse::<usize>().expect("a length"));
    let pinned: String = pinned.split_inclusive('\n').filter(|row| len(row) <= longest()).collect();
    assert!(table == pinned, "other bytes than pinned:\n{table}");
}

/// Full window, then (up to `LONGEST_FOR_ALL`) the small window, and the second half after the
/// first.
#[test]
fn blocks_are_the_pinned_ones_at_every_isa_level() {
    for isa in IsaLevel::available() {
        let row = |(name, input): (String, Vec<u8>)| {
            let mut hashes = vec![of_blocks(isa, Window::FULL, &[], &input)];
            if input.len() <= LONGEST_FOR_ALL {
                let (history, rest) = input.split_at(input.len() / 2);
                hashes.push(of_blocks(isa, Window::SMALL, &[], &input));
                hashes.push(of_blocks(isa, Window::FULL, history, rest));
            }
            (name, hashes)
        };
        check(&inputs().map(row).collect::<Vec<_>>(), include_str!("../data/pinned/blocks.txt"));
    }
}

#[test]
fn raw_streams_are_the_pinned_ones_at_every_isa_level() {
    for isa in IsaLevel::available() {
        let pinned = match isa {
            IsaLevel::Portable => include_str!("../data/pinned/raw-portable.txt"),
            IsaLevel::Avx2 => include_str!("../data/pinned/raw-avx2.txt"),
            IsaLevel::Avx512 => include_str!("../data/pinned/raw-avx512.txt"),
        };
        let row = |(name, input): (String, Vec<u8>)| (name, vec![of_raw(isa, &input)]);
        check(&inputs().map(row).collect::<Vec<_>>(), pinned);
    }
}

/// Deflate, zlib and gzip with the full window, then (up to `LONGEST_FOR_ALL`) the small window.
#[test]
fn contained_streams_are_the_pinned_ones_with_avx512() {
    if IsaLevel::Avx512.or_lower() != IsaLevel::Avx512 {
        return;
    }
    let formats = [Format::Deflate, Format::Zlib, Format::Gzip];
    let row = |(name, input): (String, Vec<u8>)| {
        let mut hashes: Vec<_> =
            formats.iter().map(|&format| of_format(format, Window::FULL, &input)).collect();
        if input.len() <= LONGEST_FOR_ALL {
            hashes.extend(formats.iter().map(|&format| of_format(format, Window::SMALL, &input)));
        }
        (name, hashes)
    };
    check(&inputs().map(row).collect::<Vec<_>>(), include_str!("../data/pinned/contained.txt"));
}

/// The header and the codewords of a block, for a compressor elsewhere.
#[test]
fn codes_are_the_pinned_ones() {
    let mut rows = Vec::new();
    for (name, input) in inputs() {
        let (mut literals, mut distances) = ([0; BlockCodes::LITERALS], [0; BlockCodes::DISTANCES]);
        for pair in input.chunks_exact(2) {
            literals[usize::from(pair[0]) + usize::from(pair[1] % 31)] += 1;
            distances[usize::from(pair[1]) % BlockCodes::DISTANCES] += 1;
        }
        let codes = BlockCodes::best(&literals, &distances);
        let mut out = [0; 512];
        let bits = codes.write_header(true, &mut out).unwrap();
        let mut bytes = (bits as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(&out[..bits.div_ceil(8)]);
        for (word, len) in codes.literals().into_iter().chain(codes.distances()) {
            bytes.extend_from_slice(&word.to_le_bytes());
            bytes.push(len);
        }
        rows.push((name, vec![hash(&bytes)]));
    }
    check(&rows, include_str!("../data/pinned/codes.txt"));
}
