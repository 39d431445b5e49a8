//! Operations on the current thread, with codec state that the thread keeps from job to job.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pelton_bitpack::Kernels;
use pelton_codec::{BatchInflater, BlockEncoder, Decoder, Encoder, Error, Format, Progress, checksum};
use pelton_job::{
    BorrowedOutput, Failure, JobView, MembershipTest, Operation, Unsupported, membership, panic_message,
};

/// Maximum bytes that a thread keeps for the next block of a membership test. Enough for all but a
/// few pages.
const MAX_KEPT: usize = 8 << 20;

/// The codec state of a thread. Its allocation and setup cost more than the work on a small page.
#[derive(Default)]
pub(crate) struct Codecs {
    decoder: Decoder,
    encoder: Encoder,
    /// None until the first part of a stream.
    parts: Option<BlockEncoder>,
    /// None until the first batch: threads that only run borrowed jobs have none.
    inflater: Option<BatchInflater>,
    /// The decompressed block of a membership test.
    uncompressed: Vec<u8>,
}

impl Codecs {
    pub(crate) fn inflater(&mut self) -> &mut BatchInflater {
        self.inflater.get_or_insert_default()
    }
}

thread_local! {
    static CODECS: RefCell<Codecs> = RefCell::default();
}

/// Runs one operation.
pub(crate) fn run(job: &JobView<'_>, output: &mut [u8]) -> Result<BorrowedOutput, Failure> {
    with_codecs(|codecs| match (job.operation, job.membership) {
        (Operation::TestMembership { format }, Some(test)) => {
            test_membership(codecs, format, test, job.input, output)
        }
        _ => compute(codecs, job, output),
    })
}

/// Calls a function with the thread's codecs, which are replaced if it panics.
pub(crate) fn with_codecs<T>(mut run: impl FnMut(&mut Codecs) -> Result<T, Failure>) -> Result<T, Failure> {
    CODECS
        .try_with(|codecs| guarded(&mut *codecs.borrow_mut(), &mut run))
        // A destructor calls at the end of the thread, after its codecs were dropped.
        .unwrap_or_else(|_| guarded(&mut Codecs::default(), &mut run))
}

fn compute(codecs: &mut Codecs, job: &JobView<'_>, output: &mut [u8]) -> Result<BorrowedOutput, Failure> {
    let input = job.input;
    let progress = match job.operation {
        Operation::Compress { format, level } => {
            let window = job.hints.compression_window().map_err(Failure::Unsupported)?;
            codecs.encoder.compress_within(format, level, window, input, output)
        }
        Operation::CompressPart { level } => {
            let window = job.hints.compression_window().map_err(Failure::Unsupported)?;
            let parts = codecs.parts.get_or_insert_default();
            parts.set_window(window);
            let done = parts.deflate_part(input, 0, level.value(), output);
            done.map(|produced| Progress { consumed: input.len(), produced })
        }
        Operation::Decompress { format } => codecs.decoder.decompress(format, input, output),
        Operation::Checksum { kind } => {
            let checksum = Some(checksum(kind, input));
            return Ok(BorrowedOutput { produced: 0, consumed: input.len(), checksum });
        }
        _ => return Err(Failure::Unsupported(Unsupported::new("unknown operation"))),
    };
    let progress = progress.map_err(failure)?;
    Ok(BorrowedOutput { produced: progress.produced, consumed: progress.consumed, checksum: None })
}

/// Decompresses a block and tests the membership of its indices. The memory of the block is kept
/// for the next job, and stays in the caches during this one.
fn test_membership(
    codecs: &mut Codecs,
    format: Format,
    test: &MembershipTest,
    input: &[u8],
    output: &mut [u8],
) -> Result<BorrowedOutput, Failure> {
    if codecs.uncompressed.len() < test.uncompressed_len {
        let more = test.uncompressed_len - codecs.uncompressed.len();
        codecs.uncompressed.try_reserve(more).map_err(|_| failure(Error::OutOfMemory { format }))?;
        codecs.uncompressed.resize(test.uncompressed_len, 0);
    }
    let block = &mut codecs.uncompressed[..test.uncompressed_len];
    let done = codecs.decoder.decompress(format, input, block).map_err(failure)?;
    let produced = membership::test(Kernels::detect(), format, &block[..done.produced], test, output)?;
    if codecs.uncompressed.len() > MAX_KEPT {
        codecs.uncompressed = Vec::new();
    }
    Ok(BorrowedOutput { produced, consumed: done.consumed, checksum: None })
}

/// Returns the failure for a codec's error: bad data, except when memory could not be allocated.
pub(crate) fn failure(error: Error) -> Failure {
    match error {
        Error::OutOfMemory { .. } => Failure::Fault(error.to_string().into()),
        error => Failure::Data(error),
    }
}

/// Calls a function with some state. A panic becomes a failure and replaces the state, which may be
/// half changed.
fn guarded<S: Default, T>(
    state: &mut S,
    run: impl FnOnce(&mut S) -> Result<T, Failure>,
) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(|| run(state))).unwrap_or_else(|panic| {
        *state = S::default();
        Err(Failure::Panicked(panic_message(&*panic)))
    })
}

#[cfg(test)]
mod tests;
