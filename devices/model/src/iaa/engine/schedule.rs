//! Schedule of a model: waiting, running and delayed descriptors.
//!
//! One lock serves all queues of a model. It is held briefly, twice per descriptor, compared with
//! the time of an operation.

use std::collections::VecDeque;
use std::time::Instant;

use pelton_device_iaa::Mode;
use pelton_device_iaa::hw::flags::operation as flag;
use pelton_device_iaa::hw::{Descriptor, Opcode, RecordView};

use super::execute::Outcome;
use super::memory::Submitted;
use crate::iaa::clock::{Clock, Slot, Work};
use crate::iaa::config::Config;
use crate::iaa::counters::Counters;
use crate::iaa::fault::{Fault, Offered};

/// An open portal.
pub(crate) type Client = u64;

/// A descriptor in a queue.
pub(crate) struct Entry {
    pub(crate) client: Client,
    pub(crate) queue: usize,
    pub(crate) submitted: Submitted,
    pub(crate) fault: Option<Fault>,
    arrival: f64,
}

/// A descriptor for a thread to run.
pub(crate) struct Task {
    pub(crate) entry: Entry,
    slot: Slot,
}

/// A delayed completion record.
struct Held {
    entry: Entry,
    record: RecordView,
    /// Time of the write; if none, the record waits for `others` to be written.
    due: Option<Instant>,
    others: u32,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Entry>,
    /// Started descriptors without a completion record.
    unfinished: usize,
}

pub(crate) struct Schedule {
    queues: Vec<Queue>,
    /// For each queue, the clients that have it open.
    open: Vec<Vec<Client>>,
    /// Clients of running descriptors, once for each descriptor.
    running: Vec<Client>,
    held: Vec<Held>,
    /// Descriptors that are never answered.
    lost: Vec<Entry>,
    stopped: Vec<bool>,
    /// The queue to serve next.
    turn: usize,
    next_index: u64,
    next_client: Client,
    pub(crate) clock: Clock,
    pub(crate) counters: Counters,
}

impl Schedule {
    pub(crate) fn new(config: &Config) -> Schedule {
        let queues = config.queues.len();
        Schedule {
            queues: (0..queues).map(|_| Queue::default()).collect(),
            open: vec![Vec::new(); queues],
            running: Vec::new(),
            held: Vec::new(),
            lost: Vec::new(),
            stopped: vec![false; config.devices],
            turn: 0,
            next_index: 0,
            next_client: 0,
            clock: Clock::new(config.timing, config.devices, config.engines),
            counters: Counters::default(),
        }
    }

    /// Opens a queue; none if it is dedicated and open already.
    pub(crate) fn open(&mut self, queue: usize, config: &Config) -> Option<Client> {
        if config.queues[queue].is_dedicated && !self.open[queue].is_empty() {
            return None;
        }
        self.next_client += 1;
        self.open[queue].push(self.next_client);
        Some(self.next_client)
    }

    pub(crate) fn is_open(&self, queue: usize, client: Client) -> bool {
        self.open[queue].contains(&client)
    }

    /// Adds a descriptor to a queue, and returns whether the submitter believes that it was
    /// accepted. Calls `make` only for accepted descriptors.
    pub(crate) fn offer(
        &mut self,
        queue: usize,
        client: Client,
        descriptor: &Descriptor,
        config: &Config,
        make: impl FnOnce(&Descriptor) -> Submitted,
    ) -> bool {
        let capabilities = &config.queues[queue].capabilities;
        let full = self.queues[queue].waiting.len() >= capabilities.depth;
        let fault = if full { None } else { self.next_fault(queue, descriptor, config) };
        if full || fault == Some(Fault::QueueFull) {
            let is_silent = capabilities.mode == Mode::Dedicated;
            *if is_silent { &mut self.counters.lost_full } else { &mut self.counters.refused_full } += 1;
            return is_silent;
        }
        self.counters.accepted += 1;
        let arrival = self.clock.arrival();
        let entry = Entry { client, queue, submitted: make(descriptor), fault, arrival };
        self.queues[queue].waiting.push_back(entry);
        true
    }

    fn next_fault(&mut self, queue: usize, descriptor: &Descriptor, config: &Config) -> Option<Fault> {
        let index = self.next_index;
        self.next_index += 1;
        let fault = config.faults.find(&Offered { index, queue, descriptor });
        if let Some(fault) = fault {
            self.counters.faults.count(fault);
        }
        fault
    }

    /// Returns the next descriptor to run: from the queues in turn, the oldest first.
    pub(crate) fn take(&mut self, config: &Config) -> Option<Task> {
        let (queues, turn) = (self.queues.len(), self.turn);
        for number in (0..queues).map(|nth| (turn + nth) % queues) {
            if let Some(task) = self.take_from(number, config) {
                self.turn = (number + 1) % queues;
                return Some(task);
            }
        }
        None
    }

