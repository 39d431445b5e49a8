//! Encoder threads. Each column has a queue; one thread at a time encodes its values, in order.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use arrow::array::ArrayRef;
use arrow::datatypes::Fields;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowColumnWriter};

use super::lane::{Lane, Step, Taken};
use super::lock;
use super::size::bytes;
use crate::panic_guard;

/// Most bytes of queued values above which the caller helps to encode: some batches for each
/// thread. A longer queue would exceed the processor's last-level cache by far.
const QUEUED_BYTES: usize = 32 << 20;

struct State {
    lanes: Vec<Lane>,
    bytes: usize,
    /// Column and message of the first error, after which encoding stops.
    failed: Option<(String, String)>,
    is_over: bool,
}

struct Shared {
    state: Mutex<State>,
    /// Signals a queued step or the end.
    work: Condvar,
    /// Signals that a thread has returned a column's queue.
    done: Condvar,
}

/// Encodes columns. On drop, queued values are discarded.
pub(super) struct Encoders {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    /// Bytes of queued values above which the caller helps to encode.
    queued_bytes: usize,
}

/// Column and message of an error.
pub(super) type Failed = (String, String);

impl Encoders {
    /// Starts one thread fewer than `threads`, because the caller also encodes, and at most one for
    /// each column, because a column is encoded by one thread at a time. If the system refuses a
    /// thread, the others suffice. At most `queued_bytes` of values wait for a thread.
    pub fn start(fields: &Fields, threads: usize, queued_bytes: usize) -> Self {
        let lanes = fields.iter().cloned().map(Lane::new).collect();
        let state = Mutex::new(State { lanes, bytes: 0, failed: None, is_over: false });
        let shared = Arc::new(Shared { state, work: Condvar::new(), done: Condvar::new() });
        let threads = (1..threads.min(fields.len() + 1)).map_while(|_| {
            let shared = shared.clone();
            let builder = thread::Builder::new().name("pelton-encode".to_owned());
            builder.spawn(move || shared.serve()).ok()
        });
        let threads = threads.collect();
        Self { shared, threads, queued_bytes: queued_bytes.min(QUEUED_BYTES) }
    }

    /// Begins a row group with the writers of each column's leaves.
    pub fn begin(&self, writers: impl Iterator<Item = Vec<ArrowColumnWriter>>) {
        let mut state = self.shared.lock();
        for (lane, writers) in state.lanes.iter_mut().zip(writers) {
            lane.steps.push_back(Step::Begin(writers));
        }
    }

    /// Queues the values of each column, and encodes some if the queues are long. Returns the
    /// queued bytes.
    ///
    /// # Errors
    /// A value can't be encoded.
    pub fn write(&self, columns: &[ArrayRef]) -> Result<usize, Failed> {
        let mut queued = 0;
        let mut state = self.shared.lock();
        for (lane, column) in state.lanes.iter_mut().zip(columns) {
            let size = bytes(column);
            queued += size;
            lane.bytes += size;
            lane.steps.push_back(Step::Values(column.clone(), size));
        }
        state.bytes += queued;
        self.shared.work.notify_all();
        while state.bytes > self.queued_bytes && state.failed.is_none() {
            state = match state.take() {
                Some(taken) => self.shared.encode(state, taken),
                None => self.shared.done.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
        state.check().map(|()| queued)
    }

    /// Ends the row group.
    pub fn end(&self) {
        let mut state = self.shared.lock();
        state.lanes.iter_mut().for_each(|lane| lane.steps.push_back(Step::End));
        self.shared.work.notify_all();
    }

    /// Returns the chunks of the next row group, by column. This thread encodes until they are
    /// complete.
    ///
    /// # Errors
    /// A value can't be encoded.
    pub fn chunks(&self) -> Result<Vec<ArrowColumnChunk>, Failed> {
        let mut state = self.shared.lock();
        loop {
            state.check()?;
            if state.lanes.iter().all(|lane| !lane.ended.is_empty()) {
                return Ok(state
                    .lanes
                    .iter_mut()
                    .filter_map(|lane| lane.ended.pop_front())
                    .flatten()
                    .collect());
            }
            state = match state.take() {
                Some(taken) => self.shared.encode(state, taken),
                None => self.shared.done.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

impl Drop for Encoders {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.work.notify_all();
        for thread in self.threads.drain(..) {
            // a panic has been reported as an error
            let _ = thread.join();
        }
    }
}

impl State {
    fn check(&self) -> Result<(), Failed> {
        self.failed.clone().map_or(Ok(()), Err)
    }

    /// Takes the free queue with the most bytes. Queues with the begin or end of a row group only
    /// come last.
    fn take(&mut self) -> Option<Taken> {
        if self.failed.is_some() {
            return None;
        }
        let free =
            self.lanes.iter_mut().enumerate().filter(|(_, lane)| !lane.is_taken && !lane.steps.is_empty());
        let (index, lane) = free.max_by_key(|(_, lane)| lane.bytes)?;
        Some(lane.take(index))
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Encodes queued values until the end.
    fn serve(&self) {
        let mut state = self.lock();
        while !state.is_over {
            state = match state.take() {
                Some(taken) => self.encode(state, taken),
                None => self.work.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Encodes the taken steps without the lock, then returns the column's queue.
    fn encode<'a>(&'a self, state: MutexGuard<'a, State>, mut taken: Taken) -> MutexGuard<'a, State> {
        drop(state);
        let result = panic_guard::catch(|| taken.run()).and_then(|result| result.map_err(|e| e.to_string()));
        let mut state = self.lock();
        match result {
            Ok(bytes) => {
                state.bytes -= bytes;
                let lane = &mut state.lanes[taken.lane];
                lane.bytes -= bytes;
                lane.is_taken = false;
                lane.writers = taken.writers;
                lane.ended.append(&mut taken.ended);
                if !lane.steps.is_empty() {
                    self.work.notify_one();
                }
            }
            Err(why) => {
                state.failed.get_or_insert((taken.field.name().clone(), why));
            }
        }
        self.done.notify_all();
        state
    }
}
