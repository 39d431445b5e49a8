//! Data to run checks on: the same bytes every time, in the shapes that columns and blocks have.

use std::sync::Arc;

use bytes::Bytes;
use pelton_codec::{Checksum, Encoder, Format, Level, compress_bound};

use crate::device::{Device, Unsupported};
use crate::job::{Job, MembershipTest, OutputSize};
use crate::queue::result::JobError;
use crate::router::Router;

/// What plain data looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One byte over and over: the longest matches.
    Zeros,
    /// Nothing to compress: stored blocks, and outputs larger than their inputs.
    Random,
    /// Words: Huffman codes of many lengths, short matches.
    Text,
    /// Little-endian 32-bit numbers that grow slowly, as keys and dates do.
    Integers,
    /// Random bytes that repeat after 20,000: matches within DEFLATE's 32 KB window and outside of the 4 KB
    /// that some hardware has.
    Distant,
}

impl Shape {
    /// Every shape.
    pub const ALL: [Shape; 5] = [Shape::Zeros, Shape::Random, Shape::Text, Shape::Integers, Shape::Distant];

    /// `len` bytes of this shape.
    pub fn bytes(self, len: usize) -> Vec<u8> {
        const WORDS: [&str; 16] = [
            "carefully ",
            "furiously ",
            "express ",
            "deposits ",
            "requests ",
            "the ",
            "of ",
            "final ",
            "packages. ",
            "ironic, ",
            "sleep ",
            "above ",
            "blithely ",
            "accounts ",
            "quickly ",
            "regular ",
        ];
        const PERIOD: usize = 20_000;
        let mut random = Random::new(len as u64 + 1);
        let mut bytes: Vec<u8> = Vec::with_capacity(len + 16);
        match self {
            Shape::Zeros => bytes.resize(len, 0),
            Shape::Random => bytes.extend((0..len).map(|_| random.number() as u8)),
            Shape::Text => {
                while bytes.len() < len {
                    bytes.extend_from_slice(WORDS[random.below(WORDS.len())].as_bytes());
                }
            }
            Shape::Integers => {
                let mut value = 728_000_u32;
                while bytes.len() < len {
                    value = value.wrapping_add(random.below(9) as u32);
                    bytes.extend_from_slice(&value.to_le_bytes());
                }
            }
            Shape::Distant => {
                bytes.extend((0..len.min(PERIOD)).map(|_| random.number() as u8));
                while bytes.len() < len {
                    bytes.push(bytes[bytes.len() - PERIOD]);
                }
            }
        }
        bytes.truncate(len);
        bytes
    }
}

/// What a page of several columns' worth of bytes would be: text, numbers and random bytes in turns. It compresses to
/// about half, where the single shapes hardly compress, or to next to nothing.
pub fn page(len: usize) -> Vec<u8> {
    const PART: usize = 40;
    let shapes = [Shape::Text, Shape::Integers, Shape::Random].map(|shape| shape.bytes(len));
    (0..len).map(|at| shapes[at / PART % shapes.len()][at]).collect()
}

/// Sizes around the places where formats and devices change their ways: nothing, less than a match, one of
/// IAA's and LZ4's smallest blocks, 64 KiB (the largest stored block of DEFLATE, Snappy's and LZ4's window),
/// a Parquet page.
pub const SIZES: [usize; 10] = [0, 1, 3, 13, 100, 4096, 65_535, 65_536, 65_537, 1 << 20];

/// xorshift64* (Vigna, 2016): numbers that are the same everywhere.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Numbers from a seed.
    pub fn new(seed: u64) -> Random {
        // Xor with an odd constant (2^64 / golden ratio): small seeds start apart, and none of them at zero.
        Random(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32
    }

    /// A number less than `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.number() as usize % bound
    }
}

/// `plain` as one block.
pub fn pack(format: Format, level: Level, plain: &[u8]) -> Bytes {
    let mut packed = vec![0; compress_bound(format, plain.len())];
    let progress =
        Encoder::new().compress(format, level, plain, &mut packed).expect("compress_bound suffices");
    packed.truncate(progress.produced);
    packed.into()
}

