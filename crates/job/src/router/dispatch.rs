//! Handing out jobs to devices as room comes free.

use std::sync::Arc;

use crate::device::task::Task;
use crate::queue::admission::Admitted;
use crate::queue::batch_state::Slots;
use crate::queue::in_flight::{Assigned, Claim};
use crate::router::Router;
use crate::util::lock;

impl Router {
    /// A job's bytes are free. The caller pumps when it has told the job's holder.
    pub(crate) fn release(&self, bytes: usize) {
        lock(&self.flow).release(bytes);
    }

    /// A device failed a job: find it another.
    pub(crate) fn again(self: &Arc<Self>, claim: Claim) {
        lock(&self.flow).push_again(claim);
        self.pump();
    }

    /// A batch was cancelled.
    pub(crate) fn forget(self: &Arc<Self>, slots: &Arc<Slots>) {
        lock(&self.flow).forget(slots);
        self.pump();
    }

    /// Hand out what may go to devices. Only one thread does so at a time, and it looks again before it ends,
    /// so that a device which finishes a job inside `submit` leads to another round here and not to a deeper
    /// call.
    pub(crate) fn pump(self: &Arc<Self>) {
        loop {
            let admitted = {
                let mut flow = lock(&self.flow);
                if flow.pumping {
                    return;
                }
                let admitted = flow.admit(self.limits().bytes_in_flight);
                flow.pumping = !admitted.is_empty();
                admitted
            };
            if admitted.is_empty() {
                return;
            }
            self.dispatch(admitted);
            lock(&self.flow).pumping = false;
        }
    }

    fn dispatch(self: &Arc<Self>, admitted: Vec<Admitted>) {
        let mut tasks: Vec<Vec<Task>> = self.entries().iter().map(|_| Vec::new()).collect();
        let mut attended: Vec<Arc<Slots>> = Vec::new();
        for admitted in admitted {
            let claim = match admitted {
                Admitted::Again(claim) => claim,
                Admitted::New { slots, index, bytes } => {
                    Claim { router: Arc::clone(self), slots, index, bytes: Some(bytes), attempts: Vec::new() }
                }
            };
            let slots = &claim.slots;
            if slots.is_caller_runs() && !attended.last().is_some_and(|last| Arc::ptr_eq(last, slots)) {
                attended.push(Arc::clone(slots));
            }
            if let Some((device, task)) = self.assign(claim) {
                tasks[device].push(task);
            }
        }
        for (entry, tasks) in self.entries().iter().zip(tasks) {
            if !tasks.is_empty() {
                entry.submit(tasks);
            }
        }
        // Whose holder gave up before the tasks were with a device has nobody else to let go of them. Who gives up later does so itself.
        for slots in attended.iter().filter(|slots| slots.is_cancelled()) {
            while self.help(slots) {}
        }
    }

    /// Choose a device for one job, or end the job if there is none, or if it was cancelled.
    fn assign(&self, claim: Claim) -> Option<(usize, Task)> {
        let Some(job) = claim.slots.peek(claim.index) else {
            if let Some(last) = claim.attempts.last() {
                self.entry(last.device).tally.cancelled(last.operation);
            }
            return None;
        };
        let view = job.view();
        match self.route(&view, &claim.attempts) {
            Ok(choice) => {
                let entry = self.entry(choice.device);
                entry.load.add(choice.expected);
                entry.tally.tried(job.operation);
                let task = Task::new(Assigned {
                    claim,
                    device: choice.device,
                    operation: job.operation,
                    input_len: job.input.len(),
                    output: job.output,
                    plain: view.uncompressed_len(),
                    expected: choice.expected,
                });
                Some((choice.device, task))
            }
            Err(error) => {
                drop(job);
                claim.conclude(Err(error));
                None
            }
        }
    }
}
