//! Counting, while it happens.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::job::Operation;
use crate::metrics::counters::Counts;
use crate::metrics::operation_kind::{CLASSES, class, names};
use crate::util::lock;

/// [`Counts`] while they count.
#[derive(Default)]
struct Cell {
    tried: AtomicU64,
    done: AtomicU64,
    interleaved: AtomicU64,
    failed: AtomicU64,
    cancelled: AtomicU64,
    bytes_in: AtomicU64,
    bytes_out: AtomicU64,
    nanoseconds: AtomicU64,
    /// Reasons are static texts, so there are only as many as the code has.
    refused: Mutex<BTreeMap<&'static str, u64>>,
    fell_back: Mutex<BTreeMap<&'static str, u64>>,
}

/// The counts of one device.
#[derive(Default)]
pub(crate) struct Tally {
    cells: [Cell; CLASSES],
    set_aside: AtomicU64,
}

impl Tally {
    fn cell(&self, operation: Operation) -> &Cell {
        &self.cells[class(operation)]
    }

    /// The device was set aside.
    pub(crate) fn set_aside(&self) {
        self.set_aside.fetch_add(1, Relaxed);
    }

    pub(crate) fn times_set_aside(&self) -> u64 {
        self.set_aside.load(Relaxed)
    }

    pub(crate) fn tried(&self, operation: Operation) {
        self.cell(operation).tried.fetch_add(1, Relaxed);
    }

    /// A job that is done ran side by side with others.
    pub(crate) fn interleaved(&self, operation: Operation) {
        self.cell(operation).interleaved.fetch_add(1, Relaxed);
    }

    pub(crate) fn failed(&self, operation: Operation) {
        self.cell(operation).failed.fetch_add(1, Relaxed);
    }

    pub(crate) fn cancelled(&self, operation: Operation) {
        self.cell(operation).cancelled.fetch_add(1, Relaxed);
    }

    pub(crate) fn refused(&self, operation: Operation, reason: &'static str) {
        *lock(&self.cell(operation).refused).entry(reason).or_default() += 1;
    }

    pub(crate) fn fell_back(&self, operation: Operation, reason: &'static str) {
        *lock(&self.cell(operation).fell_back).entry(reason).or_default() += 1;
    }

    pub(crate) fn done(&self, operation: Operation, input: usize, produced: usize, time: Duration) {
        let cell = self.cell(operation);
        cell.done.fetch_add(1, Relaxed);
        cell.bytes_in.fetch_add(input as u64, Relaxed);
        cell.bytes_out.fetch_add(produced as u64, Relaxed);
        cell.nanoseconds.fetch_add(time.as_nanos() as u64, Relaxed);
    }

    pub(crate) fn snapshot(&self) -> Vec<Counts> {
        let rows = self.cells.iter().enumerate().map(|(class, cell)| {
            let (operation, format) = names(class);
            Counts {
                operation,
                format,
                tried: cell.tried.load(Relaxed),
                done: cell.done.load(Relaxed),
                interleaved: cell.interleaved.load(Relaxed),
                failed: cell.failed.load(Relaxed),
                cancelled: cell.cancelled.load(Relaxed),
                refused: lock(&cell.refused).clone(),
                fell_back: lock(&cell.fell_back).clone(),
                bytes_in: cell.bytes_in.load(Relaxed),
                bytes_out: cell.bytes_out.load(Relaxed),
                time: Duration::from_nanos(cell.nanoseconds.load(Relaxed)),
            }
        });
        rows.filter(|row| !row.is_empty()).collect()
    }
}
