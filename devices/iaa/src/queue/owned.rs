//! Jobs that the driver owns while the device has them.

#![allow(unsafe_code)]

use pelton_job::{Failure, OutputBuffer, OwnedOutput, Running};

use super::memory::Buffers;
use crate::error::IaaError;
use crate::operations::Output;

/// A job of the router's, and the memory for its output.
pub(crate) struct Owned {
    running: Running,
    output: OutputBuffer,
}

// SAFETY: the input is `Bytes`, immutable and on the heap, of which the running job has a
// reference; the output is a vector that the buffer owns alone and never resizes. Moving either
// moves no bytes.
unsafe impl Buffers for Owned {
    fn input(&self) -> &[u8] {
        &self.running.job().input
    }

    fn split(&mut self) -> (&[u8], &mut [u8]) {
        (&self.running.job().input, self.output.as_mut_slice())
    }
}

impl Owned {
    pub(crate) fn new(running: Running) -> Owned {
        let output = running.output_buffer();
        Owned { running, output }
    }

    pub(crate) fn running(&self) -> &Running {
        &self.running
    }

    /// Tells the router.
    pub(crate) fn finish(mut self, result: Result<Output, IaaError>) {
        let operation = self.running.job().operation;
        let result = match result {
            Ok(Output { produced, consumed, checksum, .. }) => {
                let output = self.output.finish(produced);
                Ok(OwnedOutput { output, consumed, checksum, interleaved: false })
            }
            Err(error) => Err(failure(error, operation, self.output.as_mut_slice().len())),
        };
        self.running.finish(result);
    }
}

/// What a router makes of an error, for this operation and so much room.
pub(crate) fn failure(error: IaaError, operation: pelton_job::Operation, room: usize) -> Failure {
    use pelton_job::Operation::{Compress, Decompress, TestMembership};
    let format = match operation {
        Compress { format, .. } | Decompress { format } | TestMembership { format } => Some(format),
        _ => None,
    };
    error.failure(format, room)
}
