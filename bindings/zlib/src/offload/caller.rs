//! The caller's thread as one of the router's devices: what it costs, and that its word on bad data
//! is final.

use std::num::NonZero;
use std::thread::available_parallelism;
use std::time::Duration;

use pelton_codec::{Error, Format, RawDecoder};
use pelton_job::{BorrowedJob, BorrowedOutput, Cost, Device, Failure, JobView, Operation, Task, Unsupported};

use crate::pool::Pool;

/// Its name, as the statistics have it.
pub const NAME: &str = "cpu";

/// MB/s at which blocks of 16 to 256 KB are compressed at zlib's level 1, and decompressed: about
/// the median of rows, text, source code and JSON on an Intel Xeon of Granite Rapids' generation
/// with AVX-512 (bench/records). Others differ by a factor of two or three, which some twenty jobs
/// correct. Of higher levels this thread is the reserve, whose price decides nothing.
const COMPRESS: f64 = 750.0;
const DECOMPRESS: f64 = 900.0;
/// Time of a job beside its bytes.
const SETUP: Duration = Duration::from_micros(1);

/// The decoders of the process.
pub static DECODERS: Pool<RawDecoder> = Pool::new();

/// See the module.
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

    /// Every thread that calls is one.
    fn worker_count(&self) -> usize {
        available_parallelism().map_or(1, NonZero::get)
    }

    fn is_authoritative(&self) -> bool {
        true
    }

    /// Nobody hands jobs in without waiting for them.
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
                    DECODERS.with(RawDecoder::new, |decoder| decoder.decompress(job.input, job.output));
                let body = done.ok_or_else(|| Failure::Fault("there is no memory for it".into()))?;
                let corrupt = Failure::Data(Error::Corrupt { format, what: "it is no stream that is whole" });
                let body = body.ok_or(corrupt)?;
                Ok(BorrowedOutput { produced: body.produced, consumed: body.consumed, checksum: None })
            }
            // With the history and the choices of its stream, which only that has.
            _ => Err(Failure::Unsupported(Unsupported::new(
                "compression runs inline, with the history of its stream",
            ))),
        }
    }
}

fn unknown() -> Unsupported {
    Unsupported::new("unknown operation")
}
