//! Jobs from the router, owned by the driver while the engine has them.

#![allow(unsafe_code)]

use std::time::Duration;

use pelton_codec::Format;
use pelton_job::{Failure, Operation, OutputBuffer, OwnedOutput, Running};

use super::memory::Buffers;
use crate::error::NxError;
use crate::operations::Output;

/// A job from the router, with its output buffer.
pub(crate) struct Owned {
    running: Running,
    output: OutputBuffer,
}

// SAFETY: the input is `Bytes`, immutable and on the heap, and the running job holds a reference.
// The output is a vector that the buffer alone owns and never resizes. A move of either moves no
// bytes.
unsafe impl Buffers for Owned {
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

    /// Delivers the result to the router, with the time that the job had the engine; none if it had
    /// no request.
    pub(crate) fn finish(mut self, result: Result<Output, NxError>, time: Option<Duration>) {
        let operation = self.running.job().operation;
        let result = match result {
            Ok(Output { produced, consumed }) => {
                let output = self.output.finish(produced);
                Ok(OwnedOutput { output, consumed, checksum: None, interleaved: false })
            }
            Err(error) => Err(failure(error, operation, self.output.as_mut_slice().len())),
        };
        match time {
            Some(time) => self.running.finish_in(result, time),
            None => self.running.finish(result),
        }
    }
}

/// Returns the router's failure for an error of this operation.
pub(crate) fn failure(error: NxError, operation: Operation, capacity: usize) -> Failure {
    let format = match operation {
        Operation::Compress { format, .. } | Operation::Decompress { format } => Some(format),
        Operation::CompressPart { .. } => Some(Format::Deflate),
        _ => None,
    };
    error.failure(format, capacity)
}
