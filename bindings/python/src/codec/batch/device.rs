//! Devices of a batch: the threads of this process, or a router.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pelton_codec::{Error, Format, Level, Progress, Stream};
use pelton_job::{Job, JobError, Limits, OutputSize, Router, Ticket};
use pelton_registry::{DeviceChoice, Wanted};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use super::{interleaving, parallel};
use crate::engine::settings;

/// Interval of checks for Python's signals while devices work.
const ASKED_EVERY: Duration = Duration::from_millis(50);

/// Place where a batch runs.
pub enum Device {
    /// The threads of this process. The router's CPU device would do the same after a copy of the
    /// inputs and outputs.
    Threads,
    /// The devices that were chosen, or that are available.
    Router(Arc<Router>),
}

/// The routers of this process, opened once for each choice of devices, and never closed.
static ROUTERS: Mutex<Vec<Kept>> = Mutex::new(Vec::new());

/// A router, if it has anything but the CPU.
struct Kept {
    /// The process that opened it: a forked child has no router threads.
    process: u32,
    /// Argument of [`pelton_registry::open`].
    choice: Option<DeviceChoice>,
    router: Option<Arc<Router>>,
}

impl Device {
    /// Returns the devices of an argument, which has the same meaning as for `connect`.
    ///
    /// # Errors
    /// `ValueError` for unknown or missing devices, `TypeError` for another type.
    pub fn given(py: Python<'_>, device: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let choice = match device.map(settings::devices).transpose()?.flatten() {
            None => {
                DeviceChoice::from_environment().map_err(|error| PyValueError::new_err(error.to_string()))?
            }
            choice => choice,
        };
        if choice.as_ref().is_some_and(|choice| matches!(choice.wanted(), [Wanted::Cpu])) {
            return Ok(Self::Threads);
        }
        let process = std::process::id();
        let find = |kept: &[Kept]| {
            let kept = kept.iter().find(|kept| kept.process == process && kept.choice == choice)?;
            Some(kept.router.clone())
        };
        // The lock is only held together with the interpreter's, under which a process forks.
        let found = find(&ROUTERS.lock().unwrap_or_else(PoisonError::into_inner));
        let router = match found {
            Some(router) => router,
            None => {
                let router = py.detach(|| open(choice.as_ref()))?;
                let mut kept = ROUTERS.lock().unwrap_or_else(PoisonError::into_inner);
                kept.push(Kept { process, choice, router: router.clone() });
                router
            }
        };
        Ok(router.map_or(Self::Threads, Self::Router))
    }

    /// Decompresses all streams and sets their results.
    ///
    /// # Errors
    /// A signal handler raised, or a device failed and no other could do its work.
    pub fn decompress(&self, py: Python<'_>, streams: &mut [Stream<'_>], threads: usize) -> PyResult<()> {
        let router = match self {
            Self::Threads => {
                let weight = |stream: &Stream<'_>| stream.output.len();
                return parallel::run(py, streams, threads, weight, interleaving::decompress);
            }
            Self::Router(router) => router,
        };
        let jobs = streams.iter().map(|stream| {
            let (input, capacity) = (copy(router, stream.input), OutputSize::AtMost(stream.output.len()));
            Job::decompress(stream.format, input, capacity)
        });
        let ticket = router.submit(jobs.collect::<Vec<_>>());
        let outcomes = wait(py, ticket)?;
        for (stream, outcome) in streams.iter_mut().zip(outcomes) {
            stream.result = match outcome {
                Ok(done) => {
                    let produced = done.output.len();
                    stream.output[..produced].copy_from_slice(&done.output);
                    Ok(Progress { consumed: done.consumed, produced })
                }
                Err(JobError::Codec { error, .. }) => Err(error),
                Err(JobError::LimitExceeded { limit, .. }) => {
                    Err(Error::OutputTooSmall { format: stream.format, room: limit })
                }
                Err(other) => return Err(failed(&other)),
            };
        }
        Ok(())
    }

    /// Compresses all inputs; `None` if the threads of this process should do it.
    pub fn compress(
        &self,
        py: Python<'_>,
        inputs: &[&[u8]],
        format: Format,
        level: Level,
    ) -> PyResult<Option<Vec<Result<bytes::Bytes, Error>>>> {
        let Self::Router(router) = self else { return Ok(None) };
        let jobs = inputs.iter().map(|input| Job::compress(format, level, copy(router, input)));
        let outcomes = wait(py, router.submit(jobs.collect::<Vec<_>>()))?;
        let results = outcomes.into_iter().map(|outcome| match outcome {
            Ok(done) => Ok(Ok(done.output)),
            Err(JobError::Codec { error, .. }) => Ok(Err(error)),
            Err(other) => Err(failed(&other)),
        });
        results.collect::<PyResult<_>>().map(Some)
    }
}

fn copy(router: &Router, input: &[u8]) -> bytes::Bytes {
    let mut buffer = router.input_buffer(input.len());
    buffer.as_mut_slice().copy_from_slice(input);
    buffer.finish()
}

fn open(choice: Option<&DeviceChoice>) -> PyResult<Option<Arc<Router>>> {
    let opened = pelton_registry::open(0, choice)
        .map_err(|error| PyValueError::new_err(format!("device: {error}")))?;
    let is_more = opened.devices.iter().any(|device| device.name() != "cpu");
    Ok(is_more.then(|| opened.router(Limits::default())))
}

fn failed(error: &JobError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

/// Waits for a batch, which is cancelled if a signal handler raises.
fn wait(py: Python<'_>, mut ticket: Ticket) -> PyResult<Vec<pelton_job::JobResult>> {
    py.detach(|| {
        let mut outcomes = Vec::with_capacity(ticket.len());
        let mut asked = Instant::now();
        while let Some(outcome) = ticket.wait_next() {
            outcomes.push(outcome);
            if asked.elapsed() >= ASKED_EVERY {
                asked = Instant::now();
                Python::try_attach(|py| py.check_signals()).unwrap_or(Ok(()))?;
            }
        }
        Ok(outcomes)
    })
}
