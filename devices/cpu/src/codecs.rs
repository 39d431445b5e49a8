//! Running one job on the current thread, with codec state that the thread keeps from job to job.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pelton_codec::{BatchInflater, BlockEncoder, Decoder, Encoder, Error, Format, Progress, checksum};
use pelton_filter::Kernels;
use pelton_job::{
    BorrowedOutput, Failure, JobView, MembershipTest, Operation, OwnedOutput, Running, Task, Unsupported,
    membership, panic_message,
};

use crate::together::run_together;

/// The most bytes that a thread keeps for the next block of codes: pages are of one MiB as a rule, and a few of several.
const KEPT: usize = 8 << 20;

/// The state that a thread keeps: allocating and setting it up would cost more than a small page does.
#[derive(Default)]
pub(crate) struct Codecs {
    decoder: Decoder,
    encoder: Encoder,
    /// None until the first part of a stream.
    parts: Option<BlockEncoder>,
    /// None until the first batch: threads that only run borrowed jobs have none.
    inflater: Option<BatchInflater>,
    /// A block of codes between its decompression and its look-up.
    plain: Vec<u8>,
}

impl Codecs {
    pub(crate) fn inflater(&mut self) -> &mut BatchInflater {
        self.inflater.get_or_insert_default()
    }
}

thread_local! {
    static CODECS: RefCell<Codecs> = RefCell::default();
}

/// Run tasks to their end: one, or several that are run side by side.
pub(crate) fn run_owned(mut tasks: Vec<Task>) {
    match tasks.pop() {
        Some(task) if tasks.is_empty() => run_alone(task),
        Some(task) => {
            tasks.push(task);
            run_together(tasks);
        }
        None => {}
    }
}

fn run_alone(task: Task) {
    let Some(running) = task.start() else { return };
    let result = run_started(&running);
    running.finish(result);
}

fn run_started(running: &Running) -> Result<OwnedOutput, Failure> {
    let job = running.job();
    let mut output = running.output_buffer();
    let BorrowedOutput { produced, consumed, checksum } = run(&job.view(), output.as_mut_slice())?;
    Ok(OwnedOutput { output: output.finish(produced), consumed, checksum, interleaved: false })
}

/// Run one operation.
pub(crate) fn run(job: &JobView<'_>, output: &mut [u8]) -> Result<BorrowedOutput, Failure> {
    with_codecs(|codecs| match (job.operation, job.membership) {
        (Operation::TestMembership { format }, Some(codes)) => find(codecs, format, codes, job.input, output),
        _ => compute(codecs, job, output),
    })
}

/// Do something with the thread's codecs, which are replaced if it panics.
pub(crate) fn with_codecs<T>(mut run: impl FnMut(&mut Codecs) -> Result<T, Failure>) -> Result<T, Failure> {
    CODECS
        .try_with(|codecs| guarded(&mut *codecs.borrow_mut(), &mut run))
        // The thread is ending and its codecs are gone, and still something calls, as a destructor does.
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

/// Decompress codes and look them up. The memory between is kept for the next job, and is in the caches while it is used.
fn find(
    codecs: &mut Codecs,
    format: Format,
    codes: &MembershipTest,
    input: &[u8],
    output: &mut [u8],
) -> Result<BorrowedOutput, Failure> {
    if codecs.plain.len() < codes.uncompressed_len {
        let more = codes.uncompressed_len - codecs.plain.len();
        codecs.plain.try_reserve(more).map_err(|_| failure(Error::OutOfMemory { format }))?;
        codecs.plain.resize(codes.uncompressed_len, 0);
    }
    let plain = &mut codecs.plain[..codes.uncompressed_len];
    let done = codecs.decoder.decompress(format, input, plain).map_err(failure)?;
    let produced = membership::test(Kernels::detect(), format, &plain[..done.produced], codes, output)?;
    if codecs.plain.len() > KEPT {
        codecs.plain = Vec::new();
    }
    Ok(BorrowedOutput { produced, consumed: done.consumed, checksum: None })
}

/// A codec's error is about the job's data, unless the codec could not get its memory.
pub(crate) fn failure(error: Error) -> Failure {
    match error {
        Error::OutOfMemory { .. } => Failure::Fault(error.to_string().into()),
        error => Failure::Data(error),
    }
}

/// Run with some state. A panic becomes a failure, and the state, which it may have left half changed, is
/// replaced.
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
