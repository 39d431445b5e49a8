//! Jobs over the caller's own buffers, for callers that block until they are done.

use std::sync::Arc;
use std::time::Duration;

use pelton_codec::{Checksum, Format, Level};

use crate::job::{Hints, JobView, Operation, OutputSize};

/// A job over borrowed memory, for [`Router::run`](crate::Router::run). The output is as large as the
/// caller's buffer.
#[derive(Debug)]
#[non_exhaustive]
pub struct BorrowedJob<'a> {
    /// What to do.
    pub operation: Operation,
    /// What to do it with.
    pub input: &'a [u8],
    /// Where the output goes, from its start. What it holds after an error is unspecified.
    pub output: &'a mut [u8],
    /// Whether the output has to fill the buffer.
    pub exact: bool,
    /// What is known of the input.
    pub hints: Hints,
}

impl<'a> BorrowedJob<'a> {
    /// Decompress `input` into `output`.
    pub fn decompress(format: Format, input: &'a [u8], output: &'a mut [u8]) -> BorrowedJob<'a> {
        BorrowedJob::new(Operation::Decompress { format }, input, output)
    }

    /// Compress `input` into `output`. [`pelton_codec::compress_bound`] says how much room is always enough.
    pub fn compress(format: Format, level: Level, input: &'a [u8], output: &'a mut [u8]) -> BorrowedJob<'a> {
        BorrowedJob::new(Operation::Compress { format, level }, input, output)
    }

    /// Compress `input` into `output` as a part of a raw stream, at a level of [`Format::Deflate`].
    /// [`pelton_codec::part_bound`] says how much room is always enough.
    pub fn compress_part(level: Level, input: &'a [u8], output: &'a mut [u8]) -> BorrowedJob<'a> {
        BorrowedJob::new(Operation::CompressPart { level }, input, output)
    }

    /// Compute a checksum over `input`.
    pub fn checksum(kind: Checksum, input: &'a [u8]) -> BorrowedJob<'a> {
        BorrowedJob::new(Operation::Checksum { kind }, input, &mut [])
    }

    fn new(operation: Operation, input: &'a [u8], output: &'a mut [u8]) -> BorrowedJob<'a> {
        BorrowedJob { operation, input, output, exact: false, hints: Hints::default() }
    }

    /// Say what is known of the input.
    pub fn with_hints(mut self, hints: Hints) -> BorrowedJob<'a> {
        self.hints = hints;
        self
    }

    /// Make it an error if the output does not fill the buffer.
    pub fn exact(mut self) -> BorrowedJob<'a> {
        self.exact = true;
        self
    }

    /// How many bytes may come out.
    pub fn output_size(&self) -> OutputSize {
        if self.exact { OutputSize::Exact(self.output.len()) } else { OutputSize::AtMost(self.output.len()) }
    }

    /// The job as a device runs it, and where its output goes.
    pub fn parts(&mut self) -> (JobView<'a>, &mut [u8]) {
        (JobView::new(self.operation, self.input, self.output_size()).with_hints(self.hints), self.output)
    }

    /// The job as [`Device::supports`](crate::Device::supports) sees it.
    pub fn view(&self) -> JobView<'_> {
        JobView::new(self.operation, self.input, self.output_size()).with_hints(self.hints)
    }
}

/// What became of a [`BorrowedJob`]; its bytes are in the caller's buffer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BorrowedJobOutput {
    /// Bytes written to the output.
    pub produced: usize,
    /// Bytes of the input that were used; what follows them is not part of the block.
    pub consumed: usize,
    /// The checksum, if that was the operation.
    pub checksum: Option<u64>,
    /// Devices that had it before and failed.
    pub failed: usize,
    /// Name of the device that did it.
    pub device: Arc<str>,
    /// Time from its start to its end on that device.
    pub time: Duration,
}
