//! Decompression of raw, zlib and gzip streams, each with one sequence of calls.

use pelton_codec::{Checksum, Container, Error, checksum};
use pelton_job::BorrowedOutput;

use crate::call::Condition;
use crate::error::DfltccError;
use crate::hw::Function;
use crate::session::{Machine, Session};

/// Decompresses the stream in `input`, or all members of a gzip block.
///
/// The machine's checksum is compared with that of the container. `compare` compares it with the
/// output's in software, too, for streams that have none.
///
/// # Errors
/// The input is bad, the output does not fit, or the machine failed.
pub(crate) fn expand(
    session: &mut Session,
    machine: Machine<'_>,
    container: Container,
    input: &[u8],
    output: &mut [u8],
    compare: bool,
) -> Result<BorrowedOutput, DfltccError> {
    let (mut at, mut out) = (0, 0);
    loop {
        at += container.header_len(&input[at..]).map_err(DfltccError::Container)?;
        if at >= input.len() {
            return Err(DfltccError::Container(Error::Truncated { format: container.format() }));
        }
        let start = out;
        session.begin(container.checksum() == Some(Checksum::Adler32));
        stream(session, machine, input, &mut at, output, &mut out)?;
        let sum = session.block.check_value();
        let kind = container.checksum().unwrap_or(Checksum::Crc32);
        if compare && checksum(kind, &output[start..out]) as u32 != sum {
            return Err(DfltccError::Inconsistent("a checksum that is not that of its output"));
        }
        at = container.check_trailer(input, at, sum, out - start).map_err(DfltccError::Container)?;
        if !container.goes_on(&input[at..]) {
            return Ok(BorrowedOutput { produced: out, consumed: at, checksum: None });
        }
    }
}

/// Decompresses one stream, from `at` in the input to `out` in the output, and advances both.
fn stream(
    session: &mut Session,
    machine: Machine<'_>,
    input: &[u8],
    at: &mut usize,
    output: &mut [u8],
    out: &mut usize,
) -> Result<(), DfltccError> {
    loop {
        // A stream may still have its end-of-block code when the output is full. The next call
        // shows whether it has more than that; it needs a target, as any call does.
        let is_full = *out == output.len();
        let source = &input[*at..];
        let answer = match is_full {
            true => session.run_into_spill(machine, Function::Expand, source)?,
            false => session.run(machine, Function::Expand, &mut output[*out..], source)?,
        };
        *at += answer.read;
        if is_full && answer.written > 0 {
            return Err(DfltccError::OutputFull);
        }
        *out += answer.written;
        match (answer.condition, session.block.ending_code()) {
            (Condition::Done, _) => break,
            (Condition::TargetFull, _) if is_full => return Err(DfltccError::OutputFull),
            (Condition::TargetFull, _) if *out == output.len() => {}
            (Condition::TargetFull, _) => {
                return Err(DfltccError::Inconsistent("a full output that has space left"));
            }
            (Condition::Ended, 0) => return Err(DfltccError::Truncated),
            (Condition::Ended, code) => return Err(DfltccError::Data(code)),
            (Condition::Again, _) => {
                return Err(DfltccError::Inconsistent("an unfinished call after the last one"));
            }
        }
    }
    if session.block.is_continued() {
        return Err(DfltccError::Inconsistent("data held back after the end"));
    }
    // The rest of the last byte is padding.
    *at += usize::from(session.block.used_bits() > 0);
    match *at <= input.len() {
        true => Ok(()),
        false => Err(DfltccError::Inconsistent("more bytes than it was given")),
    }
}