    fn take_from(&mut self, number: usize, config: &Config) -> Option<Task> {
        let device = config.queues[number].device;
        loop {
            let queue = &mut self.queues[number];
            let first = queue.waiting.front()?;
            if self.stopped[device] || waits_for_others(first.submitted.descriptor()) && queue.unfinished > 0
            {
                return None;
            }
            match first.fault {
                Some(Fault::DeviceStops) => {
                    self.stopped[device] = true;
                    return None;
                }
                Some(Fault::NoAnswer) => {
                    self.lost.extend(queue.waiting.pop_front());
                    queue.unfinished += 1;
                }
                _ => {
                    let slot = self.clock.start(device, first.arrival)?;
                    let entry = queue.waiting.pop_front()?;
                    queue.unfinished += 1;
                    self.running.push(entry.client);
                    return Some(Task { entry, slot });
                }
            }
        }
    }

    /// Notes the outcome of a descriptor.
    pub(crate) fn finish(&mut self, task: Task, outcome: &Outcome) {
        let Task { entry, slot } = task;
        let Outcome { record, waited_for_page, produced } = *outcome;
        let byte = entry.submitted.descriptor().opcode_byte();
        let work = Work {
            opcode: Opcode::from_byte(byte),
            consumed: record.consumed() as usize,
            produced,
            waited_for_page,
        };
        self.clock.end(slot, &work);
        self.counters.bytes_in += work.consumed as u64;
        self.counters.bytes_out += produced as u64;
        self.counters.page_faults_waited += u64::from(waited_for_page);
        *self.counters.operations.entry(byte).or_default() += 1;
        if let Some(at) = self.running.iter().position(|client| *client == entry.client) {
            self.running.swap_remove(at);
        }
        match entry.fault {
            Some(Fault::Overtaken(others)) => self.held.push(Held { entry, record, due: None, others }),
            Some(Fault::Late(by)) => {
                self.held.push(Held { entry, record, due: Some(Instant::now() + by), others: 0 });
            }
            _ => self.complete(entry, &record),
        }
    }

    /// Writes a completion record, and those that waited for it.
    fn complete(&mut self, entry: Entry, record: &RecordView) {
        self.write(entry, record);
        let mut written = 1;
        while written > 0 {
            written = 0;
            for held in self.held.iter_mut().filter(|held| held.due.is_none()) {
                held.others = held.others.saturating_sub(1);
            }
            while let Some(at) = self.held.iter().position(|held| held.due.is_none() && held.others == 0) {
                let held = self.held.swap_remove(at);
                self.write(held.entry, &held.record);
                written += 1;
            }
        }
    }

    fn write(&mut self, entry: Entry, record: &RecordView) {
        self.queues[entry.queue].unfinished -= 1;
        let flags = entry.submitted.descriptor().operation_flags();
        let has_place = flags & flag::COMPLETION_ADDRESS_VALID != 0;
        let is_wanted = flags & flag::REQUEST_COMPLETION != 0 || record.status_byte() != 1;
        let is_aligned = entry.submitted.descriptor().completion().is_multiple_of(64);
        if has_place && is_wanted && is_aligned {
            self.counters.completed += 1;
            *self.counters.statuses.entry(record.status_byte()).or_default() += 1;
            entry.submitted.complete(record);
        } else {
            self.counters.unrecorded += 1;
        }
    }

    /// Writes the records that are due, and those that wait for others that will not come. Returns
    /// the time of the next record.
    pub(crate) fn release(&mut self) -> Option<Instant> {
        if self.held.is_empty() {
            return None;
        }
        let now = Instant::now();
        while let Some(at) = self.held.iter().position(|held| held.due.is_some_and(|due| due <= now)) {
            let held = self.held.swap_remove(at);
            self.complete(held.entry, &held.record);
        }
        let next = self.held.iter().filter_map(|held| held.due).min();
        let is_idle = self.running.is_empty() && !self.has_waiting();
        while is_idle
            && next.is_none()
            && let Some(held) = self.held.pop()
        {
            self.complete(held.entry, &held.record);
        }
        next
    }

    /// Returns whether a queue has descriptors.
    pub(crate) fn has_waiting(&self) -> bool {
        self.queues.iter().any(|queue| !queue.waiting.is_empty())
    }

    /// Returns whether a descriptor of the client is running.
    pub(crate) fn is_running(&self, client: Client) -> bool {
        self.running.contains(&client)
    }

    /// Drops the descriptors of a client that are not running.
    pub(crate) fn close(&mut self, queue: usize, client: Client, config: &Config) {
        self.open[queue].retain(|open| *open != client);
        let own = &mut self.queues[queue];
        let before = own.waiting.len() + self.held.len() + self.lost.len();
        own.waiting.retain(|entry| entry.client != client);
        let started = self.held.len() + self.lost.len();
        self.held.retain(|held| held.entry.client != client);
        self.lost.retain(|entry| entry.client != client);
        let dropped_started = started - self.held.len() - self.lost.len();
        own.unfinished -= dropped_started;
        self.counters.dropped_at_close +=
            (before - own.waiting.len() - self.held.len() - self.lost.len()) as u64;
        let device = config.queues[queue].device;
        let mut of_device = config.queues.iter().zip(&self.open).filter(|(queue, _)| queue.device == device);
        if of_device.all(|(_, open)| open.is_empty()) {
            self.stopped[device] = false;
        }
    }
}

/// Returns whether a descriptor starts only after all earlier ones in its queue have completed.
fn waits_for_others(descriptor: &Descriptor) -> bool {
    descriptor.operation_flags() & flag::FENCE != 0 || descriptor.opcode_byte() == Opcode::Drain as u8
}
