//! Recorder of a scan's work over time, for profiles.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// Maximum number of spans, enough for a scan of TPC-H at scale factor 30. Later spans are only
/// counted.
const MAX_SPANS: usize = 1 << 19;

/// Kind of work in a span of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    /// Waiting for bytes of the store.
    Read,
    /// Decompressing a page.
    Decompress,
    /// Decoding, with the time that decoders wait for pages.
    Decode,
    /// Evaluating conditions.
    Filter,
}

/// Worker of a span.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Worker {
    /// The store.
    Store,
    /// A device, by name.
    Device(Arc<str>),
    /// A thread of the query, numbered in the order of first spans.
    Thread(usize),
}

/// A span of work, in time since [`Recorder::start`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkSpan {
    /// Kind of work.
    pub work: Work,
    /// Worker that did it.
    pub worker: Worker,
    /// The table, as the user named its files.
    pub table: Arc<str>,
    /// The row group in its file, if it is known.
    pub row_group: Option<usize>,
    /// Bytes read or produced; 0 if they are not counted.
    pub bytes: u64,
    /// Start of the work.
    pub start: Duration,
    /// End of the work. A decompression is recorded when its decoder takes the page, which may be
    /// later.
    pub end: Duration,
}

/// Collects spans while it is on. Only scans for a profile have a recorder.
#[derive(Debug, Default)]
pub struct Recorder {
    running: Mutex<Option<Running>>,
}

#[derive(Debug)]
struct Running {
    since: Instant,
    spans: Vec<WorkSpan>,
    threads: HashMap<ThreadId, usize>,
    left_out: u64,
}

impl Recorder {
    /// Starts to record, and drops earlier spans.
    pub fn start(&self) {
        let since = Instant::now();
        *self.running() = Some(Running { since, spans: Vec::new(), threads: HashMap::new(), left_out: 0 });
    }

    /// Stops, and returns the spans since the start, sorted by their start, with the number of
    /// spans beyond the maximum.
    pub fn take(&self) -> (Vec<WorkSpan>, u64) {
        let Some(Running { mut spans, left_out, .. }) = self.running().take() else { return (Vec::new(), 0) };
        spans.sort_by_key(|span| span.start);
        (spans, left_out)
    }

    fn running(&self) -> MutexGuard<'_, Option<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A recorder for the scan of one table.
#[derive(Clone, Debug)]
pub(crate) struct Tape {
    pub recorder: Arc<Recorder>,
    pub table: Arc<str>,
}

impl Tape {
    /// Adds work that took `time` and ends now. Without a device the worker is this thread, or the
    /// store for a read.
    pub fn add(
        &self,
        work: Work,
        device: Option<&Arc<str>>,
        row_group: Option<usize>,
        bytes: u64,
        time: Duration,
    ) {
        let now = Instant::now();
        let mut running = self.recorder.running();
        let Some(running) = &mut *running else { return };
        if running.spans.len() >= MAX_SPANS {
            running.left_out += 1;
            return;
        }
        let worker = match (work, device) {
            (Work::Read, _) => Worker::Store,
            (_, Some(device)) => Worker::Device(device.clone()),
            (_, None) => {
                let next = running.threads.len();
                Worker::Thread(*running.threads.entry(thread::current().id()).or_insert(next))
            }
        };
        let end = now.saturating_duration_since(running.since);
        let start = end.saturating_sub(time);
        let table = self.table.clone();
        running.spans.push(WorkSpan { work, worker, table, row_group, bytes, start, end });
    }
}

#[cfg(test)]
mod tests;
