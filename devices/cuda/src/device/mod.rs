//! The GPU as a device for jobs: it decompresses.
//!
//! Jobs wait in a queue while the GPU is at work. A thread takes all queued jobs, up to a bound, as
//! one batch: one upload of their inputs, one launch for each format, one download of the outputs.
//! So batches grow with the load, and the fixed time of a trip is shared by more jobs.

mod batch;
mod result;
mod worker;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use pelton_codec::Format as Codec;
use pelton_job::{BorrowedJob, BorrowedOutput, Cost, Device, Failure, JobView, Operation, Task, Unsupported};

use crate::decompress::{Decompressor, Format, PageTask};
use crate::{Gpu, Result, Stream};
use batch::{Page, decompress};
use result::{fault, result};
use worker::Worker;

/// A GPU that runs jobs: `cuda`, or `cuda-host` if it is the host build of the kernels.
///
/// It decompresses LZ4, Snappy, DEFLATE in its containers and Zstandard.
pub struct CudaDevice {
    common: Arc<Common>,
    /// For jobs of callers that wait, one at a time.
    direct: Mutex<Stream>,
    worker: Worker,
}

/// State that the worker and the callers' threads share.
struct Common {
    gpu: Gpu,
    decompressor: Decompressor,
}

impl CudaDevice {
    /// Returns a device on this GPU. Its thread starts with the first job, and ends with the
    /// device.
    ///
    /// # Errors
    /// The GPU has no memory for streams.
    pub fn new(gpu: &Gpu) -> Result<Arc<CudaDevice>> {
        let common = Arc::new(Common { gpu: gpu.clone(), decompressor: Decompressor::new(gpu)? });
        let worker = Worker::new(Arc::clone(&common), gpu.stream("jobs")?);
        Ok(Arc::new(CudaDevice { common, direct: Mutex::new(gpu.stream("direct")?), worker }))
    }
}

impl Common {
    /// Returns the bytes that one batch may take on the GPU: a quarter of the memory, which leaves
    /// some for other work.
    fn batch_bytes(&self) -> usize {
        self.gpu.memory_limit() / 4
    }
}

/// Returns the format of a job that can be run here, or why it can't.
fn takes(job: &JobView<'_>, batch_bytes: usize) -> std::result::Result<Format, Unsupported> {
    let Operation::Decompress { format } = job.operation else {
        return Err(Unsupported::new("it only decompresses"));
    };
    let Some(format) = Format::of(format) else {
        return Err(Unsupported::new("no kernel for the format").with_detail(format.name()));
    };
    let (input, output) = (job.input.len(), job.output.max_len());
    let longest = PageTask::LONGEST as usize;
    if input > longest || output > longest {
        return Err(Unsupported::new("over 2 GiB").with_detail(format!("{input} to {output} bytes")));
    }
    if input + output > batch_bytes {
        let detail = format!("{} bytes, of which {batch_bytes} may be in a batch", input + output);
        return Err(Unsupported::new("too large for the GPU's memory").with_detail(detail));
    }
    Ok(format)
}

/// Returns the cost of a job before any was measured.
///
/// Estimates. A job's bytes go up a PCIe 5.0 link and come down into pageable memory, which takes
/// longer than the kernels; the calls and waits of a trip are shared by the jobs of a batch. The
/// router corrects both from measurements.
fn prior_cost(operation: Operation, is_host: bool) -> Cost {
    // The host build is for tests, and far slower than the processor's own decoders.
    if is_host {
        return Cost { setup: Duration::from_millis(1), bytes_per_second: 5e6 };
    }
    let gigabytes_per_second = match operation {
        // Symbols are decoded one after the other: small batches leave the GPU idle.
        Operation::Decompress { format: Codec::Deflate | Codec::Zlib | Codec::Gzip | Codec::Zstd } => 3.0,
        _ => 5.0,
    };
    Cost { setup: Duration::from_micros(20), bytes_per_second: gigabytes_per_second * 1e9 }
}

impl Device for CudaDevice {
    fn name(&self) -> &str {
        if self.common.gpu.properties().is_host { "cuda-host" } else { "cuda" }
    }

    fn description(&self) -> String {
        let properties = self.common.gpu.properties();
        let gib = properties.memory as f64 / f64::from(1 << 30);
        match properties.is_host {
            true => format!("{}, {} threads", properties.name, properties.multiprocessors),
            false => {
                format!("{}, {} multiprocessors, {gib:.0} GiB", properties.name, properties.multiprocessors)
            }
        }
    }

    fn supports(&self, job: &JobView<'_>) -> std::result::Result<(), Unsupported> {
        takes(job, self.common.batch_bytes()).map(drop)
    }

    fn prior_cost(&self, operation: Operation) -> Cost {
        prior_cost(operation, self.common.gpu.properties().is_host)
    }

    /// One batch runs at a time, and its jobs share its time.
    fn worker_count(&self) -> usize {
        1
    }

    fn submit(&self, tasks: Vec<Task>) {
        self.worker.submit(tasks);
    }

    fn run_borrowed(&self, job: &mut BorrowedJob<'_>) -> std::result::Result<BorrowedOutput, Failure> {
        let (job, output) = job.parts();
        let format = takes(&job, self.common.batch_bytes()).map_err(Failure::Unsupported)?;
        let page = Page { format, input: Bytes::copy_from_slice(job.input), capacity: output.len() };
        let pages = [page];
        let stream = self.direct.lock();
        let done = decompress(&self.common, &stream, &pages).map_err(fault)?;
        drop(stream);
        let (outcome, bytes) = done.page(0);
        let produced = result(&pages[0], job.output, outcome)?;
        output[..produced.produced].copy_from_slice(bytes);
        Ok(produced)
    }
}

impl std::fmt::Debug for CudaDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CudaDevice").field("gpu", &self.common.gpu).finish_non_exhaustive()
    }
}
