//! Jobs in flight, from tasks to descriptors in the work queues and back.
//!
//! An [operation] is a job with all memory that the device may access for it: its buffers, the
//! driver's scratch memory and the completion record. Each of its descriptors goes to the [work
//! queue](work_queue) with the largest free share, and each answer leads to the next descriptor or
//! to the result. Memory is freed only after the record has a status or the portal is closed.
//!
//! For each NUMA node a [worker] thread takes tasks from its [task queue](task_queue) and runs the
//! [submission loop](submission). Operations stay on their thread, so they need no lock. A caller
//! of a [blocking](blocking) run has a loop of its own.

mod blocking;
mod memory;
mod operation;
mod owned;
mod page_fault;
mod submission;
mod task_queue;
mod wait;
mod work_queue;
mod worker;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use pelton_job::Task;

use crate::error::IaaError;
use crate::hw::Opcode;
use crate::operations::Output;
use crate::portal::Portal;
use submission::SubmissionLoop;
use task_queue::TaskQueue;
use work_queue::WorkQueue;
use worker::Worker;

#[cfg(test)]
pub(crate) use memory::Memory;
pub(crate) use memory::{Borrowed, Buffers, Parts, Region, Request, Scratch, Span};
pub(crate) use operation::InFlightOperation;
pub(crate) use owned::{Owned, failure};
pub use wait::Wait;
pub(crate) use worker::JobHandler;

/// The work queues of a process, and the threads that serve them.
pub(crate) struct WorkQueues {
    all: Vec<Arc<WorkQueue>>,
    groups: Vec<NodeGroup>,
    wait: Wait,
}

/// The work queues of a NUMA node, and their worker, which starts with the first task.
struct NodeGroup {
    node: Option<u32>,
    task_queue: Arc<TaskQueue>,
    work_queues: Vec<Arc<WorkQueue>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl WorkQueues {
    /// Returns the queues of these portals, each with at most `max_in_flight` descriptors.
    pub(crate) fn new(portals: Vec<Arc<dyn Portal>>, max_in_flight: usize, wait: Wait) -> WorkQueues {
        let all: Vec<Arc<WorkQueue>> =
            portals.into_iter().map(|portal| WorkQueue::new(portal, max_in_flight)).collect();
        let mut nodes: Vec<Option<u32>> = all.iter().map(|queue| queue.capabilities().node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let group = |node: Option<u32>| {
            let work_queues = all.iter().filter(|queue| queue.capabilities().node == node).cloned().collect();
            NodeGroup { node, task_queue: Arc::default(), work_queues, thread: Mutex::default() }
        };
        let groups = nodes.into_iter().map(group).collect();
        WorkQueues { all, groups, wait }
    }

    /// Returns the maximum number of descriptors in flight.
    pub(crate) fn max_in_flight(&self) -> usize {
        self.all.iter().map(|queue| queue.max_in_flight()).sum()
    }

    /// Returns the maximum length of a source or destination that every queue allows.
    pub(crate) fn max_transfer(&self) -> usize {
        self.all.iter().map(|queue| queue.capabilities().max_transfer_bytes).min().unwrap_or(0)
    }

    /// Returns whether every queue allows an opcode.
    pub(crate) fn allows(&self, opcode: Opcode) -> bool {
        self.all.iter().all(|queue| queue.capabilities().allows(opcode))
    }

    /// Returns the number of queues, and the number of open ones.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.all.len(), self.all.iter().filter(|queue| queue.is_open()).count())
    }

    /// Gives tasks to the node's worker, or to the least loaded one if the node's queues are full.
    pub(crate) fn submit(&self, tasks: Vec<Task>, node: Option<u32>, handler: &Arc<dyn JobHandler>) {
        let load = |group: &NodeGroup| group.task_queue.load.load(Relaxed);
        let capacity =
            |group: &NodeGroup| group.work_queues.iter().map(|queue| queue.max_in_flight()).sum::<usize>();
        let near = self.groups.iter().find(|group| node.is_some() && group.node == node);
        let near = near.filter(|group| load(group) <= capacity(group));
        // Dropped tasks go to the next device.
        let Some(group) = near.or_else(|| self.groups.iter().min_by_key(|group| load(group))) else {
            return;
        };
        if group.start(&self.wait, handler) {
            group.task_queue.push(tasks);
        }
    }

    /// Runs an operation to its end on this thread.
    pub(crate) fn run<B: Buffers>(
        &self,
        operation: InFlightOperation<B>,
        node: Option<u32>,
    ) -> Result<Output, IaaError> {
        blocking::run(operation, &self.all, node, &self.wait)
    }

    /// Runs operations to their end on this thread, up to `in_flight` at once.
    pub(crate) fn run_many<B: Buffers>(
        &self,
        operations: impl Iterator<Item = InFlightOperation<B>>,
        in_flight: usize,
    ) -> Result<(), IaaError> {
        let mut all = Ok(());
        blocking::run_many(operations, in_flight, &self.all, None, &self.wait, |result| {
            if let Err(error) = result {
                all = Err(error);
            }
        });
        all
    }
}

impl NodeGroup {
    /// Starts the worker if it is not running. Returns false if the system has no thread to give.
    fn start(&self, wait: &Wait, handler: &Arc<dyn JobHandler>) -> bool {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_none() {
            let worker = Worker {
                task_queue: Arc::clone(&self.task_queue),
                submissions: SubmissionLoop::new(self.work_queues.clone(), None),
                handler: Arc::clone(handler),
                wait: wait.clone(),
            };
            let name = self.node.map_or("pelton-iaa".into(), |node| format!("pelton-iaa-{node}"));
            let task_queue = Arc::clone(&self.task_queue);
            let run = move || {
                // A panic drops the operations in flight, which closes their queues. Closing the
                // task queue sends waiting and later tasks to another device.
                if catch_unwind(AssertUnwindSafe(|| worker.run())).is_err() {
                    task_queue.close();
                }
            };
            *thread = thread::Builder::new().name(name).spawn(run).ok();
        }
        thread.is_some()
    }
}

impl Drop for NodeGroup {
    fn drop(&mut self) {
        self.task_queue.close();
        let thread = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        // The worker itself may drop the last reference to the device; it can't join itself.
        if let Some(thread) = thread
            && thread.thread().id() != thread::current().id()
        {
            let _ = thread.join();
        }
    }
}
