//! Completions of one batch, which the decoders of several columns wait for.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use bytes::Bytes;
use pelton_codec::Format;
use pelton_job::{JobOutput, JobResult, Ticket};

use crate::counters::ScanCounters;
use crate::decompression;
use crate::error::Cause;
use crate::error::Error;
use crate::error::Place;
use crate::error::Result;

/// Counter of completed pages.
pub(crate) type Count = fn(&ScanCounters, Option<usize>, Format, &JobOutput);

/// A page that is being decompressed.
#[derive(Debug, Clone)]
pub(crate) struct Awaited {
    pub place: Place,
    pub format: Format,
    /// Size of its compressed data.
    pub size: usize,
}

/// Results of one batch, by job number. A decoder that asks for a pending page waits for it.
pub(crate) struct Completions {
    state: Mutex<State>,
    pages: Vec<Awaited>,
    counters: Arc<ScanCounters>,
    count: Count,
}

struct State {
    ticket: Ticket,
    /// Results so far; the ticket gives them in job order.
    received: Vec<Result<Bytes>>,
}

impl std::fmt::Debug for Completions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Completions").field("jobs", &self.pages.len()).finish_non_exhaustive()
    }
}

impl Completions {
    /// Prepares for the results of a batch; `pages` are in the order of its jobs.
    pub fn new(ticket: Ticket, pages: Vec<Awaited>, counters: Arc<ScanCounters>, count: Count) -> Self {
        let received = Vec::with_capacity(pages.len());
        Self { state: Mutex::new(State { ticket, received }), pages, counters, count }
    }

    /// Returns the bytes of job `number`. Blocks the thread until they are there. Jobs run on the
    /// devices' own threads, so readers that wait cannot stop them; the CPU jobs of a caller-runs
    /// batch run on this thread.
    pub fn take(&self, number: usize) -> Result<Bytes> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.received.len() <= number {
            let outcome = state.ticket.wait_next();
            self.receive(&mut state, outcome);
        }
        state.received[number].clone()
    }

    /// Waits for job `number` without blocking the thread. [`Completions::take`] returns its
    /// result.
    pub async fn arrived(&self, number: usize) {
        poll_fn(|context| {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            while state.received.len() <= number {
                let Poll::Ready(outcome) = state.ticket.poll_next(context) else { return Poll::Pending };
                self.receive(&mut state, outcome);
            }
            Poll::Ready(())
        })
        .await;
    }

    /// Adds the result of the next job.
    fn receive(&self, state: &mut State, outcome: Option<JobResult>) {
        let number = state.received.len();
        let page = self.pages.get(number);
        state.received.push(match (outcome, page) {
            (Some(Ok(done)), Some(page)) => {
                (self.count)(&self.counters, page.place.row_group, page.format, &done);
                decompression::whole(page.format, page.size, done).map_err(|what| self.error(number, what))
            }
            (Some(Err(e)), _) => Err(self.error(number, e.to_string())),
            (None, _) | (_, None) => Err(self.error(number, "the batch ended without this page".to_owned())),
        });
    }

    fn error(&self, number: usize, what: String) -> Error {
        let place = self.pages.get(number).map(|page| page.place.clone()).unwrap_or_default();
        Error::new(place, Cause::Decompress(what))
    }
}
