//! Tasks of caller-runs batches, kept for the threads that wait for their results.

use std::collections::VecDeque;

use pelton_job::{BatchId, Task};

use crate::share::{Occupation, take_from};

/// Tasks of caller-runs batches, by batch. Only the thread that waits for a batch takes its tasks.
#[derive(Default)]
pub(crate) struct CallerRuns(Vec<(BatchId, VecDeque<Task>)>);

impl CallerRuns {
    /// Adds a task behind those of its batch.
    pub(crate) fn add(&mut self, task: Task) {
        match self.0.iter_mut().find(|(batch, _)| *batch == task.batch()) {
            Some((_, tasks)) => tasks.push_back(task),
            None => self.0.push((task.batch(), VecDeque::from([task]))),
        }
    }

    /// Returns the number of tasks.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|(_, tasks)| tasks.len()).sum()
    }

    /// Removes the next tasks of a batch: the first, and others to run interleaved with it.
    pub(crate) fn take(&mut self, batch: BatchId) -> Option<Vec<Task>> {
        let at = self.0.iter().position(|(of, _)| *of == batch)?;
        let tasks = &mut self.0[at].1;
        // the remaining tasks of a batch are for the calling thread
        let alone = Occupation { queued: tasks.len(), running: 0, threads: 1 };
        let taken = take_from(tasks, alone);
        if tasks.is_empty() {
            self.0.remove(at);
        }
        taken
    }
}
