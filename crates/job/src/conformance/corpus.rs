//! Test data for the checks: reproducible bytes in the shapes of columns and blocks.

use std::sync::Arc;

use bytes::Bytes;
use pelton_codec::{Checksum, Encoder, Format, Level, compress_bound};
use pelton_random::Random;

use crate::device::{Device, Unsupported};
use crate::job::{Job, MembershipTest, OutputSize};
use crate::queue::result::JobError;
use crate::router::Router;

/// Shape of uncompressed data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One byte over and over: the longest matches.
    Zeros,
    /// Incompressible bytes: stored blocks, and outputs larger than their inputs.
    Random,
    /// Words: Huffman codes of many lengths, short matches.
    Text,
    /// Little-endian 32-bit numbers that grow slowly, as keys and dates do.
    Integers,
    /// Random bytes that repeat at a distance within DEFLATE's window and beyond the 4 KB of
    /// history that some hardware has.
    Distant,
}

impl Shape {
    /// All shapes.
    pub const ALL: [Shape; 5] = [Shape::Zeros, Shape::Random, Shape::Text, Shape::Integers, Shape::Distant];

    /// Returns `len` bytes of this shape.
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
            Shape::Random => bytes.extend((0..len).map(|_| random.next() as u8)),
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
                bytes.extend((0..len.min(PERIOD)).map(|_| random.next() as u8));
                while bytes.len() < len {
                    bytes.push(bytes[bytes.len() - PERIOD]);
                }
            }
        }
        bytes.truncate(len);
        bytes
    }
}

/// Returns a mixture of text, numbers and random bytes, which compresses to about half. The single
/// shapes either hardly compress or compress to very little.
pub fn page(len: usize) -> Vec<u8> {
    const PART: usize = 40;
    let shapes = [Shape::Text, Shape::Integers, Shape::Random].map(|shape| shape.bytes(len));
    (0..len).map(|at| shapes[at / PART % shapes.len()][at]).collect()
}

/// Sizes around the thresholds of formats and devices: zero, shorter than a match, the minimum
/// blocks of IAA and LZ4, the maximum stored block of DEFLATE with the windows of Snappy and LZ4, a
/// Parquet page.
pub const SIZES: [usize; 10] = [0, 1, 3, 13, 100, 4096, 65_535, 65_536, 65_537, 1 << 20];

/// Compresses bytes to one block.
pub fn compress(format: Format, level: Level, uncompressed: &[u8]) -> Bytes {
    let mut compressed = vec![0; compress_bound(format, uncompressed.len())];
    let progress = Encoder::new()
        .compress(format, level, uncompressed, &mut compressed)
        .expect("compress_bound suffices");
    compressed.truncate(progress.produced);
    compressed.into()
}

/// Returns a job that decompresses these bytes, compressed at the format's default level, to their
/// exact size.
pub fn decompress_job(format: Format, uncompressed: &[u8]) -> Job {
    Job::decompress(
        format,
        compress(format, format.default_level(), uncompressed),
        OutputSize::Exact(uncompressed.len()),
    )
}

/// A membership test on dictionary indices as a page has them, with its answer.
pub struct MembershipSample {
    /// The job.
    pub job: Job,
    /// The expected output.
    pub bits: Vec<u8>,
}

/// Returns a membership test on `count` indices of `width` bits, some of them in runs, in one block
/// of `format`. The set has about half of the values.
pub fn membership_test(format: Format, width: u32, count: usize) -> MembershipSample {
    let mut random = Random::new(u64::from(width) << 32 | count as u64);
    let values = 1_u64 << width.min(16);
    let mut indices: Vec<u32> = Vec::with_capacity(count);
    while indices.len() < count {
        let value = (random.next() % values) as u32;
        // Some runs are long enough for the hybrid to encode them as runs, and most values are
        // single.
        let length = if random.below(8) == 0 { 1 + random.below(200) } else { 1 };
        indices.extend(std::iter::repeat_n(value, length.min(count - indices.len())));
    }
    let set: Vec<u8> = (0..values.div_ceil(8)).map(|_| random.next() as u8).collect();
    let mut bits = vec![0; count.div_ceil(8)];
    for (at, &index) in indices.iter().enumerate() {
        let in_set = set[index as usize / 8] >> (index % 8) & 1;
        bits[at / 8] |= in_set << (at % 8);
    }
    let mut uncompressed = vec![width as u8];
    pelton_bitpack::output::hybrid(&indices, width, &mut uncompressed).expect("the values have the width");
    let compressed = compress(format, format.default_level(), &uncompressed);
    let test = MembershipTest { uncompressed_len: uncompressed.len(), count, set: set.into() };
    MembershipSample { job: Job::test_membership(format, compressed, test), bits }
}

/// Uncompressed bytes of each sample of [`samples`].
pub const SAMPLE_LEN: usize = 4096;

/// Returns one ordinary job for each operation and format, on text.
pub fn samples() -> Vec<Job> {
    let uncompressed = Bytes::from(Shape::Text.bytes(SAMPLE_LEN));
    let mut jobs = Vec::new();
    for format in Format::ALL {
        jobs.push(decompress_job(format, &uncompressed));
        jobs.push(Job::compress(format, format.default_level(), uncompressed.clone()));
        jobs.push(membership_test(format, 7, SAMPLE_LEN).job);
    }
    jobs.extend(Checksum::ALL.map(|kind| Job::checksum(kind, uncompressed.clone())));
    jobs
}

/// Returns the formats in which the device decompresses ordinary blocks.
pub fn formats(device: &Arc<dyn Device>) -> Vec<Format> {
    let uncompressed = Shape::Text.bytes(SAMPLE_LEN);
    let is_supported =
        |format: &Format| device.supports(&decompress_job(*format, &uncompressed).view()).is_ok();
    Format::ALL.into_iter().filter(is_supported).collect()
}

/// Returns the first shape for which the device decompresses a block of `len` bytes. Some hardware
/// has less history than the matches of a block need; the last shape needs a single byte.
pub fn shape(device: &Arc<dyn Device>, format: Format, len: usize) -> Option<Shape> {
    [Shape::Integers, Shape::Text, Shape::Zeros].into_iter().find(|shape| {
        let job = decompress_job(format, &shape.bytes(len));
        let router = Router::builder().device(Arc::clone(device)).build();
        let results = router.submit(job).wait();
        !results.iter().any(|result| matches!(result, Err(JobError::Unsupported { .. })))
    })
}

/// Prints the operations that a device does not support. Without this, a check without any
/// supported job would look like a pass.
pub(super) fn print_unsupported(device: &Arc<dyn Device>) {
    let unsupported = |job: &Job| -> Option<Unsupported> { device.supports(&job.view()).err() };
    for job in samples() {
        if let Some(reason) = unsupported(&job) {
            println!("  does not support {:?}: {reason}", job.operation);
        }
    }
}
