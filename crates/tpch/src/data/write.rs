//! A data set's Parquet files, their row groups made by several threads and written in order.
//!
//! A thread takes the next row group of any table, generates and encodes it, then waits for its
//! turn to append it to the table's file. So at most one encoded row group a thread is in memory,
//! and the files do not depend on how many threads there are.

use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::codec::Codec;
use super::table::Table;
use super::table_writer::TableWriter;
use crate::Error;

/// Progress of making a data set.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The table that rows were just made of.
    pub table: Table,
    /// Rows made so far, of all tables.
    pub rows_done: u64,
    /// Rows there will be, of all tables; a close estimate, never below `rows_done`.
    pub rows_total: u64,
}

/// Writes all eight tables into `folder` and returns their row counts, in the order of
/// [`Table::ALL`].
pub fn write_tables(
    folder: &Path,
    scale_factor: f64,
    codec: Codec,
    threads: usize,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Vec<u64>, Error> {
    let files = Table::ALL
        .into_iter()
        .map(|table| TableWriter::create(folder, table, scale_factor, codec))
        .collect::<Result<Vec<_>, _>>()?;
    let work = Work {
        row_groups: (0..files.len())
            .flat_map(|file| (0..files[file].parts).map(move |part| (file, part)))
            .collect(),
        files,
        scale_factor,
        taken: AtomicUsize::new(0),
        turns: Mutex::new(Turns { next: [0; Table::ALL.len()], failure: None }),
        turned: Condvar::new(),
        rows_done: AtomicU64::new(0),
        rows_total: Table::ALL.into_iter().map(|t| t.expected_rows(scale_factor)).sum(),
        progress,
    };
    thread::scope(|scope| {
        for _ in 0..threads.clamp(1, work.row_groups.len()) {
            scope.spawn(|| work.run());
        }
    });
    if let Some(error) = work.turns().failure.take() {
        return Err(error);
    }
    work.files.into_iter().map(TableWriter::close).collect()
}

/// Row groups still to be made, and the next one to be written.
struct Work<'a> {
    files: Vec<TableWriter>,
    /// (index into `files`, part), in the order in which they are taken.
    row_groups: Vec<(usize, u32)>,
    scale_factor: f64,
    taken: AtomicUsize,
    turns: Mutex<Turns>,
    turned: Condvar,
    rows_done: AtomicU64,
    rows_total: u64,
    progress: &'a (dyn Fn(Progress) + Sync),
}

struct Turns {
    /// The part that each file waits for.
    next: [u32; Table::ALL.len()],
    /// The first error; every thread stops when there is one.
    failure: Option<Error>,
}

impl Work<'_> {
    fn turns(&self) -> MutexGuard<'_, Turns> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let _stop_others = StopOthersOnPanic(self);
        while let Some(&(file, part)) = self.row_groups.get(self.taken.fetch_add(1, Ordering::Relaxed)) {
            match self.make(file, part) {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => return self.fail(error),
            }
        }
    }

    /// Makes one row group and appends it when its turn comes; false when another thread has
    /// failed.
    fn make(&self, file: usize, part: u32) -> Result<bool, Error> {
        let table = &self.files[file];
        let chunks = table.encode(self.scale_factor, part, &mut |rows| self.report(table.table, rows))?;
        let mut turns = self.turns();
        while turns.next[file] != part && turns.failure.is_none() {
            turns = self.turned.wait(turns).unwrap_or_else(PoisonError::into_inner);
        }
        if turns.failure.is_some() {
            return Ok(false);
        }
        drop(turns);
        table.append(chunks)?;
        self.turns().next[file] += 1;
        self.turned.notify_all();
        Ok(true)
    }

    fn report(&self, table: Table, rows: usize) {
        let rows_done = self.rows_done.fetch_add(rows as u64, Ordering::Relaxed) + rows as u64;
        (self.progress)(Progress { table, rows_done, rows_total: self.rows_total.max(rows_done) });
    }

    fn fail(&self, error: Error) {
        self.turns().failure.get_or_insert(error);
        // No further row group is begun.
        self.taken.store(self.row_groups.len(), Ordering::Relaxed);
        self.turned.notify_all();
    }
}

/// A panic in one thread must not leave the others waiting for its turn to pass.
struct StopOthersOnPanic<'a, 'b>(&'a Work<'b>);

impl Drop for StopOthersOnPanic<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.fail(Error::Argument("a thread that generated data panicked, which is a bug".into()));
        }
    }
}

#[cfg(test)]
mod tests;
