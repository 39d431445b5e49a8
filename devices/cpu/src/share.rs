//! Selection of the queued tasks that a thread runs at once.
//!
//! DEFLATE streams and Snappy blocks are decoded faster interleaved than one after another
//! (`pelton_codec::BatchInflater`). But a task that one thread took is lost to the others: a thread
//! with too many tasks would still be busy when the others are idle, and its first result would
//! come no sooner than its last.

use std::collections::VecDeque;

use pelton_codec::BatchInflater;
use pelton_job::{Operation, Task};

/// Maximum number of queued tasks to examine, which bounds the time under the queue's lock. Twice
/// the maximum taken, so that every other task may be of another kind.
const MAX_EXAMINED: usize = 2 * MAX_TASKS;

/// Maximum number of tasks taken at once: six rounds of lanes. More would gain nothing, since lanes
/// idle only at the end of a batch.
const MAX_TASKS: usize = 6 * BatchInflater::LANES;

/// Maximum output bytes taken at once, which a thread decodes in some ten milliseconds. Pages of
/// ordinary size make one round of lanes.
const MAX_BYTES: usize = 8 << 20;

/// Returns the maximum output of a task that runs faster interleaved; none for any other task.
fn interleaved_len(task: &Task) -> Option<usize> {
    let Operation::Decompress { format } = task.operation() else { return None };
    let len = task.output().max_len();
    BatchInflater::gains(format, task.input_len(), len).then_some(len)
}

/// Occupation of a pool when one of its threads takes tasks.
#[derive(Clone, Copy)]
pub(crate) struct Occupation {
    /// Tasks in the queue.
    pub(crate) queued: usize,
    /// Tasks that threads are running.
    pub(crate) running: usize,
    /// Maximum number of threads.
    pub(crate) threads: usize,
}

impl Occupation {
    /// Returns the maximum number of tasks to take: an equal share of all tasks for every thread.
    /// Shares shrink towards the end of the queue, so all threads end at about the same time. A
    /// last round that would leave most lanes idle is left for others; 0 if there are too few tasks
    /// to interleave any.
    fn share(self) -> usize {
        let fair = (self.queued + self.running).div_ceil(self.threads.max(1));
        fill_lanes(fair.min(self.queued).min(MAX_TASKS))
    }

    /// Returns the ascending queue positions of the tasks to run interleaved, beginning with the
    /// first task; none if the first task is to run alone. `tasks` yields [`interleaved_len`] of
    /// each queued task.
    pub(crate) fn choose(self, tasks: impl Iterator<Item = Option<usize>>) -> Vec<usize> {
        let share = self.share();
        let mut chosen = Vec::new();
        if share == 0 {
            return chosen;
        }
        let mut bytes = 0_usize;
        for (place, len) in tasks.take(MAX_EXAMINED).enumerate() {
            match len {
                Some(len) if bytes.saturating_add(len) <= MAX_BYTES => {
                    bytes += len;
                    chosen.push(place);
                }
                _ if place == 0 => return chosen,
                Some(_) => break,
                None => {}
            }
            if chosen.len() == share {
                break;
            }
        }
        chosen.truncate(fill_lanes(chosen.len()));
        chosen
    }
}

/// Removes the task at the head of a queue, and the tasks to run interleaved with it.
pub(crate) fn take_from(queue: &mut VecDeque<Task>, occupation: Occupation) -> Option<Vec<Task>> {
    let places = occupation.choose(queue.iter().map(interleaved_len));
    let Some(last) = places.last() else { return Some(vec![queue.pop_front()?]) };
    let (mut taken, mut left) = (Vec::with_capacity(places.len()), Vec::new());
    let mut places = places.iter().copied().peekable();
    for (place, task) in queue.drain(..=*last).enumerate() {
        if places.next_if_eq(&place).is_some() { taken.push(task) } else { left.push(task) }
    }
    for task in left.into_iter().rev() {
        queue.push_front(task);
    }
    Some(taken)
}

/// Returns the number of tasks without a last round that would leave most lanes idle.
fn fill_lanes(tasks: usize) -> usize {
    let rest = tasks % BatchInflater::LANES;
    if rest < BatchInflater::MIN_STREAMS { tasks - rest } else { tasks }
}

#[cfg(test)]
mod tests;
