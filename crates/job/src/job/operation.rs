//! Operations, their parameters, and the sizes of their outputs.

use bytes::Bytes;
use pelton_codec::{Checksum, Format, Level};

/// The operation of a job. More operations will follow, so a device reports those that it does not
/// know as unsupported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// Compress the input as one block of `format`.
    Compress {
        /// The block format to write.
        format: Format,
        /// The trade of time for size.
        level: Level,
    },
    /// Compress the input as a part of a raw DEFLATE stream: blocks that are not final, then an
    /// empty stored block up to a byte boundary, like zlib's `Z_SYNC_FLUSH` (RFC 1951, section
    /// 3.2.4). Matches stay within the part. Consecutive parts and a final block form a stream.
    CompressPart {
        /// The trade of time for size: a level of [`Format::Deflate`].
        level: Level,
    },
    /// Decompress one block (for gzip: all members) of `format`.
    Decompress {
        /// The block format of the input.
        format: Format,
    },
    /// Decompress one block of `format` that holds dictionary indices, and test each index for
    /// membership in a set. The block is the body of a Parquet data page: a byte with a bit width,
    /// then values of that width in the hybrid of runs and packed groups. The output has a bit for
    /// each value, from the least significant; the unused bits of the last byte are zero. The job's
    /// [`MembershipTest`] has the set.
    TestMembership {
        /// The block format of the input.
        format: Format,
    },
    /// Compute a checksum over the input. No output bytes.
    Checksum {
        /// The checksum's kind.
        kind: Checksum,
    },
}

/// Size of an operation's output, without the job's prefix. It is checked against
/// [`Limits::output_per_job`](crate::Limits) before anything is allocated, and bounds the
/// allocations of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputSize {
    /// Exactly this number of bytes, as a Parquet page header promises. Fewer or more are an error.
    Exact(usize),
    /// This number of bytes or fewer.
    AtMost(usize),
}

impl OutputSize {
    /// Returns the maximum number of bytes that the operation may produce.
    pub fn max_len(self) -> usize {
        match self {
            OutputSize::Exact(n) | OutputSize::AtMost(n) => n,
        }
    }
}

/// Parameters of [`Operation::TestMembership`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MembershipTest {
    /// Exact size of the decompressed block. Checked against
    /// [`Limits::output_per_job`](crate::Limits::output_per_job), like the output.
    pub uncompressed_len: usize,
    /// Number of values to test. The block may have more, as packed groups have eight each.
    pub count: usize,
    /// The set: a bit for each index, from the least significant. Indices beyond its end are not in
    /// it.
    pub set: Bytes,
}
