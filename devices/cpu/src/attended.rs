//! Tasks that wait for those who wait for them.

use std::collections::VecDeque;

use pelton_job::{BatchId, Task};

use crate::pool::take_from;
use crate::share::Occupation;

/// Tasks of attended batches, by batch. Nobody but who waits for one takes of it.
#[derive(Default)]
pub(crate) struct Attended(Vec<(BatchId, VecDeque<Task>)>);

impl Attended {
    /// Adds a task behind those of its batch.
    pub(crate) fn add(&mut self, task: Task) {
        match self.0.iter_mut().find(|(batch, _)| *batch == task.batch()) {
            Some((_, tasks)) => tasks.push_back(task),
            None => self.0.push((task.batch(), VecDeque::from([task]))),
        }
    }

    /// How many there are.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|(_, tasks)| tasks.len()).sum()
    }

    /// What its holder does next of a batch: the first task, and others to be run together with it.
    pub(crate) fn take(&mut self, batch: BatchId) -> Option<Vec<Task>> {
        let at = self.0.iter().position(|(of, _)| *of == batch)?;
        let tasks = &mut self.0[at].1;
        // what is left of a batch is for the thread that asks
        let alone = Occupation { queued: tasks.len(), running: 0, threads: 1 };
        let taken = take_from(tasks, alone);
        if tasks.is_empty() {
            self.0.remove(at);
        }
        taken
    }
}
