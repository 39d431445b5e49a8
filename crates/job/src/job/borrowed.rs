//! Jobs over the caller's own buffers, for callers that block until the job is done.

use std::sync::Arc;
use std::time::Duration;

use pelton_codec::{Checksum, Format, Level};

use super::{Hints, JobView, Operation, OutputSize};

/// A job over borrowed memory, for [`Router::run`](crate::Router::run). The caller's buffer bounds
/// the output.
#[derive(Debug)]
#[non_exhaustive]
pub struct BorrowedJob<'a> {
    /// The operation.
    pub operation: Operation,
    /// The operation's input.
    pub input: &'a [u8],
    /// Destination of the output, from its start. Its contents after an error are unspecified.
    pub output: &'a mut [u8],
    /// Whether the output has to fill the buffer.
    pub exact: bool,
    /// Hints about the input.
    pub hints: Hints,
}

impl<'a> BorrowedJob<'a> {
    /// Makes a job that decompresses `input` into `output`.
    pub fn decompress(format: Format, input: &'a [u8], output: &'a mut [u8]) -> BorrowedJob<'a> {
        BorrowedJob::new(Operation::Decompress { format }, input, output)
    }

    /// Makes a job that compresses `input` into `output`. An output of
    /// [`pelton_codec::compress_bound`] bytes is always large enough.
    pub fn compress(format: Format, level: Level, input: &'a [u8], output: &'a mut [u8]) -> BorrowedJob<'a> {
        BorrowedJob::new(Operation::Compress { format, level }, input, output)
    }

    /// Makes a job that compresses `input` into `output` as a part of a raw stream, at a level of
    /// [`Format::Deflate`]. An output of [`pelton_codec::part_bound`] bytes is always large enough.
    pub fn compress_part(level: Level, input: &'a [u8], output: &'a mut [u8]) -> BorrowedJob<'a> {
        BorrowedJob::new(Operation::CompressPart { level }, input, output)
    }

    /// Makes a job that computes a checksum over `input`.
    pub fn checksum(kind: Checksum, input: &'a [u8]) -> BorrowedJob<'a> {
        BorrowedJob::new(Operation::Checksum { kind }, input, &mut [])
    }

    fn new(operation: Operation, input: &'a [u8], output: &'a mut [u8]) -> BorrowedJob<'a> {
        BorrowedJob { operation, input, output, exact: false, hints: Hints::default() }
    }

    /// Adds hints about the input.
    pub fn with_hints(mut self, hints: Hints) -> BorrowedJob<'a> {
        self.hints = hints;
        self
    }

    /// Makes it an error if the output does not fill the buffer.
    pub fn exact(mut self) -> BorrowedJob<'a> {
        self.exact = true;
        self
    }

    /// Returns the size of the output.
    pub fn output_size(&self) -> OutputSize {
        if self.exact { OutputSize::Exact(self.output.len()) } else { OutputSize::AtMost(self.output.len()) }
    }

    /// Splits the job into the view that a device runs and the destination of the output.
    pub fn parts(&mut self) -> (JobView<'a>, &mut [u8]) {
        (JobView::new(self.operation, self.input, self.output_size()).with_hints(self.hints), self.output)
    }

    /// Returns a view of the job, for [`Device::supports`](crate::Device::supports).
    pub fn view(&self) -> JobView<'_> {
        JobView::new(self.operation, self.input, self.output_size()).with_hints(self.hints)
    }
}

/// The result of a [`BorrowedJob`]; its bytes are in the caller's buffer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BorrowedJobOutput {
    /// Bytes written to the output.
    pub produced: usize,
    /// Bytes of the input that the block has; the bytes after them are not part of it.
    pub consumed: usize,
    /// The checksum, if that was the operation.
    pub checksum: Option<u64>,
    /// Devices that failed the job before.
    pub failed: usize,
    /// Name of the device that ran the job.
    pub device: Arc<str>,
    /// Time from start to end on that device.
    pub time: Duration,
}
