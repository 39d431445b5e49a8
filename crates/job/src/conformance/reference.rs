//! Reference device: the plainest implementation, for comparison and as the fallback in tests.

use std::time::Duration;

use pelton_bitpack::Kernels;
use pelton_codec::{BlockEncoder, Decoder, Encoder, Progress, checksum};

use crate::device::membership;
use crate::device::task::Task;
use crate::device::{BorrowedOutput, Device, Failure, OwnedOutput, Unsupported};
use crate::job::borrowed::BorrowedJob;
use crate::job::{JobView, Operation};
use crate::router::cost::Cost;

/// Runs each job inside `submit`, on the submitting thread, with fresh codec state. Its prior is so
/// slow that a router gives it only the jobs that no other device supports.
#[derive(Debug, Default)]
pub struct Reference;

impl Device for Reference {
    fn name(&self) -> &str {
        "reference"
    }

    fn description(&self) -> String {
        "pelton-codec on the submitting thread".into()
    }

    fn supports(&self, job: &JobView<'_>) -> Result<(), Unsupported> {
        membership::check_parameters(job)
    }

    fn prior_cost(&self, _operation: Operation) -> Cost {
        // Longer than any queue in a test.
        Cost { setup: Duration::from_secs(3600), bytes_per_second: 1.0 }
    }

    fn worker_count(&self) -> usize {
        1
    }

    fn is_authoritative(&self) -> bool {
        true
    }

    fn submit(&self, tasks: Vec<Task>) {
        for running in tasks.into_iter().filter_map(Task::start) {
            let job = running.job();
            let mut output = running.output_buffer();
            let result = compute(&job.view(), output.as_mut_slice());
            running.finish(result.map(|done| OwnedOutput {
                output: output.finish(done.produced),
                consumed: done.consumed,
                checksum: done.checksum,
                interleaved: false,
            }));
        }
    }

    fn run_borrowed(&self, job: &mut BorrowedJob<'_>) -> Result<BorrowedOutput, Failure> {
        let (job, output) = job.parts();
        compute(&job, output)
    }
}

/// Runs an operation with `pelton-codec`.
pub(super) fn compute(job: &JobView<'_>, output: &mut [u8]) -> Result<BorrowedOutput, Failure> {
    let input = job.input;
    let progress = match job.operation {
        Operation::TestMembership { format } => {
            let Some(test) = job.membership else {
                return Err(Failure::Unsupported(Unsupported::new(membership::NO_TEST)));
            };
            let mut uncompressed = vec![0; test.uncompressed_len];
            let done = Decoder::new().decompress(format, input, &mut uncompressed).map_err(Failure::Data)?;
            let naive = Kernels::named("naive").map_err(|error| Failure::Fault(error.to_string().into()))?;
            let produced = membership::test(naive, format, &uncompressed[..done.produced], test, output)?;
            return Ok(BorrowedOutput { produced, consumed: done.consumed, checksum: None });
        }
        Operation::Compress { format, level } => {
            let window = job.hints.compression_window().map_err(Failure::Unsupported)?;
            Encoder::new().compress_within(format, level, window, input, output)
        }
        Operation::CompressPart { level } => {
            let mut encoder = BlockEncoder::new();
            encoder.set_window(job.hints.compression_window().map_err(Failure::Unsupported)?);
            let part = encoder.deflate_part(input, 0, level.value(), output);
            part.map(|produced| Progress { consumed: input.len(), produced })
        }
        Operation::Decompress { format } => Decoder::new().decompress(format, input, output),
        Operation::Checksum { kind } => {
            let checksum = Some(checksum(kind, input));
            return Ok(BorrowedOutput { produced: 0, consumed: input.len(), checksum });
        }
    };
    let progress = progress.map_err(Failure::Data)?;
    Ok(BorrowedOutput { produced: progress.produced, consumed: progress.consumed, checksum: None })
}
