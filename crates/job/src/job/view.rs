//! A view of a job that is the same for owned and borrowed jobs.

use super::{Hints, MembershipTest, Operation, OutputSize};

/// A job without ownership of its buffers, for [`Device::supports`](crate::Device::supports).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct JobView<'a> {
    /// The operation.
    pub operation: Operation,
    /// The operation's input. A device may read its header but not all of it, since support has to be
    /// cheap to ask for.
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
