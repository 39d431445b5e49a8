//! Results of kernels as results of jobs.

use pelton_codec::Error as CodecError;
use pelton_job::{BorrowedOutput, Failure, OutputSize};

use super::batch::Page;
use crate::decompress::PageOutcome;
use crate::{Error, code_text};

// Codes of `kernels/pelton/codes.cuh` with a meaning for jobs.
const OK: u32 = 0;
const TRUNCATED: u32 = 1;
const OUTPUT_TOO_LONG: u32 = 6;
const OUTPUT_TOO_SHORT: u32 = 7;
const TRAILING_BYTES: u32 = 9;
const UNSUPPORTED: u32 = 10;

/// Returns a page's result. A device's complaint about data is not final: the router checks it on
/// the CPU.
pub(super) fn result(
    page: &Page,
    output: OutputSize,
    outcome: PageOutcome,
) -> Result<BorrowedOutput, Failure> {
    let PageOutcome { code, produced, consumed } = outcome;
    let done = BorrowedOutput { produced: produced as usize, consumed: consumed as usize, checksum: None };
    let fits = done.produced <= page.capacity && done.consumed <= page.input.len();
    if matches!(code, OK | OUTPUT_TOO_SHORT | TRAILING_BYTES) && !fits {
        return Err(Failure::Fault("a kernel reports more bytes than there are".into()));
    }
    let Some(format) = page.format.codec() else { return Ok(done) };
    match (code, output, code_text(code)) {
        (OK, ..) | (OUTPUT_TOO_SHORT, OutputSize::AtMost(_), _) => Ok(done),
        // The block is whole: the result says how much input it used, and the caller handles the
        // rest.
        (TRAILING_BYTES, ..) if done.consumed > 0 => Ok(done),
        (OUTPUT_TOO_SHORT, OutputSize::Exact(expected), _) => {
            Err(Failure::WrongSize { expected, produced: done.produced })
        }
        (TRUNCATED, ..) => Err(Failure::Data(CodecError::Truncated { format })),
        (OUTPUT_TOO_LONG, ..) => {
            Err(Failure::Data(CodecError::OutputTooSmall { format, room: page.capacity }))
        }
        (UNSUPPORTED, _, Some(what)) => Err(Failure::Unsupported(pelton_job::Unsupported::new(what))),
        (_, _, Some(what)) => Err(Failure::Data(CodecError::Corrupt { format, what })),
        (_, _, None) => Err(Failure::Fault(format!("a kernel reports an unknown code {code}").into())),
    }
}

/// Returns a failure of the GPU itself.
pub(super) fn fault(error: Error) -> Failure {
    Failure::Fault(error.to_string().into())
}

#[cfg(test)]
mod tests;
