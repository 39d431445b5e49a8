//! The profile of one query.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pelton_device_cuda::Gpu;
use pelton_pages::Recorder;
use pelton_query::Plan;
use pelton_query::plan::describe;

use super::span::Span;

/// Recorded work of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Title on the page.
    pub title: String,
    /// The query's text.
    pub query: String,
    /// The plan, with the counters of its operators.
    pub plan: String,
    /// Time from the query's start until this was taken.
    pub time: Duration,
    /// The work, ordered by its beginning.
    pub spans: Vec<Span>,
    /// Number of spans beyond the capacity.
    pub left_out: u64,
    /// Sentences for the user: a device that failed.
    pub notes: Vec<String>,
}

/// Recorder of one query at a time.
#[derive(Clone)]
pub(crate) struct Recording {
    pub recorder: Arc<Recorder>,
    pub gpu: Option<Gpu>,
}

impl Recording {
    /// Begins a query.
    pub fn start(&self, query: &str) -> Profiling {
        self.recorder.start();
        if let Some(gpu) = &self.gpu {
            gpu.profiler().start();
        }
        Profiling { recording: self.clone(), started: Instant::now(), query: query.to_owned(), plan: None }
    }
}

/// A query that is being recorded.
pub(crate) struct Profiling {
    recording: Recording,
    started: Instant,
    query: String,
    /// The plan, as soon as it is known.
    pub plan: Option<Plan>,
}

impl Profiling {
    /// Returns the recorded work and ends the recording.
    pub fn take(&self, title: &str, notes: Vec<String>) -> Run {
        let time = self.started.elapsed();
        let (spans, left_out) = self.recording.recorder.take();
        let mut spans: Vec<Span> = spans.into_iter().map(Span::from).collect();
        if let Some(gpu) = &self.recording.gpu {
            spans.extend(gpu.profiler().take().into_iter().map(Span::from));
        }
        spans.sort_by_key(|span| span.start);
        let plan = self.plan.as_ref().map(describe).unwrap_or_default();
        let (title, query) = (title.to_owned(), self.query.clone());
        Run { title, query, plan, time, spans, left_out, notes }
    }
}
