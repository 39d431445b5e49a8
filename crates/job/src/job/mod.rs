//! What is to be done: an operation, its input, and how large its output may be.

use bytes::Bytes;
use pelton_codec::{Checksum, Format, Level, Window, compress_bound, part_bound};

use crate::device::Unsupported;

pub(crate) mod batch;
pub(crate) mod borrowed;

/// What a job does with its input. More operations will follow, so a device refuses those it does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// Compress the input as one block of `format`.
    Compress {
        /// The block format to write.
        format: Format,
        /// How much time to spend on size.
        level: Level,
    },
    /// Compress the input as a part of a raw stream of DEFLATE: blocks of which none is the last, then an empty stored one,
    /// after which a byte begins, as zlib's `Z_SYNC_FLUSH` leaves it (RFC 1951, section 3.2.4). Matches stay within the part.
    /// Parts one after another, and a block that is marked as the last, are a stream.
    CompressPart {
        /// How much time to spend on size: a level of [`Format::Deflate`].
        level: Level,
    },
    /// Decompress one block (for gzip: all members) of `format`.
    Decompress {
        /// The block format of the input.
        format: Format,
    },
    /// Decompress one block of `format` that holds dictionary codes, as the body of one of Parquet's data pages does:
    /// a byte with a width in bits, then values of that width in the hybrid of runs and packed groups. The output has
    /// a bit for each value, from the least significant, whether it is in a set; the last byte's other bits are zero.
    /// The job's [`MembershipTest`] say the rest.
    TestMembership {
        /// The block format of the input.
        format: Format,
    },
    /// Compute a checksum over the input. No output bytes.
    Checksum {
        /// Which checksum.
        kind: Checksum,
    },
}

/// How many bytes the operation may produce, not counting the job's prefix. It is checked against
/// [`Limits::output_per_job`](crate::Limits) before anything is allocated, and bounds what a device
/// allocates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputSize {
    /// Exactly this many bytes; fewer or more is an error. What a Parquet page header promises.
    Exact(usize),
    /// This many bytes or fewer.
    AtMost(usize),
}

impl OutputSize {
    /// The most bytes that the operation may produce.
    pub fn max_len(self) -> usize {
        match self {
            OutputSize::Exact(n) | OutputSize::AtMost(n) => n,
        }
    }
}

/// What [`Operation::TestMembership`] needs to know beside its input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MembershipTest {
    /// Bytes of the block once it is decompressed: exactly. Checked against
    /// [`Limits::output_per_job`](crate::Limits::output_per_job), like the output.
    pub uncompressed_len: usize,
    /// Values in it: there may be more, as packed groups have eight, and those are not asked about.
    pub count: usize,
    /// The set, a bit for each value that may be in it, from the least significant. Values beyond its end are not.
    pub set: Bytes,
}

/// What the submitter knows of an input beside its bytes, or wants of an output. Nothing that is wrong here makes a result
/// wrong; it only misleads a device that has limits, which then fails, and another does the job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Hints {
    /// Of a decompression: no match of the input's DEFLATE reaches farther back than so many bytes; none if nobody knows.
    ///
    /// Of a compression to one of DEFLATE's formats, or a part of one: no match of the output may reach farther back, so that a device with
    /// no more memory than that decompresses it. A device that can't promise it refuses the job. Other formats have no
    /// such window, and this says nothing of them.
    pub window: Option<u32>,
    /// The family of alike inputs that this is of, as the pages of a column chunk are; none if of no family. What a
    /// device learns of one of them it may expect of the others.
    pub affinity_key: Option<u64>,
}

impl Hints {
    /// The window that a compression to one of DEFLATE's formats keeps to.
    ///
    /// # Errors
    /// It is smaller than any that DEFLATE's coders have: what a device says of such a job.
    pub fn compression_window(&self) -> Result<Window, Unsupported> {
        let Some(bytes) = self.window else { return Ok(Window::FULL) };
        Window::within(bytes).ok_or_else(|| {
            Unsupported::new("the window is below 512 bytes").with_detail(format!("{bytes} bytes"))
        })
    }
}

/// Some bytes and an operation: the unit of work. It owns its buffers, so a device may keep working on them
/// whatever becomes of the submitter.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Job {
    /// What to do.
    pub operation: Operation,
    /// What to do it with.
    pub input: Bytes,
    /// How many bytes may come out, without the prefix.
    pub output: OutputSize,
    /// Bytes placed in front of the output as they are. Data pages v2 of Parquet keep their levels
    /// uncompressed in front of the compressed values; this puts both into one buffer without another copy.
    pub prefix: Bytes,
    /// What is known of the input.
    pub hints: Hints,
    /// What [`Operation::TestMembership`] needs; none for other operations.
    pub membership: Option<MembershipTest>,
}

