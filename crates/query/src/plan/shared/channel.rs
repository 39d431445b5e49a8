//! One partition of a shared plan: its running plan, and the places of its readers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker, ready};

use arrow::array::RecordBatch;
use datafusion::common::{DataFusionError, Result, internal_datafusion_err};
use datafusion::execution::SendableRecordBatchStream;
use futures::StreamExt;
use parking_lot::Mutex;

use super::spool::{Found, Spool};

/// A partition of a shared plan.
pub(super) struct Channel {
    state: Mutex<State>,
    waiting: Arc<Waiting>,
}

struct State {
    producer: Producer,
    spool: Spool,
    /// The position of each reader; `None` if it needs no more batches. One that is not opened yet
    /// is at the first batch.
    readers: Vec<Option<usize>>,
}

enum Producer {
    /// No reader waits for it.
    Idle(SendableRecordBatchStream),
    /// A reader is asking it for a batch.
    Running,
    Finished,
    Failed(Arc<DataFusionError>),
}

/// The readers that wait for a batch.
#[derive(Default)]
struct Waiting {
    wakers: Mutex<Vec<Option<Waker>>>,
    /// True if the plan woke them since it was asked last.
    has_woken: AtomicBool,
}

impl Waiting {
    fn add(&self, reader: usize, waker: &Waker) {
        let mut wakers = self.wakers.lock();
        let needed = wakers.len().max(reader + 1);
        wakers.resize(needed, None);
        match &mut wakers[reader] {
            Some(known) => known.clone_from(waker),
            none => *none = Some(waker.clone()),
        }
    }

    fn wake_all(&self) {
        let wakers = std::mem::take(&mut *self.wakers.lock());
        wakers.into_iter().flatten().for_each(Waker::wake);
    }
}

/// The plan wakes all readers: the one that asked may be gone.
impl Wake for Waiting {
    fn wake(self: Arc<Self>) {
        self.has_woken.store(true, Ordering::SeqCst);
        self.wake_all();
    }
}

impl Channel {
    /// Returns the channel of a plan that was not asked for rows yet.
    pub fn new(producer: SendableRecordBatchStream, spool: Spool, readers: Vec<Option<usize>>) -> Self {
        let state = State { producer: Producer::Idle(producer), spool, readers };
        Self { state: Mutex::new(state), waiting: Arc::default() }
    }

    /// Returns whether the channel was made with a place for a reader.
    pub fn has(&self, reader: usize) -> bool {
        reader < self.state.lock().readers.len()
    }

    /// Returns the next batches for a reader; `None` behind the last. The error of the plan comes
    /// behind the batches before it.
    pub fn poll_next(&self, reader: usize, context: &mut Context<'_>) -> Poll<Result<Option<Found>>> {
        loop {
            let mut state = self.state.lock();
            let Some(position) = state.readers.get(reader).copied().flatten() else {
                return Poll::Ready(Ok(None));
            };
            match state.spool.at(position) {
                Ok(None) => {}
                Ok(Some(found)) => {
                    if matches!(found, Found::Batch(_)) {
                        state.go_to(reader, Some(position + 1));
                    }
                    return Poll::Ready(Ok(Some(found)));
                }
                Err(error) => return Poll::Ready(Err(error)),
            }
            // before the plan is asked, which may wake at once
            self.waiting.add(reader, context.waker());
            match std::mem::replace(&mut state.producer, Producer::Running) {
                Producer::Idle(producer) => {
                    drop(state);
                    if let Some(batch) = ready!(self.produce(producer, reader)) {
                        return Poll::Ready(Ok(Some(Found::Batch(batch))));
                    }
                }
                Producer::Running => return Poll::Pending,
                Producer::Finished => {
                    state.producer = Producer::Finished;
                    return Poll::Ready(Ok(None));
                }
                Producer::Failed(error) => {
                    state.producer = Producer::Failed(error.clone());
                    return Poll::Ready(Err(DataFusionError::Shared(error)));
                }
            }
        }
    }

    /// Asks the plan for a batch, for a reader that has had all batches before. Readers that came
    /// meanwhile are woken when there is news.
    fn produce(&self, mut producer: SendableRecordBatchStream, reader: usize) -> Poll<Option<RecordBatch>> {
        let guard = Unwinding(self);
        let waker = Waker::from(self.waiting.clone());
        self.waiting.has_woken.store(false, Ordering::SeqCst);
        let next = producer.poll_next_unpin(&mut Context::from_waker(&waker));
        std::mem::forget(guard);
        let mut state = self.state.lock();
        let is_needed = state.readers.iter().any(Option::is_some);
        let (mut ready, mut rest) = (Poll::Ready(None), None);
        state.producer = match next {
            _ if !is_needed => {
                rest = Some(producer);
                Producer::Finished
            }
            Poll::Pending => {
                ready = Poll::Pending;
                Producer::Idle(producer)
            }
            Poll::Ready(None) => {
                rest = Some(producer);
                Producer::Finished
            }
            Poll::Ready(Some(Err(error))) => Producer::Failed(Arc::new(error)),
            Poll::Ready(Some(Ok(batch))) if batch.num_rows() == 0 => Producer::Idle(producer),
            Poll::Ready(Some(Ok(batch))) => match state.add(batch.clone(), reader) {
                Ok(()) => {
                    ready = Poll::Ready(Some(batch));
                    Producer::Idle(producer)
                }
                Err(error) => Producer::Failed(Arc::new(error)),
            },
        };
        drop(state);
        drop(rest);
        // the reader that waits next is not the one that was woken
        if ready.is_ready() || self.waiting.has_woken.load(Ordering::SeqCst) {
            self.waiting.wake_all();
        }
        ready
    }

    /// Moves a reader to a position; `None`: it needs no more batches.
    pub fn go_to(&self, reader: usize, position: Option<usize>) {
        let dropped = self.state.lock().go_to(reader, position);
        drop(dropped);
        if position.is_none() {
            // the plan may have woken it alone
            self.waiting.wake_all();
        }
    }
}

impl State {
    /// Adds a batch that one reader takes at once.
    fn add(&mut self, batch: RecordBatch, taker: usize) -> Result<()> {
        let is_other = |(reader, place): (usize, &Option<usize>)| reader != taker && place.is_some();
        match self.readers.iter().enumerate().any(is_other) {
            true => self.spool.push(batch)?,
            false => self.spool.pass(),
        }
        let end = self.spool.end();
        self.go_to(taker, Some(end));
        Ok(())
    }

    /// Returns a producer that no reader needs any more, to be dropped without the lock.
    fn go_to(&mut self, reader: usize, position: Option<usize>) -> Option<Producer> {
        if let Some(place) = self.readers.get_mut(reader) {
            *place = position;
        }
        match self.readers.iter().flatten().min() {
            Some(first) => {
                self.spool.drop_before(*first);
                None
            }
            None => {
                self.spool.clear();
                match &self.producer {
                    Producer::Idle(_) => Some(std::mem::replace(&mut self.producer, Producer::Finished)),
                    _ => None,
                }
            }
        }
    }
}

/// Ends a channel after a panic of its plan: its other readers would wait for ever.
struct Unwinding<'a>(&'a Channel);

impl Drop for Unwinding<'_> {
    fn drop(&mut self) {
        let error = internal_datafusion_err!("the shared part of a plan panicked");
        self.0.state.lock().producer = Producer::Failed(Arc::new(error));
        self.0.waiting.wake_all();
    }
}
