//! Runs of tasks on the current thread: one alone, or several interleaved.

use pelton_codec::{BatchInflater, Error, Progress, Stream};
use pelton_job::{
    BorrowedOutput, Failure, InterleavedJobs, Operation, OutputBuffer, OwnedOutput, Running, Task,
};

use crate::codecs::{failure, run, with_codecs};

/// Runs one task alone, or several interleaved.
pub(crate) fn run_owned(mut tasks: Vec<Task>) {
    match tasks.pop() {
        Some(task) if tasks.is_empty() => run_alone(task),
        Some(task) => {
            tasks.push(task);
            run_interleaved(tasks);
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

/// Runs tasks that decompress DEFLATE in any container, or Snappy, as one batch. Cancelled tasks
/// are left out; the others start and end at the same time, each with its own result.
fn run_interleaved(tasks: Vec<Task>) {
    run_with(tasks, BatchInflater::inflate_batch);
}

fn run_with(tasks: Vec<Task>, inflate: fn(&mut BatchInflater, &mut [Stream<'_>])) {
    let group = InterleavedJobs::start(tasks);
    let mut outputs: Vec<OutputBuffer> = group.running().iter().map(Running::output_buffer).collect();
    let mut streams: Vec<Stream<'_>> =
        group.running().iter().zip(&mut outputs).map(|(running, output)| stream(running, output)).collect();
    let inflated = with_codecs(|codecs| {
        inflate(codecs.inflater(), &mut streams);
        Ok(())
    });
    let results: Vec<_> = streams.into_iter().map(|stream| (stream.result, stream.is_interleaved)).collect();
    let finished = outputs.into_iter().zip(results).map(|(output, (result, interleaved))| {
        inflated.clone()?;
        finish(output, result, interleaved)
    });
    group.finish(finished.collect::<Vec<_>>());
}

fn stream<'a>(running: &'a Running, output: &'a mut OutputBuffer) -> Stream<'a> {
    let job = running.job();
    let Operation::Decompress { format } = job.operation else {
        unreachable!("the pool interleaves decompression only, not {:?}", job.operation)
    };
    Stream::new(format, &job.input, output.as_mut_slice())
}

fn finish(
    output: OutputBuffer,
    result: Result<Progress, Error>,
    interleaved: bool,
) -> Result<OwnedOutput, Failure> {
    let Progress { consumed, produced } = result.map_err(failure)?;
    Ok(OwnedOutput { output: output.finish(produced), consumed, checksum: None, interleaved })
}

#[cfg(test)]
mod tests;
