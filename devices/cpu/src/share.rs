//! Which tasks of the queue a thread takes at once.
//!
//! Streams of DEFLATE, and blocks of Snappy, are decoded faster several at a time than one after the other (`pelton_codec::BatchInflater`). But
//! tasks that one thread has, no other can take: a thread that took too many would still be at them when the others have
//! nothing left, and its first result would come no sooner than its last.

use pelton_codec::BatchInflater;
use pelton_job::{Operation, Task};

/// Tasks that are looked at for those to be taken: a bound on the time that the queue's lock is held. Twice what is
/// taken, so that every other task may be of another kind.
const LOOKED_AT: usize = 2 * MOST_TASKS;

/// Tasks that are taken at once at most: six rounds of lanes. More would gain nothing, since a lane that has ended its
/// stream idles only at the end of a batch.
const MOST_TASKS: usize = 6 * BatchInflater::LANES;

/// Output bytes that are taken at once at most: what a thread decodes in ten milliseconds or so. Pages of 1 MiB, which
/// is where writers of Parquet end them, make one round of lanes.
const MOST_BYTES: usize = 8 << 20;

/// What of a task matters here: the bytes that it may produce, if it gains from company.
pub(crate) fn in_company(task: &Task) -> Option<usize> {
    let Operation::Decompress { format } = task.operation() else { return None };
    let room = task.output().max_len();
    BatchInflater::gains(format, task.input_len(), room).then_some(room)
}

/// How a pool is occupied, as one of its threads is about to take tasks.
#[derive(Clone, Copy)]
pub(crate) struct Occupation {
    /// Tasks in the queue.
    pub(crate) queued: usize,
    /// Tasks that threads are at.
    pub(crate) running: usize,
    /// Threads that there may be.
    pub(crate) threads: usize,
}

impl Occupation {
    /// The most tasks to take: an equal part for every thread of all tasks that there are, so that what is taken becomes
    /// less towards the end, and all threads end at about the same time. What would leave most lanes idle is left for
    /// others; 0 if there are not enough to take several at all.
    fn share(self) -> usize {
        let fair = (self.queued + self.running).div_ceil(self.threads.max(1));
        fill_lanes(fair.min(self.queued).min(MOST_TASKS))
    }

    /// The places in the queue, ascending, of the tasks to take together, the first of the queue among them; none if that
    /// one is to be taken alone. `tasks` says of the queued tasks what [`in_company`] does.
    pub(crate) fn choose(self, tasks: impl Iterator<Item = Option<usize>>) -> Vec<usize> {
        let share = self.share();
        let mut chosen = Vec::new();
        if share == 0 {
            return chosen;
        }
        let mut bytes = 0_usize;
        for (place, room) in tasks.take(LOOKED_AT).enumerate() {
            match room {
                Some(room) if bytes.saturating_add(room) <= MOST_BYTES => {
                    bytes += room;
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

/// The number of tasks without those of a last round that would leave most lanes idle.
fn fill_lanes(tasks: usize) -> usize {
    let rest = tasks % BatchInflater::LANES;
    if rest < BatchInflater::MIN_STREAMS { tasks - rest } else { tasks }
}

#[cfg(test)]
mod tests;
