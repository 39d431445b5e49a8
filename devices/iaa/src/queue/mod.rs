//! Jobs in flight: from tasks to descriptors in the device's queues and back.
//!
//! A [flight](flight) is a job with all that the device may touch for it: its buffers, the driver's
//! own memory and the completion record. It goes up once for each descriptor that the job takes, on
//! the [lane](lane) that has room, and what the device answers leads to the next descriptor or to
//! the result. Memory is let go when the record has a status or the lane's portal is closed, and
//! never otherwise.
//!
//! A [worker](worker) thread for each NUMA node's lanes takes tasks from its [inbox](inbox), hands
//! descriptors in and looks for answers; nobody else sees its flights, so that there is nothing to
//! lock. A caller who waits anyway flies [alone](blocking).

mod blocking;
mod flight;
mod inbox;
mod lane;
mod memory;
mod owned;
mod submit;
mod touch;
mod traffic;
mod wait;
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
use inbox::Inbox;
use lane::Lane;
use traffic::Traffic;
use worker::Worker;

pub(crate) use flight::Flight;
#[cfg(test)]
pub(crate) use memory::Memory;
pub(crate) use memory::{Borrowed, Buffers, Order, Parts, Place, Scratch, Span};
pub(crate) use owned::{Owned, failure};
pub use wait::{Pause, Wait};
pub(crate) use worker::Pilot;

/// The lanes of one process, and the threads that work them.
pub(crate) struct Queue {
    lanes: Vec<Arc<Lane>>,
    teams: Vec<Team>,
    wait: Wait,
}

/// The lanes of one NUMA node, and their worker, which is started with the first task.
struct Team {
    node: Option<u32>,
    inbox: Arc<Inbox>,
    lanes: Vec<Arc<Lane>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Queue {
    /// Lanes to these portals, each with at most so many descriptors in flight.
    pub(crate) fn new(portals: Vec<Arc<dyn Portal>>, most: usize, wait: Wait) -> Queue {
        let lanes: Vec<Arc<Lane>> = portals.into_iter().map(|portal| Lane::new(portal, most)).collect();
        let mut nodes: Vec<Option<u32>> = lanes.iter().map(|lane| lane.capabilities().node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let team = |node: Option<u32>| {
            let lanes = lanes.iter().filter(|lane| lane.capabilities().node == node).cloned().collect();
            Team { node, inbox: Arc::default(), lanes, thread: Mutex::default() }
        };
        let teams = nodes.into_iter().map(team).collect();
        Queue { teams, lanes, wait }
    }

    /// Most descriptors in flight.
    pub(crate) fn most(&self) -> usize {
        self.lanes.iter().map(|lane| lane.most()).sum()
    }

    /// Most bytes of one source or destination, on whichever lane.
    pub(crate) fn transfer(&self) -> usize {
        self.lanes.iter().map(|lane| lane.capabilities().max_transfer_bytes).min().unwrap_or(0)
    }

    /// Whether every lane allows an opcode.
    pub(crate) fn allows(&self, opcode: Opcode) -> bool {
        self.lanes.iter().all(|lane| lane.capabilities().allows(opcode))
    }

    /// How many lanes there are, and how many of them are open.
    pub(crate) fn lanes(&self) -> (usize, usize) {
        (self.lanes.len(), self.lanes.iter().filter(|lane| lane.is_open()).count())
    }

    /// Hands tasks to the node's worker, if it has no more to do than the others have room for,
    /// else to the one with the least to do.
    pub(crate) fn submit(&self, tasks: Vec<Task>, node: Option<u32>, pilot: &Arc<dyn Pilot>) {
        let load = |team: &Team| team.inbox.load.load(Relaxed);
        let room = |team: &Team| team.lanes.iter().map(|lane| lane.most()).sum::<usize>();
        let near = self.teams.iter().find(|team| node.is_some() && team.node == node);
        let near = near.filter(|team| load(team) <= room(team));
        // Without a team the tasks are dropped, and go to the next device.
        let Some(team) = near.or_else(|| self.teams.iter().min_by_key(|team| load(team))) else { return };
        if team.start(&self.wait, pilot) {
            team.inbox.push(tasks);
        }
    }

    /// Runs a job to its end on this thread.
    pub(crate) fn fly<B: Buffers>(&self, flight: Flight<B>, node: Option<u32>) -> Result<Output, IaaError> {
        blocking::fly(flight, &self.lanes, node, &self.wait)
    }

    /// Runs jobs to their end on this thread, so many at once.
    pub(crate) fn fly_many<B: Buffers>(
        &self,
        flights: impl Iterator<Item = Flight<B>>,
        in_flight: usize,
    ) -> Result<(), IaaError> {
        let mut all = Ok(());
        blocking::fly_many(flights, in_flight, &self.lanes, None, &self.wait, |made| {
            if let Err(error) = made {
                all = Err(error);
            }
        });
        all
    }
}

impl Team {
    /// Starts the worker if there is none. False: the system has no thread to give.
    fn start(&self, wait: &Wait, pilot: &Arc<dyn Pilot>) -> bool {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_none() {
            let worker = Worker {
                inbox: Arc::clone(&self.inbox),
                traffic: Traffic::new(self.lanes.clone(), None),
                pilot: Arc::clone(pilot),
                wait: wait.clone(),
            };
            let name = self.node.map_or("pelton-iaa".into(), |node| format!("pelton-iaa-{node}"));
            let inbox = Arc::clone(&self.inbox);
            let run = move || {
                // What it had in flight is over: it was dropped on the way here, after its lanes
                // were closed. What waits, and what is still to come, goes to another device.
                if catch_unwind(AssertUnwindSafe(|| worker.run())).is_err() {
                    inbox.close();
                }
            };
            *thread = thread::Builder::new().name(name).spawn(run).ok();
        }
        thread.is_some()
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.inbox.close();
        let thread = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        // What it finishes last may be what holds the device: a thread can't wait for itself.
        if let Some(thread) = thread
            && thread.thread().id() != thread::current().id()
        {
            let _ = thread.join();
        }
    }
}
