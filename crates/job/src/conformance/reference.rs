//! The plainest device there is: what others are compared with and fall back to in tests.

use std::time::Duration;

use pelton_codec::{Decoder, Encoder, checksum};

use crate::borrowed::BorrowedJob;
use crate::cost::Cost;
use crate::device::{Device, Failure, Finished, Produced, Refusal};
use crate::job::{Hints, JobView, Operation};
use crate::task::Task;

/// Runs jobs inside `submit`, on the submitting thread, with fresh codec state for each: no threads, no
/// queue, nothing to go wrong. Its costs say that it is slow, so that a router gives it only what no other
/// device takes.
#[derive(Debug, Default)]
pub struct Reference;

impl Device for Reference {
    fn name(&self) -> &str {
        "reference"
    }

    fn description(&self) -> String {
        "pelton-codec on the submitting thread".into()
    }

    fn supports(&self, _job: &JobView<'_>) -> Result<(), Refusal> {
        Ok(())
    }

    fn cost_seed(&self, _operation: Operation) -> Cost {
        // An hour: no queue in a test is as long.
        Cost { setup: Duration::from_secs(3600), bytes_per_second: 1.0 }
    }

    fn parallelism(&self) -> usize {
        1
    }

    fn is_authoritative(&self) -> bool {
        true
    }

    fn submit(&self, tasks: Vec<Task>) {
        for running in tasks.into_iter().filter_map(Task::start) {
            let job = running.job();
            let mut output = running.output_buffer();
            let result = compute(job.operation, job.hints, &job.input, output.room());
            running.finish(result.map(|done| Finished {
                output: output.finish(done.produced),
                consumed: done.consumed,
                checksum: done.checksum,
                side_by_side: false,
            }));
        }
    }

    fn run_borrowed(&self, job: &mut BorrowedJob<'_>) -> Result<Produced, Failure> {
        compute(job.operation, Hints::default(), job.input, job.output)
    }
}

/// What `pelton-codec` makes of an operation.
pub(super) fn compute(
    operation: Operation,
    hints: Hints,
    input: &[u8],
    output: &mut [u8],
) -> Result<Produced, Failure> {
    let progress = match operation {
        Operation::Compress { format, level } => {
            let window = hints.compression_window().map_err(Failure::Refused)?;
            Encoder::new().compress_within(format, level, window, input, output)
        }
        Operation::Decompress { format } => Decoder::new().decompress(format, input, output),
        Operation::Checksum { kind } => {
            let checksum = Some(checksum(kind, input));
            return Ok(Produced { produced: 0, consumed: input.len(), checksum });
        }
    };
    let progress = progress.map_err(Failure::Data)?;
    Ok(Produced { produced: progress.produced, consumed: progress.consumed, checksum: None })
}
