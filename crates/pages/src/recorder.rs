//! What a scan did when, for profiles.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// Spans that are kept, some 100 bytes each: a scan of TPC-H SF 30 has half as many. What comes
/// after is counted.
const MOST_SPANS: usize = 1 << 19;

/// What a span of time was spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    /// Waiting for bytes of the store.
    Read,
    /// Decompressing a page.
    Decompress,
    /// In decoders, with the time that they wait for pages.
    Decode,
    /// In conditions.
    Filter,
}

/// Who did it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Worker {
    /// The store.
    Store,
    /// A device, by name.
    Device(Arc<str>),
    /// A thread of the query's, in the order in which they began.
    Thread(usize),
}

/// One piece of work, in time since [`Recorder::start`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkSpan {
    /// What it was.
    pub work: Work,
    /// Who did it.
    pub worker: Worker,
    /// The table's files, as the user called them.
    pub table: Arc<str>,
    /// The row group in its file, if it is known.
    pub row_group: Option<usize>,
    /// Bytes read or produced; 0 if nobody counts them.
    pub bytes: u64,
    /// When it began.
    pub start: Duration,
    /// When it was done. A page's decompression is noted when its decoder takes it, which may be
    /// later.
    pub end: Duration,
}

/// Collects spans while it is on. Scans have one only where a profile is wanted.
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
    /// Begins, from nothing.
    pub fn start(&self) {
        let since = Instant::now();
        *self.running() = Some(Running { since, spans: Vec::new(), threads: HashMap::new(), left_out: 0 });
    }

    /// Ends. The spans since the start by their beginning, and how many more there were than are
    /// kept.
    pub fn take(&self) -> (Vec<WorkSpan>, u64) {
        let Some(Running { mut spans, left_out, .. }) = self.running().take() else { return (Vec::new(), 0) };
        spans.sort_by_key(|span| span.start);
        (spans, left_out)
    }

    fn running(&self) -> MutexGuard<'_, Option<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A recorder, for the scan of one table.
#[derive(Clone, Debug)]
pub(crate) struct Tape {
    pub recorder: Arc<Recorder>,
    pub table: Arc<str>,
}

impl Tape {
    /// Adds work that took `time` and ends now. Without a device it is this thread's, or the
    /// store's if it is a read.
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
        if running.spans.len() >= MOST_SPANS {
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
mod tests {
    use super::*;

    fn tape() -> Tape {
        Tape { recorder: Arc::default(), table: "t".into() }
    }

    #[test]
    fn work_is_kept_while_it_is_on() {
        let tape = tape();
        tape.add(Work::Read, None, Some(1), 10, Duration::ZERO);
        tape.recorder.start();
        tape.add(Work::Read, None, Some(1), 10, Duration::from_secs(1000));
        let device = Arc::from("cpu");
        tape.add(Work::Decompress, Some(&device), None, 20, Duration::ZERO);
        tape.add(Work::Decode, None, None, 0, Duration::ZERO);
        let elsewhere = tape.clone();
        thread::spawn(move || elsewhere.add(Work::Filter, None, None, 0, Duration::ZERO))
            .join()
            .expect("done");
        let (spans, left_out) = tape.recorder.take();
        let workers: Vec<_> = spans.iter().map(|span| (span.work, span.worker.clone())).collect();
        let expected = [
            (Work::Read, Worker::Store),
            (Work::Decompress, Worker::Device(device)),
            (Work::Decode, Worker::Thread(0)),
            (Work::Filter, Worker::Thread(1)),
        ];
        assert_eq!((&workers[..], left_out), (&expected[..], 0));
        // it took longer than there was time: it does not begin before the start
        assert_eq!((spans[0].start, spans[0].bytes), (Duration::ZERO, 10));
        assert!(spans.iter().all(|span| span.start <= span.end));
        assert!(tape.recorder.take().0.is_empty());
    }

    #[test]
    fn there_is_an_end_to_what_is_kept() {
        let tape = tape();
        tape.recorder.start();
        (0..MOST_SPANS + 3).for_each(|_| tape.add(Work::Decode, None, None, 0, Duration::ZERO));
        let (spans, left_out) = tape.recorder.take();
        assert_eq!((spans.len(), left_out), (MOST_SPANS, 3));
    }
}
