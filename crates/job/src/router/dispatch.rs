//! Dispatch: admitted jobs are assigned to devices, and their completions admit the next.

use std::sync::Arc;
use std::time::Duration;

use super::Router;
use super::device_state::DeviceState;
use crate::device::Failure;
use crate::device::task::Task;
use crate::job::batch::BatchId;
use crate::memory::buffer_pool::BufferPool;
use crate::queue::admission::Admitted;
use crate::queue::batch_state::BatchState;
use crate::queue::in_flight::{AssignedJob, Attempt, Completion, InFlightJob};
use crate::util::lock;

impl Router {
    /// Dispatches admitted jobs. Only one thread does so at a time, and it checks the queue again
    /// before it ends. A device that finishes a job inside `submit` thus causes another round here,
    /// not a deeper call.
    pub(super) fn dispatch_admitted(self: &Arc<Self>) {
        loop {
            let admitted = {
                let mut admission = lock(&self.admission);
                if admission.dispatching {
                    return;
                }
                let admitted = admission.admit(self.limits.bytes_in_flight);
                admission.dispatching = !admitted.is_empty();
                admitted
            };
            if admitted.is_empty() {
                return;
            }
            self.submit_to_devices(admitted);
            lock(&self.admission).dispatching = false;
        }
    }

    fn submit_to_devices(self: &Arc<Self>, admitted: Vec<Admitted>) {
        let mut tasks: Vec<Vec<Task>> = self.devices.iter().map(|_| Vec::new()).collect();
        let mut caller_runs: Vec<Arc<BatchState>> = Vec::new();
        for admitted in admitted {
            let job = match admitted {
                Admitted::Retry(job) => job,
                Admitted::New { batch, index, bytes } => InFlightJob {
                    completion: Arc::clone(self) as _,
                    batch,
                    index,
                    bytes: Some(bytes),
                    attempts: Vec::new(),
                },
            };
            let batch = &job.batch;
            if batch.is_caller_runs() && !caller_runs.last().is_some_and(|last| Arc::ptr_eq(last, batch)) {
                caller_runs.push(Arc::clone(batch));
            }
            if let Some((device, task)) = self.assign(job) {
                tasks[device].push(task);
            }
        }
        for (state, tasks) in self.devices.iter().zip(tasks) {
            if !tasks.is_empty() {
                state.submit(tasks);
            }
        }
        // A ticket that was cancelled before its tasks reached a device could not release them: do
        // so here. A ticket that is cancelled later does it itself.
        for batch in caller_runs.iter().filter(|batch| batch.is_cancelled()) {
            while self.run_on_caller(batch.id()) {}
        }
    }

    /// Selects a device for one job. Ends the job if no device remains or if it was cancelled.
    fn assign(&self, in_flight: InFlightJob) -> Option<(usize, Task)> {
        let Some(job) = in_flight.batch.peek(in_flight.index) else {
            if let Some(last) = in_flight.attempts.last() {
                self.devices[last.device].metrics.cancelled(last.operation);
            }
            return None;
        };
        let view = job.view();
        match self.select(&view, &in_flight.attempts) {
            Ok(selection) => {
                let state = &self.devices[selection.device];
                state.load.add(selection.expected);
                state.metrics.tried(job.operation);
                let task = Task::new(AssignedJob {
                    job: in_flight,
                    device: selection.device,
                    operation: job.operation,
                    input_len: job.input.len(),
                    output: job.output,
                    uncompressed_len: view.uncompressed_len(),
                    expected: selection.expected,
                });
                Some((selection.device, task))
            }
            Err(error) => {
                drop(job);
                in_flight.complete(Err(error));
                None
            }
        }
    }

    fn state(&self, job: &AssignedJob) -> &DeviceState {
        &self.devices[job.device]
    }
}

impl Completion for Router {
    fn buffer_pool(&self) -> &Arc<BufferPool> {
        &self.pool
    }

    fn release(&self, bytes: usize) {
        lock(&self.admission).release(bytes);
    }

    fn dispatch(self: Arc<Self>) {
        self.dispatch_admitted();
    }

    fn retry(self: Arc<Self>, job: InFlightJob) {
        lock(&self.admission).push_retry(job);
        self.dispatch_admitted();
    }

    fn remove(self: Arc<Self>, batch: &Arc<BatchState>) {
        lock(&self.admission).remove(batch);
        self.dispatch_admitted();
    }

    fn run_on_caller(&self, batch: BatchId) -> bool {
        self.devices.iter().any(|state| state.run_on_caller(batch))
    }

    fn unload(&self, job: &AssignedJob) {
        self.state(job).load.remove(job.expected);
    }

    fn succeeded(&self, job: &AssignedJob, produced: usize, time: Duration, interleaved: bool) -> Arc<str> {
        let state = self.state(job);
        let AssignedJob { operation, input_len, uncompressed_len, .. } = *job;
        state.succeeded(operation, input_len, produced, uncompressed_len, time, interleaved);
        self.record_false_complaints(&job.job.attempts);
        Arc::clone(&state.name)
    }

    fn failed(&self, job: &AssignedJob, failure: &Failure) {
        self.state(job).failed(failure);
    }

    fn cancelled(&self, job: &AssignedJob) {
        let state = self.state(job);
        state.breaker.release_probe();
        state.metrics.cancelled(job.operation);
    }

    fn attempts_ended(&self, attempts: &[Attempt]) {
        self.release_probes(attempts);
    }
}
