//! Modelled clock: start and end of each request on its engine, by published figures.
//!
//! A request arrives at its paste, and not before the modelled end of any request with an answer by
//! then. It starts when its engine is free. The real speed of the model has no influence.

use std::fmt;
use std::time::Duration;

use pelton_device_nx::hw::Function;
use pelton_nxu::{Config, Setup};

/// Figures of the hardware: the paper's model of a request's time, setup plus bytes by bandwidth
/// (section VIII-D), with the figures of its Table II.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// The hardware's part of the setup of a compression, which eight threads see.
    pub compress_setup: Duration,
    /// The same of a decompression.
    pub decompress_setup: Duration,
    /// Setup of a compression for one thread, with the software's part.
    pub compress_latency: Duration,
    /// The same of a decompression.
    pub decompress_latency: Duration,
    /// Source bytes per second, history included, of a compression.
    pub compress: f64,
    /// Output bytes per second, history included, of a decompression.
    pub decompress: f64,
}

impl Timing {
    /// Returns the published figures of an engine. Bandwidths are half-peak size by setup time, for
    /// one thread.
    pub fn of(engine: &Config) -> Timing {
        let Config { compress, decompress, .. } = engine;
        let setup = |setup: Setup| Duration::from_secs_f64(setup.seconds);
        Timing {
            compress_setup: setup(compress.shared),
            decompress_setup: setup(decompress.shared),
            compress_latency: setup(compress.alone),
            decompress_latency: setup(decompress.alone),
            compress: compress.alone.bandwidth(),
            decompress: decompress.alone.bandwidth(),
        }
    }

    /// Returns the time of a request on the engine, for bytes on the uncompressed side.
    pub fn on_engine(&self, function: Function, bytes: usize) -> Duration {
        let (setup, bandwidth) = match function {
            Function::Decompress { .. } => (self.decompress_setup, self.decompress),
            Function::Compress { .. } | Function::Wrap => (self.compress_setup, self.compress),
        };
        setup + Duration::from_secs_f64(bytes as f64 / bandwidth)
    }

    /// Returns the time of a request as its only thread sees it.
    pub fn latency(&self, function: Function, bytes: usize) -> Duration {
        let software = match function {
            Function::Decompress { .. } => self.decompress_latency - self.decompress_setup,
            Function::Compress { .. } | Function::Wrap => self.compress_latency - self.compress_setup,
        };
        software + self.on_engine(function, bytes)
    }
}

/// Result of a model's clock. Every figure is modelled: computed from published figures of the
/// hardware, not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelledTime {
    /// Number of completed requests.
    pub requests: u64,
    /// Used source bytes, with histories.
    pub bytes_in: u64,
    /// Bytes written to targets.
    pub bytes_out: u64,
    /// Modelled time from the first arrival to the last end.
    pub modelled_makespan: Duration,
    /// Modelled time of work, summed over the engines.
    pub modelled_busy: Duration,
    /// Number of engines.
    pub engines: usize,
}

impl fmt::Display for ModelledTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.modelled_makespan.as_secs_f64();
        let by = |value: f64| if all > 0.0 { value / all } else { 0.0 };
        write!(
            f,
            "modelled: {} requests in {:?}, {:.2} GB/s in, {:.2} GB/s out, {} engines {:.0}% busy",
            self.requests,
            self.modelled_makespan,
            by(self.bytes_in as f64 / 1e9),
            by(self.bytes_out as f64 / 1e9),
            self.engines,
            by(self.modelled_busy.as_secs_f64()) / self.engines.max(1) as f64 * 100.0,
        )
    }
}

/// The work of a request that determines its time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Work {
    pub(super) function: Option<Function>,
    pub(super) source_bytes: usize,
    pub(super) target_bytes: usize,
    /// Bytes of the uncompressed side, with the history.
    pub(super) uncompressed: usize,
}

/// Time lines of a model's engines since the first arrival.
pub(super) struct Clock {
    timing: Timing,
    /// For each engine, the time when it is free.
    free: Vec<Duration>,
    report: ModelledTime,
}

impl Clock {
    pub(super) fn new(timing: Timing, engines: usize) -> Clock {
        let report = ModelledTime { engines, ..ModelledTime::default() };
        Clock { timing, free: vec![Duration::ZERO; engines], report }
    }

    /// Returns the arrival of a request that is pasted now.
    pub(super) fn arrival(&self) -> Duration {
        self.report.modelled_makespan
    }

    /// Notes a completed request.
    pub(super) fn completed(&mut self, engine: usize, arrival: Duration, work: &Work) {
        let time = match work.function {
            Some(function) => self.timing.on_engine(function, work.uncompressed),
            None => self.timing.compress_setup,
        };
        let end = self.free[engine].max(arrival) + time;
        self.free[engine] = end;
        let report = &mut self.report;
        report.requests += 1;
        report.bytes_in += work.source_bytes as u64;
        report.bytes_out += work.target_bytes as u64;
        report.modelled_makespan = report.modelled_makespan.max(end);
        report.modelled_busy += time;
    }

    pub(super) fn report(&self) -> ModelledTime {
        self.report
    }
}

#[cfg(test)]
mod tests;