impl Job {
    /// Decompress `input` into as many bytes as `output` says.
    pub fn decompress(format: Format, input: impl Into<Bytes>, output: OutputSize) -> Job {
        Job::new(Operation::Decompress { format }, input.into(), output)
    }

    /// Compress `input`. The output may be as large as the format's own bound for incompressible input.
    pub fn compress(format: Format, level: Level, input: impl Into<Bytes>) -> Job {
        let input = input.into();
        let output = OutputSize::AtMost(compress_bound(format, input.len()));
        Job::new(Operation::Compress { format, level }, input, output)
    }

    /// Compress `input` as a part of a raw stream, at a level of [`Format::Deflate`].
    pub fn compress_part(level: Level, input: impl Into<Bytes>) -> Job {
        let input = input.into();
        let output = OutputSize::AtMost(part_bound(input.len()));
        Job::new(Operation::CompressPart { level }, input, output)
    }

    /// Decompress dictionary codes and say which of them are in a set.
    pub fn test_membership(format: Format, input: impl Into<Bytes>, codes: MembershipTest) -> Job {
        let output = OutputSize::Exact(codes.count.div_ceil(8));
        let mut job = Job::new(Operation::TestMembership { format }, input.into(), output);
        job.membership = Some(codes);
        job
    }

    /// Compute a checksum over `input`.
    pub fn checksum(kind: Checksum, input: impl Into<Bytes>) -> Job {
        Job::new(Operation::Checksum { kind }, input.into(), OutputSize::Exact(0))
    }

    fn new(operation: Operation, input: Bytes, output: OutputSize) -> Job {
        Job { operation, input, output, prefix: Bytes::new(), hints: Hints::default(), membership: None }
    }

    /// Put `prefix` in front of the output.
    pub fn with_prefix(mut self, prefix: impl Into<Bytes>) -> Job {
        self.prefix = prefix.into();
        self
    }

    /// Say what is known of the input.
    pub fn with_hints(mut self, hints: Hints) -> Job {
        self.hints = hints;
        self
    }

    /// The job without its ownership, for [`Device::supports`](crate::Device::supports).
    pub fn view(&self) -> JobView<'_> {
        JobView {
            operation: self.operation,
            input: &self.input,
            output: self.output,
            prefix_len: self.prefix.len(),
            hints: self.hints,
            membership: self.membership.as_ref(),
        }
    }

    /// The most bytes that this job makes a device write: its output, or what that comes from.
    pub(crate) fn declared(&self) -> usize {
        self.output.max_len().max(self.membership.as_ref().map_or(0, |codes| codes.uncompressed_len))
    }

    /// Bytes that this job holds while a device has it: its input, its prefix, and what it makes the device write.
    pub fn bytes(&self) -> usize {
        self.input.len().saturating_add(self.prefix.len()).saturating_add(self.declared())
    }
}

/// What a device sees when it is asked whether it supports a job, owned or borrowed.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct JobView<'a> {
    /// What to do.
    pub operation: Operation,
    /// What to do it with. A device may look at its header, not at all of it: the question has to stay cheap.
    pub input: &'a [u8],
    /// How many bytes may come out, without the prefix.
    pub output: OutputSize,
    /// Length of the prefix in bytes.
    pub prefix_len: usize,
    /// What is known of the input.
    pub hints: Hints,
    /// What [`Operation::TestMembership`] needs; none for other operations.
    pub membership: Option<&'a MembershipTest>,
}

impl<'a> JobView<'a> {
    pub(crate) fn new(operation: Operation, input: &'a [u8], output: OutputSize) -> JobView<'a> {
        JobView { operation, input, output, prefix_len: 0, hints: Hints::default(), membership: None }
    }

    pub(crate) fn with_hints(self, hints: Hints) -> JobView<'a> {
        JobView { hints, ..self }
    }

    /// Bytes on the uncompressed side, which is what the time of an operation goes by: the declared output of
    /// a decompression, that of the block in which codes are, the input of anything else.
    pub fn uncompressed_len(&self) -> usize {
        match self.operation {
            Operation::Decompress { .. } => self.output.max_len(),
            Operation::TestMembership { .. } => self.membership.map_or(0, |codes| codes.uncompressed_len),
            Operation::Compress { .. } | Operation::CompressPart { .. } | Operation::Checksum { .. } => {
                self.input.len()
            }
        }
    }
}
