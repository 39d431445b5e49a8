//! What ran when.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// What a span of time was spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpanKind {
    /// Bytes between host and GPU, or within the GPU.
    Copy,
    /// A kernel that decompresses.
    Decompress,
    /// Any other kernel.
    Kernel,
    /// Work of the processor around it: planning, reading, waiting.
    Host,
}

/// What a launch is called in the profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// What it is.
    pub kind: SpanKind,
    /// What to show: the kernel, and the row group where there is one.
    pub text: String,
    /// Bytes that it reads and writes; 0 if nobody counted.
    pub bytes: u64,
}

/// One piece of work, in time since [`Profiler::start`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The stream's name.
    pub stream: String,
    /// What it was.
    pub kind: SpanKind,
    /// What to show.
    pub label: String,
    /// Bytes moved, read or written.
    pub bytes: u64,
    /// When it began on the device.
    pub start: Duration,
    /// When it was done.
    pub end: Duration,
}

/// Collects spans while it is on. It costs nothing while it is off.
pub struct Profiler {
    running: Mutex<Option<Running>>,
}

struct Running {
    since: Instant,
    spans: Vec<Span>,
}

impl Profiler {
    pub(crate) fn new() -> Profiler {
        Profiler { running: Mutex::new(None) }
    }

    /// Begins, from nothing.
    pub fn start(&self) {
        *self.running.lock() = Some(Running { since: Instant::now(), spans: Vec::new() });
    }

    /// Whether it is on.
    pub fn is_on(&self) -> bool {
        self.running.lock().is_some()
    }

    /// Ends, and returns what was done since the start, by its beginning. Nothing if it was not on.
    pub fn take(&self) -> Vec<Span> {
        let mut spans = self.running.lock().take().map_or_else(Vec::new, |running| running.spans);
        spans.sort_by_key(|span| span.start);
        spans
    }

    /// Adds work of the processor that began and ended at these times.
    pub fn add(&self, stream: &str, label: Label, start: Instant, end: Instant) {
        if let Some(running) = &mut *self.running.lock() {
            let since = |time: Instant| time.saturating_duration_since(running.since);
            let span = Span {
                stream: stream.into(),
                kind: label.kind,
                label: label.text,
                bytes: label.bytes,
                start: since(start),
                end: since(end),
            };
            running.spans.push(span);
        }
    }
}
