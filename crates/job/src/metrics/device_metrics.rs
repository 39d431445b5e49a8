//! Live counters of one device.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use super::counters::Counts;
use super::operation_kind::OperationKind;
use crate::job::Operation;
use crate::util::lock;

/// Live form of [`Counts`].
#[derive(Default)]
struct LiveCounts {
    tried: AtomicU64,
    done: AtomicU64,
    interleaved: AtomicU64,
    failed: AtomicU64,
    cancelled: AtomicU64,
    bytes_in: AtomicU64,
    bytes_out: AtomicU64,
    nanoseconds: AtomicU64,
    /// Counts by reason. Reasons are static texts, so the map is bounded by their number in the
    /// code.
    refused: Mutex<BTreeMap<&'static str, u64>>,
    fell_back: Mutex<BTreeMap<&'static str, u64>>,
}

/// Live counters of one device, by operation kind.
#[derive(Default)]
pub(crate) struct DeviceMetrics {
    kinds: [LiveCounts; OperationKind::COUNT],
    breaker_opened: AtomicU64,
}

impl DeviceMetrics {
    fn counts(&self, operation: Operation) -> &LiveCounts {
        &self.kinds[OperationKind::of(operation).index()]
    }

    /// Counts an opening of the device's circuit breaker.
    pub(crate) fn breaker_opened(&self) {
        self.breaker_opened.fetch_add(1, Relaxed);
    }

    /// Returns the number of openings of the circuit breaker.
    pub(crate) fn times_breaker_opened(&self) -> u64 {
        self.breaker_opened.load(Relaxed)
    }

    /// Counts a job that the device received.
    pub(crate) fn tried(&self, operation: Operation) {
        self.counts(operation).tried.fetch_add(1, Relaxed);
    }

    /// Counts a completed job that ran interleaved with others.
    pub(crate) fn interleaved(&self, operation: Operation) {
        self.counts(operation).interleaved.fetch_add(1, Relaxed);
    }

    /// Counts a job that failed for good.
    pub(crate) fn failed(&self, operation: Operation) {
        self.counts(operation).failed.fetch_add(1, Relaxed);
    }

    /// Counts a job that was cancelled after the device had received it.
    pub(crate) fn cancelled(&self, operation: Operation) {
        self.counts(operation).cancelled.fetch_add(1, Relaxed);
    }

    /// Counts a job that the device did not receive, by reason, and returns whether it is the first
    /// with this reason.
    pub(crate) fn refused(&self, operation: Operation, reason: &'static str) -> bool {
        count(&self.counts(operation).refused, reason)
    }

    /// Counts a job that another device received after this one failed it, by reason, and returns
    /// whether it is the first with this reason.
    pub(crate) fn fell_back(&self, operation: Operation, reason: &'static str) -> bool {
        count(&self.counts(operation).fell_back, reason)
    }

    /// Counts a completed job.
    pub(crate) fn done(&self, operation: Operation, input: usize, produced: usize, time: Duration) {
        let counts = self.counts(operation);
        counts.done.fetch_add(1, Relaxed);
        counts.bytes_in.fetch_add(input as u64, Relaxed);
        counts.bytes_out.fetch_add(produced as u64, Relaxed);
        counts.nanoseconds.fetch_add(time.as_nanos() as u64, Relaxed);
    }

    /// Returns the counts of every operation kind that occurred.
    pub(crate) fn snapshot(&self) -> Vec<Counts> {
        let rows = OperationKind::all().zip(&self.kinds).map(|(kind, counts)| {
            let (operation, format) = kind.names();
            Counts {
                operation,
                format,
                tried: counts.tried.load(Relaxed),
                done: counts.done.load(Relaxed),
                interleaved: counts.interleaved.load(Relaxed),
                failed: counts.failed.load(Relaxed),
                cancelled: counts.cancelled.load(Relaxed),
                refused: lock(&counts.refused).clone(),
                fell_back: lock(&counts.fell_back).clone(),
                bytes_in: counts.bytes_in.load(Relaxed),
                bytes_out: counts.bytes_out.load(Relaxed),
                time: Duration::from_nanos(counts.nanoseconds.load(Relaxed)),
            }
        });
        rows.filter(|row| !row.is_empty()).collect()
    }
}

/// Adds one to the count of a reason, and returns whether it is the first.
fn count(reasons: &Mutex<BTreeMap<&'static str, u64>>, reason: &'static str) -> bool {
    let mut reasons = lock(reasons);
    let count = reasons.entry(reason).or_default();
    *count += 1;
    *count == 1
}
