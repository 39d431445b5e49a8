//! Jobs: an operation, its input, and the size of its output.

use bytes::Bytes;
use pelton_codec::{Checksum, Format, Level, compress_bound, part_bound};

pub(crate) mod batch;
pub(crate) mod borrowed;
mod hints;
mod operation;

pub use hints::Hints;
pub use operation::{MembershipTest, Operation, OutputSize};

/// An input and an operation: the unit of work. A job owns its buffers, so a device may keep
/// working on them after the submitter has gone.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Job {
    /// The operation.
    pub operation: Operation,
    /// The operation's input.
    pub input: Bytes,
    /// Size of the output, without the prefix.
    pub output: OutputSize,
    /// Bytes copied in front of the output. Parquet's data pages v2 keep their levels uncompressed
    /// in front of the compressed values; with a prefix, both share one buffer without another
    /// copy.
    pub prefix: Bytes,
    /// Hints about the input.
    pub hints: Hints,
    /// Parameters of [`Operation::TestMembership`]; none for other operations.
    pub membership: Option<MembershipTest>,
}

impl Job {
    /// Makes a job that decompresses `input` to a size of `output`.
    pub fn decompress(format: Format, input: impl Into<Bytes>, output: OutputSize) -> Job {
        Job::new(Operation::Decompress { format }, input.into(), output)
    }

    /// Makes a job that compresses `input`. The output may have the format's bound for
    /// incompressible input.
    pub fn compress(format: Format, level: Level, input: impl Into<Bytes>) -> Job {
        let input = input.into();
        let output = OutputSize::AtMost(compress_bound(format, input.len()));
        Job::new(Operation::Compress { format, level }, input, output)
    }

    /// Makes a job that compresses `input` as a part of a raw stream, at a level of
    /// [`Format::Deflate`].
    pub fn compress_part(level: Level, input: impl Into<Bytes>) -> Job {
        let input = input.into();
        let output = OutputSize::AtMost(part_bound(input.len()));
        Job::new(Operation::CompressPart { level }, input, output)
    }

    /// Makes a job that decompresses dictionary indices and tests their membership in a set.
    pub fn test_membership(format: Format, input: impl Into<Bytes>, test: MembershipTest) -> Job {
        let output = OutputSize::Exact(test.count.div_ceil(8));
        let mut job = Job::new(Operation::TestMembership { format }, input.into(), output);
        job.membership = Some(test);
        job
    }

    /// Makes a job that computes a checksum over `input`.
    pub fn checksum(kind: Checksum, input: impl Into<Bytes>) -> Job {
        Job::new(Operation::Checksum { kind }, input.into(), OutputSize::Exact(0))
    }

    fn new(operation: Operation, input: Bytes, output: OutputSize) -> Job {
        Job { operation, input, output, prefix: Bytes::new(), hints: Hints::default(), membership: None }
    }

    /// Puts `prefix` in front of the output.
    pub fn with_prefix(mut self, prefix: impl Into<Bytes>) -> Job {
        self.prefix = prefix.into();
        self
    }

    /// Adds hints about the input.
    pub fn with_hints(mut self, hints: Hints) -> Job {
        self.hints = hints;
        self
    }

    /// Returns a borrowed view of the job, for [`Device::supports`](crate::Device::supports).
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

    /// Returns the maximum bytes that a device writes for this job: its output, or the decompressed
    /// block that a membership test reads.
    pub(crate) fn declared(&self) -> usize {
        self.output.max_len().max(self.membership.as_ref().map_or(0, |test| test.uncompressed_len))
    }

    /// Returns the bytes that this job holds while a device has it: input, prefix and declared
    /// output.
    pub fn bytes(&self) -> usize {
        self.input.len().saturating_add(self.prefix.len()).saturating_add(self.declared())
    }
}

/// A job without ownership of its buffers, for [`Device::supports`](crate::Device::supports).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct JobView<'a> {
    /// The operation.
    pub operation: Operation,
    /// The operation's input. A device may read its header but not all of it, since support has to
    /// be cheap to ask for.
    pub input: &'a [u8],
    /// Size of the output, without the prefix.
    pub output: OutputSize,
    /// Length of the prefix in bytes.
    pub prefix_len: usize,
    /// Hints about the input.
    pub hints: Hints,
    /// Parameters of [`Operation::TestMembership`]; none for other operations.
    pub membership: Option<&'a MembershipTest>,
}

impl<'a> JobView<'a> {
    pub(crate) fn new(operation: Operation, input: &'a [u8], output: OutputSize) -> JobView<'a> {
        JobView { operation, input, output, prefix_len: 0, hints: Hints::default(), membership: None }
    }

    pub(crate) fn with_hints(self, hints: Hints) -> JobView<'a> {
        JobView { hints, ..self }
    }

    /// Returns the bytes of the uncompressed side, on which the time of an operation depends: the
    /// declared output of a decompression, the block of a membership test, the input of any other
    /// operation.
    pub fn uncompressed_len(&self) -> usize {
        match self.operation {
            Operation::Decompress { .. } => self.output.max_len(),
            Operation::TestMembership { .. } => self.membership.map_or(0, |test| test.uncompressed_len),
            Operation::Compress { .. } | Operation::CompressPart { .. } | Operation::Checksum { .. } => {
                self.input.len()
            }
        }
    }
}
