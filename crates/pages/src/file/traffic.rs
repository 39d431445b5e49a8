//! Traffic with object stores: requests, bytes and waiting times, counted for the task that makes
//! the requests.
//!
//! [`counted`] sets counters up for a future. An HTTP client reports each of its requests with
//! [`request`], retries included, and [`Location::read`](crate::Location::read) the bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Requests to object stores, and their answers.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Traffic {
    /// Requests, with those that were repeated.
    pub requests: u64,
    /// Bytes of files in the answers.
    pub bytes: u64,
    /// Time until the first byte of an answer, summed over requests.
    pub first_byte: Duration,
}

impl Traffic {
    /// Adds the traffic of other requests.
    pub fn add(&mut self, other: Traffic) {
        self.requests += other.requests;
        self.bytes += other.bytes;
        self.first_byte += other.first_byte;
    }
}

#[derive(Debug, Default)]
struct Counters {
    requests: AtomicU64,
    bytes: AtomicU64,
    first_byte_nanos: AtomicU64,
}

tokio::task_local! {
    static COUNTERS: Arc<Counters>;
}

/// Runs a future and returns its output with the traffic that it caused. Tasks that the future
/// spawns are not counted.
pub async fn counted<F: Future>(future: F) -> (F::Output, Traffic) {
    let counters = Arc::<Counters>::default();
    let output = COUNTERS.scope(counters.clone(), future).await;
    let traffic = Traffic {
        requests: counters.requests.load(Relaxed),
        bytes: counters.bytes.load(Relaxed),
        first_byte: Duration::from_nanos(counters.first_byte_nanos.load(Relaxed)),
    };
    (output, traffic)
}

/// Counts a request whose answer began, or failed, after some time.
pub fn request(first_byte: Duration) {
    note(|counters| {
        counters.requests.fetch_add(1, Relaxed);
        counters.first_byte_nanos.fetch_add(first_byte.as_nanos() as u64, Relaxed);
    });
}

/// Counts bytes of a file in an answer.
pub(crate) fn received(bytes: usize) {
    note(|counters| _ = counters.bytes.fetch_add(bytes as u64, Relaxed));
}

fn note(add: impl FnOnce(&Counters)) {
    // without counters, nobody asks
    let _ = COUNTERS.try_with(|counters| add(counters));
}
