//! A batch on the threads of this process.
//!
//! Threads are started for the batch and end with it; the calling thread is one of them. So no
//! threads remain at the process's end, and a forked child lacks none. A start takes microseconds.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, available_parallelism};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::codec::codecs::{self, Codecs, RELEASED_FROM};

/// Bytes of work for each further thread: decompressing them takes ten times as long as starting
/// it.
const PER_THREAD: usize = 512 << 10;
/// Most bytes of one part: after some ten milliseconds of decoding the calling thread checks for
/// signals.
const MAX_BYTES: usize = 8 << 20;
/// Interval of the calling thread's checks for signals, which take the interpreter's lock.
const ASKED_EVERY: Duration = Duration::from_millis(50);

/// Returns the requested number of threads, or else one for each core that this process may use.
pub fn threads(named: Option<usize>) -> usize {
    named.filter(|&named| named > 0).or_else(|| available_parallelism().ok().map(usize::from)).unwrap_or(1)
}

/// Splits items into neighbouring parts of about equal weight, at least `least` of them.
fn split<T>(mut items: &mut [T], weight: impl Fn(&T) -> usize, least: usize) -> Vec<&mut [T]> {
    let total: usize = items.iter().map(&weight).sum();
    let parts = total.div_ceil(MAX_BYTES).next_multiple_of(least).max(least);
    let mut split = Vec::with_capacity(parts);
    let (mut done, mut seen) = (0, 0);
    for part in 1..=parts {
        // In 128 bits, since weights are claims of the data.
        let end = (total as u128 * part as u128 / parts as u128) as usize;
        while done < items.len() && (seen < end || part == parts) {
            seen += weight(&items[done]);
            done += 1;
        }
        let (taken, rest) = items.split_at_mut(done);
        if !taken.is_empty() {
            split.push(taken);
        }
        (items, done) = (rest, 0);
    }
    split.reverse();
    split
}

/// Runs `work` on all items, on at most `threads` threads, without the interpreter's lock if that
/// pays.
///
/// # Errors
/// The exception of a signal handler, usually KeyboardInterrupt. Some items are then unchanged.
pub fn run<T: Send>(
    py: Python<'_>,
    items: &mut [T],
    threads: usize,
    weight: impl Fn(&T) -> usize,
    work: impl Fn(&mut Codecs, &mut [T]) + Send + Sync,
) -> PyResult<()> {
    let total = items.iter().map(&weight).fold(0, usize::saturating_add);
    if total < RELEASED_FROM {
        codecs::with(|codecs| work(codecs, items));
        return Ok(());
    }
    let threads = threads.min(total / PER_THREAD).min(items.len()).max(1);
    let queue = Mutex::new(split(items, weight, threads));
    let take = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let is_stopped = AtomicBool::new(false);
    let help = || {
        while !is_stopped.load(Ordering::Relaxed)
            && let Some(part) = take()
        {
            codecs::with(|codecs| work(codecs, part));
        }
    };
    py.detach(|| {
        thread::scope(|scope| {
            for _ in 1..threads {
                // A thread that the system refuses leaves its work to the others.
                let _ = thread::Builder::new().name("pelton-batch".into()).spawn_scoped(scope, help);
            }
            let mut asked = Instant::now();
            while let Some(part) = take() {
                codecs::with(|codecs| work(codecs, part));
                if asked.elapsed() >= ASKED_EVERY {
                    asked = Instant::now();
                    // None while the interpreter ends.
                    if let Some(Err(error)) = Python::try_attach(|py| py.check_signals()) {
                        is_stopped.store(true, Ordering::Relaxed);
                        return Err(error);
                    }
                }
            }
            Ok(())
        })
    })
}
