//! Progress bars on standard error, if that is a terminal, for work of over a second.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use pelton::ProgressHandle;

use pelton_report::numbers::{bytes, counted};

/// Minimum time before a bar appears.
const PATIENCE: Duration = Duration::from_secs(1);

/// Ten pictures a second look like motion.
const BETWEEN_PICTURES: Duration = Duration::from_millis(100);

/// A bar of `length` steps, which shows itself after a second.
pub struct Steps {
    bar: ProgressBar,
    started: Instant,
    length: u64,
}

impl Steps {
    /// Nothing is shown yet.
    pub fn new(length: u64) -> Self {
        Steps { bar: ProgressBar::hidden(), started: Instant::now(), length }
    }

    /// Shows that `done` of `length` steps are finished, and the `next` one. `length` may have
    /// become more exact.
    pub fn at(&mut self, done: u64, length: u64, next: &str) {
        self.length = length;
        if self.bar.is_hidden() && self.started.elapsed() >= PATIENCE && io::stderr().is_terminal() {
            self.bar = bar(self.length, "{elapsed:>4} {bar:30} {percent:>3}% {wide_msg}");
            // The time goes on while a step takes long.
            self.bar.enable_steady_tick(BETWEEN_PICTURES);
        }
        self.bar.set_length(self.length);
        self.bar.set_position(done);
        self.bar.set_message(next.to_owned());
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Shows how far a query is, until it is dropped.
pub struct QueryWatch {
    query: Arc<Mutex<Option<ProgressHandle>>>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl QueryWatch {
    /// Begins while the query is being planned. Where standard error is no terminal, it does
    /// nothing.
    pub fn begin() -> Self {
        let query = Arc::new(Mutex::new(None));
        let mut watch = QueryWatch { query: query.clone(), stop: None, thread: None };
        if io::stderr().is_terminal() {
            let (stop, stopped) = channel();
            // A query runs as well without a bar, if there are no more threads to be had.
            watch.thread = thread::Builder::new().spawn(move || show(&query, &stopped)).ok();
            watch.stop = Some(stop);
        }
        watch
    }

    /// The query runs now.
    pub fn planned(&self, query: ProgressHandle) {
        *self.query.lock().unwrap_or_else(PoisonError::into_inner) = Some(query);
    }
}

impl Drop for QueryWatch {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // It panics only if a bar can't be drawn.
            let _ = thread.join();
        }
    }
}

fn show(query: &Mutex<Option<ProgressHandle>>, stopped: &Receiver<()>) {
    if stopped.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    let bar = bar(0, "{elapsed:>4} {bar:30} {wide_msg}");
    loop {
        let query = query.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match query {
            None => bar.set_message("planning"),
            Some(query) => {
                let now = query.progress();
                bar.set_length(now.bytes_total);
                bar.set_position(now.bytes_read.min(now.bytes_total));
                let rows = if now.rows_out > 0 {
                    format!(", {}", counted(now.rows_out, "row"))
                } else {
                    String::new()
                };
                // Pruning leaves out bytes, so the end may come early.
                bar.set_message(format!(
                    "{} of {} read{rows}",
                    bytes(now.bytes_read),
                    bytes(now.bytes_total)
                ));
            }
        }
        bar.tick();
        if stopped.recv_timeout(BETWEEN_PICTURES) != Err(RecvTimeoutError::Timeout) {
            break;
        }
    }
    bar.finish_and_clear();
}

fn bar(length: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::new(length).with_elapsed(PATIENCE);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("━╸─"));
    }
    bar
}
