//! Threads that encode: a queue for each column, in which its values are encoded in their order,
//! whoever does it.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use arrow::array::ArrayRef;
use arrow::datatypes::Fields;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowColumnWriter};

use super::lane::{Lane, Step, Taken};
use super::lock;
use super::size::bytes;
use crate::panic_guard;

/// Bytes of values that wait to be encoded before the one who brings them has to help: some batches
/// for each thread, and little more than a processor's last cache.
const QUEUED_BYTES: usize = 32 << 20;

struct State {
    lanes: Vec<Lane>,
    bytes: usize,
    /// What went wrong first, and in which column. Nothing is encoded after that.
    failed: Option<(String, String)>,
    is_over: bool,
}

struct Shared {
    state: Mutex<State>,
    /// There is something to do, or it is over.
    work: Condvar,
    /// A thread has put a lane back.
    done: Condvar,
}

/// Encodes columns. Dropped, it leaves what waits.
pub(super) struct Encoders {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

/// The column that failed, and why.
pub(super) type Failed = (String, String);

impl Encoders {
    /// Starts one thread fewer than `threads`, the caller being one, and no more than there are
    /// columns: a column is one thread's at a time. If the system gives fewer, those do it.
    pub fn start(fields: &Fields, threads: usize) -> Self {
        let lanes = fields.iter().cloned().map(Lane::new).collect();
        let state = Mutex::new(State { lanes, bytes: 0, failed: None, is_over: false });
        let shared = Arc::new(Shared { state, work: Condvar::new(), done: Condvar::new() });
        let threads = (1..threads.min(fields.len() + 1)).map_while(|_| {
            let shared = shared.clone();
            let builder = thread::Builder::new().name("pelton-encode".to_owned());
            builder.spawn(move || shared.serve()).ok()
        });
        let threads = threads.collect();
        Self { shared, threads }
    }

    /// Begins a row group with the writers of each column's leaves.
    pub fn begin(&self, writers: impl Iterator<Item = Vec<ArrowColumnWriter>>) {
        let mut state = self.shared.lock();
        for (lane, writers) in state.lanes.iter_mut().zip(writers) {
            lane.steps.push_back(Step::Begin(writers));
        }
    }

    /// Queues the values of each column, encodes some if there are many, and says how many bytes
    /// were queued.
    ///
    /// # Errors
    /// Something could not be encoded.
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
        while state.bytes > QUEUED_BYTES && state.failed.is_none() {
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

    /// The chunks of the first row group that was not asked for yet, by column, when they are
    /// there; until then this thread encodes too.
    ///
    /// # Errors
    /// Something could not be encoded.
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
            // a panic of it was an error already
            let _ = thread.join();
        }
    }
}

impl State {
    fn check(&self) -> Result<(), Failed> {
        self.failed.clone().map_or(Ok(()), Err)
    }

    /// The lane with the most bytes of those that nobody has; one that only ends or begins has next
    /// to none.
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

    /// What a thread does.
    fn serve(&self) {
        let mut state = self.lock();
        while !state.is_over {
            state = match state.take() {
                Some(taken) => self.encode(state, taken),
                None => self.work.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Encodes what was taken, without the lock, and puts the lane back.
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
