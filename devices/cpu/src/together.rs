//! Running several jobs on the current thread side by side.

use pelton_codec::{BatchInflater, Error, Progress, Stream};
use pelton_job::{Failure, InterleavedJobs, Operation, OutputBuffer, OwnedOutput, Running, Task};

use crate::codecs::{failure, with_codecs};

/// Run tasks that decompress DEFLATE, in whichever container, or Snappy as one batch. Those that were cancelled are left out; the
/// others start and end at the same time, each with its own result.
pub(crate) fn run_together(tasks: Vec<Task>) {
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
        unreachable!("the pool puts decompression together, not {:?}", job.operation)
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