/// The job that decompresses `plain` packed at its format's default level, with its exact size.
pub fn unpack_job(format: Format, plain: &[u8]) -> Job {
    Job::decompress(format, pack(format, format.default_level(), plain), OutputSize::Exact(plain.len()))
}

/// Dictionary codes as a page has them, with one job that asks which of them are in a set, and its answer.
pub struct MembershipSample {
    /// The job.
    pub job: Job,
    /// What has to come out.
    pub bits: Vec<u8>,
}

/// `count` codes of `width` bits, some in runs, packed as one block of `format`, and a set of about half of the values.
pub fn codes(format: Format, width: u32, count: usize) -> MembershipSample {
    let mut random = Random::new(u64::from(width) << 32 | count as u64);
    let values = 1_u64 << width.min(16);
    let mut codes: Vec<u32> = Vec::with_capacity(count);
    while codes.len() < count {
        let value = (random.number() % values) as u32;
        // Some runs are long enough for the hybrid to keep them as runs, and most values stand alone.
        let length = if random.below(8) == 0 { 1 + random.below(200) } else { 1 };
        codes.extend(std::iter::repeat_n(value, length.min(count - codes.len())));
    }
    let set: Vec<u8> = (0..values.div_ceil(8)).map(|_| random.number() as u8).collect();
    let mut bits = vec![0; count.div_ceil(8)];
    for (at, &code) in codes.iter().enumerate() {
        let in_set = set[code as usize / 8] >> (code % 8) & 1;
        bits[at / 8] |= in_set << (at % 8);
    }
    let mut plain = vec![width as u8];
    pelton_filter::output::hybrid(&codes, width, &mut plain).expect("the values have the width");
    let packed = pack(format, format.default_level(), &plain);
    let wanted = MembershipTest { uncompressed_len: plain.len(), count, set: set.into() };
    MembershipSample { job: Job::test_membership(format, packed, wanted), bits }
}

/// Uncompressed bytes of each of the [`samples`].
pub const SAMPLE_LEN: usize = 4096;

/// One ordinary job of each operation and format: some text.
pub fn samples() -> Vec<Job> {
    let plain = Bytes::from(Shape::Text.bytes(SAMPLE_LEN));
    let mut jobs = Vec::new();
    for format in Format::ALL {
        jobs.push(unpack_job(format, &plain));
        jobs.push(Job::compress(format, format.default_level(), plain.clone()));
        jobs.push(codes(format, 7, SAMPLE_LEN).job);
    }
    jobs.extend(Checksum::ALL.map(|kind| Job::checksum(kind, plain.clone())));
    jobs
}

/// The formats of which the device decompresses ordinary blocks.
pub fn formats(device: &Arc<dyn Device>) -> Vec<Format> {
    let plain = Shape::Text.bytes(SAMPLE_LEN);
    let takes = |format: &Format| device.supports(&unpack_job(*format, &plain).view()).is_ok();
    Format::ALL.into_iter().filter(takes).collect()
}

/// The first shape of which the device decompresses a block of so many bytes, and does not refuse it when it comes to it.
/// Some hardware remembers less than a block's matches may reach back; the last shape needs no more than a byte.
pub fn shape(device: &Arc<dyn Device>, format: Format, len: usize) -> Option<Shape> {
    [Shape::Integers, Shape::Text, Shape::Zeros].into_iter().find(|shape| {
        let job = unpack_job(format, &shape.bytes(len));
        let router = Router::builder().device(Arc::clone(device)).build();
        let outcomes = router.submit(job).wait();
        !outcomes.iter().any(|outcome| matches!(outcome, Err(JobError::Unsupported { .. })))
    })
}

/// Say what a device refuses, so that nobody takes a check that had nothing to check for one that passed.
pub(super) fn print_refusals(device: &Arc<dyn Device>) {
    let refusal = |job: &Job| -> Option<Unsupported> { device.supports(&job.view()).err() };
    for job in samples() {
        if let Some(refusal) = refusal(&job) {
            println!("  refuses {:?}: {refusal}", job.operation);
        }
    }
}
