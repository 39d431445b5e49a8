//! Profile of a GPU's work: spans of time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::driver::{Clock, Context, CudaEvent};

/// Kind of work that a span of time was spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpanKind {
    /// A copy between host and GPU, or within the GPU.
    Copy,
    /// A kernel that decompresses.
    Decompress,
    /// Any other kernel.
    Kernel,
    /// Work of the CPU: planning, reading, waiting.
    Host,
}

/// Name of a launch in the profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Kind of work.
    pub kind: SpanKind,
    /// Text to show: the kernel, and the row group where there is one.
    pub text: String,
    /// Bytes that it reads and writes; zero if they were not counted.
    pub bytes: u64,
}

/// One piece of work, in time since [`Profiler::start`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The stream's name.
    pub stream: String,
    /// Kind of work.
    pub kind: SpanKind,
    /// Text to show.
    pub label: String,
    /// Bytes moved, read or written.
    pub bytes: u64,
    /// Its beginning on the device.
    pub start: Duration,
    /// Its end on the device.
    pub end: Duration,
}

/// Collects spans while it is on. While it is off it costs a load of a flag.
pub struct Profiler {
    /// The device of a real GPU, for its clock.
    context: Option<Arc<Context>>,
    on: AtomicBool,
    running: Mutex<Option<Running>>,
}

struct Running {
    since: Instant,
    clock: Option<Clock>,
    spans: Vec<Span>,
    queued: Vec<Queued>,
}

/// Work of a device before its times are known.
struct Queued {
    stream: &'static str,
    label: Label,
    start: CudaEvent,
    end: CudaEvent,
}

impl Profiler {
    pub(crate) fn new(context: Option<Arc<Context>>) -> Profiler {
        Profiler { context, on: AtomicBool::new(false), running: Mutex::new(None) }
    }

    /// Starts a new, empty profile.
    pub fn start(&self) {
        // A device without a clock gives no spans; the query itself will report the error.
        let clock = self.context.as_ref().and_then(|context| Clock::start(context).ok());
        *self.running.lock() =
            Some(Running { since: Instant::now(), clock, spans: Vec::new(), queued: Vec::new() });
        self.on.store(true, Relaxed);
    }

    /// Returns whether the profiler is on.
    pub fn is_on(&self) -> bool {
        self.on.load(Relaxed)
    }

    /// Ends the profile, and returns its spans in the order of their beginnings. Waits for the work
    /// that is still queued on a device. Empty if the profiler was off.
    pub fn take(&self) -> Vec<Span> {
        self.on.store(false, Relaxed);
        let Some(running) = self.running.lock().take() else { return Vec::new() };
        let mut spans = running.spans;
        if let Some(clock) = &running.clock {
            for Queued { stream, label, start, end } in running.queued {
                if let (Ok(start), Ok(end)) = (clock.time(&start), clock.time(&end)) {
                    spans.push(span(stream, label, start, end));
                }
            }
        }
        spans.sort_by_key(|span| span.start);
        spans
    }

    /// Adds work of the CPU with its beginning and end.
    pub fn add(&self, stream: &str, label: Label, start: Instant, end: Instant) {
        if let Some(running) = &mut *self.running.lock() {
            let since = |time: Instant| time.saturating_duration_since(running.since);
            let span = span(stream, label, since(start), since(end));
            running.spans.push(span);
        }
    }

    /// Adds work of a device between two events.
    pub(crate) fn add_queued(&self, stream: &'static str, label: Label, start: CudaEvent, end: CudaEvent) {
        if let Some(running) = &mut *self.running.lock() {
            running.queued.push(Queued { stream, label, start, end });
        }
    }
}

fn span(stream: &str, label: Label, start: Duration, end: Duration) -> Span {
    Span { stream: stream.into(), kind: label.kind, label: label.text, bytes: label.bytes, start, end }
}
