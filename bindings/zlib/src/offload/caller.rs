//! The calling thread as a device of the router.

use std::num::NonZero;
use std::thread::available_parallelism;
use std::time::Duration;

use pelton_codec::{Error, Format, RawDecoder};
use pelton_job::{BorrowedJob, BorrowedOutput, Cost, Device, Failure, JobView, Operation, Task, Unsupported};

use crate::pool::Pool;

/// The device's name in the statistics.
pub const NAME: &str = "cpu";

/// Prior costs in MB/s: the median of several kinds of data with AVX-512
/// (`bench/records/2026-11-23-intel-xeon-granite-rapids`). Measured
/// jobs soon correct them for other processors. Above level 1 this thread is only the fallback, and
/// its costs decide nothing.
const COMPRESS: f64 = 750.0;
const DECOMPRESS: f64 = 900.0;
/// Time of a job besides its bytes.
const SETUP: Duration = Duration::from_micros(1);

/// The decoders of the process.
pub static DECODERS: Pool<RawDecoder> = Pool::new();

/// The calling thread, as authoritative device.
pub struct Caller;

impl Device for Caller {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> String {
        "the calling thread".to_owned()
    }

    fn supports(&self, job: &JobView<'_>) -> Result<(), Unsupported> {
        match job.operation {
            Operation::Compress { format: Format::Deflate, .. }
            | Operation::Decompress { format: Format::Deflate }
            | Operation::CompressPart { .. } => Ok(()),
            _ => Err(unknown()),
        }
    }

    fn prior_cost(&self, operation: Operation) -> Cost {
        let megabytes = match operation {
            Operation::Compress { .. } | Operation::CompressPart { .. } => COMPRESS,
            _ => DECOMPRESS,
        };
        Cost { setup: SETUP, bytes_per_second: megabytes * 1e6 }
    }

    /// Each calling thread is a worker.
    fn worker_count(&self) -> usize {
        available_parallelism().map_or(1, NonZero::get)
    }

    fn is_authoritative(&self) -> bool {
        true
    }

    /// Rejects all tasks: libz submits no job without waiting for it.
    fn submit(&self, tasks: Vec<Task>) {
        for running in tasks.into_iter().filter_map(Task::start) {
            running.finish(Err(Failure::Unsupported(unknown())));
        }
    }

    fn run_borrowed(&self, job: &mut BorrowedJob<'_>) -> Result<BorrowedOutput, Failure> {
        let format = Format::Deflate;
        match job.operation {
            Operation::Decompress { .. } => {
                let done =
                    DECODERS.with(super::new_decoder, |decoder| decoder.decompress(job.input, job.output));
                let body = done.ok_or_else(|| Failure::Fault("there is no memory for it".into()))?;
                let corrupt =
                    Failure::Data(Error::Corrupt { format, what: "the stream is corrupt or incomplete" });
                let body = body.ok_or(corrupt)?;
                Ok(BorrowedOutput { produced: body.produced, consumed: body.consumed, checksum: None })
            }
            // Compression needs the history and the choices of the stream, so it runs inline.
            _ => Err(Failure::Unsupported(Unsupported::new(
                "compression runs inline, with the history of its stream",
            ))),
        }
    }
}

fn unknown() -> Unsupported {
    Unsupported::new("unknown operation")
}
