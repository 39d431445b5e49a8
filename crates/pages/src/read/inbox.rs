//! Where the decoders of several columns wait for pages of one batch.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use pelton_codec::Format;
use pelton_job::{Outcome, Ticket};

use crate::counters::ScanCounters;
use crate::error::{Cause, Error, Place, Result};

/// The outcomes of one batch, by job number. A decoder that asks for a page that is not there yet waits for it.
pub(super) struct Inbox {
    state: Mutex<State>,
    places: Vec<Place>,
    formats: Vec<Format>,
    counters: Arc<ScanCounters>,
}

struct State {
    ticket: Ticket,
    /// Outcomes received; the ticket gives them out in job order.
    received: Vec<Result<Bytes>>,
}

impl std::fmt::Debug for Inbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inbox").field("jobs", &self.places.len()).finish_non_exhaustive()
    }
}

impl Inbox {
    pub fn new(
        ticket: Ticket,
        places: Vec<Place>,
        formats: Vec<Format>,
        counters: Arc<ScanCounters>,
    ) -> Self {
        let received = Vec::with_capacity(places.len());
        Self { state: Mutex::new(State { ticket, received }), places, formats, counters }
    }

    /// The bytes of job `number`, waiting for them. This blocks the thread; the jobs run on threads of the devices',
    /// so that they finish however many readers wait.
    pub fn take(&self, number: usize) -> Result<Bytes> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.received.len() <= number {
            let received = state.received.len();
            let bytes = match state.ticket.wait_next() {
                Some(outcome) => self.note(received, outcome),
                None => Err(self.error(received, "the batch ended without this page".to_owned())),
            };
            state.received.push(bytes);
        }
        state.received[number].clone()
    }

    fn note(&self, number: usize, outcome: Outcome) -> Result<Bytes> {
        match outcome {
            Ok(done) => {
                let format = self.formats[number];
                let row_group = self.places.get(number).and_then(|place| place.row_group);
                self.counters.decompressed(row_group, format, &done);
                Ok(done.output)
            }
            Err(e) => Err(self.error(number, e.to_string())),
        }
    }

    fn error(&self, number: usize, what: String) -> Error {
        let place = self.places.get(number).cloned().unwrap_or_default();
        Error::new(place, Cause::Decompress(what))
    }
}
