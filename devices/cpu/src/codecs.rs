//! Running one job on the current thread, with codec state that the thread keeps from job to job.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pelton_codec::{Decoder, Encoder, Error, checksum};
use pelton_job::{Failure, Finished, Operation, Produced, Refusal, Running, Task, panics};

/// The state that a thread keeps: allocating and setting it up would cost more than a small page does.
#[derive(Default)]
struct Codecs {
    decoder: Decoder,
    encoder: Encoder,
}

thread_local! {
    static CODECS: RefCell<Codecs> = RefCell::default();
}

/// Run one task to its end.
pub(crate) fn run_owned(task: Task) {
    let Some(running) = task.start() else { return };
    let result = run_started(&running);
    running.finish(result);
}

fn run_started(running: &Running) -> Result<Finished, Failure> {
    let job = running.job();
    let mut output = running.output_buffer();
    let Produced { produced, consumed, checksum } = run(job.operation, &job.input, output.room())?;
    Ok(Finished { output: output.finish(produced), consumed, checksum })
}

/// Run one operation.
pub(crate) fn run(operation: Operation, input: &[u8], output: &mut [u8]) -> Result<Produced, Failure> {
    CODECS
        .try_with(|codecs| {
            guarded(&mut *codecs.borrow_mut(), |codecs| compute(codecs, operation, input, &mut *output))
        })
        // The thread is ending and its codecs are gone, and still something calls, as a destructor does.
        .unwrap_or_else(|_| {
            guarded(&mut Codecs::default(), |codecs| compute(codecs, operation, input, output))
        })
}

fn compute(
    codecs: &mut Codecs,
    operation: Operation,
    input: &[u8],
    output: &mut [u8],
) -> Result<Produced, Failure> {
    let progress = match operation {
        Operation::Compress { format, level } => codecs.encoder.compress(format, level, input, output),
        Operation::Decompress { format } => codecs.decoder.decompress(format, input, output),
        Operation::Checksum { kind } => {
            let checksum = Some(checksum(kind, input));
            return Ok(Produced { produced: 0, consumed: input.len(), checksum });
        }
        _ => return Err(Failure::Refused(Refusal::new("unknown operation"))),
    };
    let progress = progress.map_err(failure)?;
    Ok(Produced { produced: progress.produced, consumed: progress.consumed, checksum: None })
}

/// A codec's error is about the job's data, unless the codec could not get its memory.
fn failure(error: Error) -> Failure {
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
        Err(Failure::Panicked(panics::message(&*panic)))
    })
}

#[cfg(test)]
mod tests;
