//! Batches that readers still need, in memory or on disk.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use arrow::array::RecordBatch;
use datafusion::common::{Result, internal_datafusion_err};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryPool, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, SpillFile};
use datafusion::physical_plan::metrics::Count;
use datafusion::physical_plan::spill::SpillManager;

use crate::plan::memory::{OpenFile, bytes_of_rows};

/// Consecutive batches of one partition.
///
/// If the memory pool refuses a batch, all batches that are in memory go to a file with it, so that
/// other operators get the memory. Further batches are added to the file until a reader opens it. A
/// single batch always stays in memory, so that readers in step never read files.
pub(super) struct Spool {
    /// Batches that were dropped before the first entry.
    dropped: usize,
    entries: VecDeque<Entry>,
    /// The file of the last entry, while batches are added to it.
    open: Option<OpenFile>,
    account: Arc<Account>,
    memory: Option<MemoryReservation>,
    spill: SpillManager,
    kept: Count,
}

/// Account of the partitions of a shared plan in the memory pool, opened with the first batch: an
/// account takes a share of the pool from other operators.
pub(super) struct Account {
    pool: Arc<dyn MemoryPool>,
    opened: OnceLock<MemoryReservation>,
}

impl Account {
    /// Returns an account that is not opened.
    pub fn new(pool: Arc<dyn MemoryPool>) -> Self {
        Self { pool, opened: OnceLock::new() }
    }

    fn reservation(&self) -> MemoryReservation {
        let open = || MemoryConsumer::new("SharedRows").with_can_spill(true).register(&self.pool);
        self.opened.get_or_init(open).new_empty()
    }
}

enum Entry {
    InMemory { batch: RecordBatch, bytes: usize },
    OnDisk { file: Option<Arc<dyn SpillFile>>, batches: usize },
}

impl Entry {
    fn batches(&self) -> usize {
        match self {
            Entry::InMemory { .. } => 1,
            Entry::OnDisk { batches, .. } => *batches,
        }
    }
}

/// Batches from a position on.
pub(super) enum Found {
    Batch(RecordBatch),
    /// Batches of a file. The position is that of the `skipped`-th of them, and `end` the one
    /// behind the last.
    File {
        rows: SendableRecordBatchStream,
        skipped: usize,
        end: usize,
    },
}

impl Spool {
    /// Returns a spool without batches. `kept` counts those that it gets.
    pub fn new(account: Arc<Account>, spill: SpillManager, kept: Count) -> Self {
        Self { dropped: 0, entries: VecDeque::new(), open: None, account, memory: None, spill, kept }
    }

    /// Returns the position behind the last batch.
    pub fn end(&self) -> usize {
        self.dropped + self.entries.iter().map(Entry::batches).sum::<usize>()
    }

    /// Adds a batch.
    ///
    /// # Errors
    /// It fits neither in memory nor on disk.
    pub fn push(&mut self, batch: RecordBatch) -> Result<()> {
        self.kept.add(1);
        let bytes = bytes_of_rows(&batch);
        let memory = self.memory.get_or_insert_with(|| self.account.reservation());
        let mut fits = memory.try_grow(bytes).is_ok();
        if !fits && self.entries.is_empty() {
            memory.grow(bytes);
            fits = true;
        }
        if fits {
            self.close()?;
            self.entries.push_back(Entry::InMemory { batch, bytes });
            return Ok(());
        }
        let mut file = match self.open.take() {
            Some(file) => file,
            None => self.spilled()?,
        };
        file.push(&batch)?;
        self.open = Some(file);
        match self.entries.back_mut() {
            Some(Entry::OnDisk { batches, .. }) => *batches += 1,
            _ => return Err(internal_datafusion_err!("a spool has an open file and no entry for it")),
        }
        Ok(())
    }

    /// Counts a batch that no reader needs any more.
    pub fn pass(&mut self) {
        self.dropped += 1;
    }

    /// Writes the batches in memory to a file, and returns it open.
    fn spilled(&mut self) -> Result<OpenFile> {
        let mut file = OpenFile::create(&self.spill, "rows of a common subplan")?;
        let is_in_memory = |entry: &&Entry| matches!(entry, Entry::InMemory { .. });
        let count = self.entries.iter().rev().take_while(is_in_memory).count();
        for entry in self.entries.drain(self.entries.len() - count..) {
            if let Entry::InMemory { batch, bytes } = entry {
                file.push(&batch)?;
                self.memory.as_ref().inspect(|memory| memory.shrink(bytes));
            }
        }
        self.entries.push_back(Entry::OnDisk { file: None, batches: count });
        Ok(file)
    }

    /// Ends the file of the last entry.
    fn close(&mut self) -> Result<()> {
        let Some(open) = self.open.take() else { return Ok(()) };
        let finished = open.close()?;
        if let Some(Entry::OnDisk { file, .. }) = self.entries.back_mut() {
            *file = finished;
        }
        Ok(())
    }

    /// Returns the batches from a position on; `None` if there are none yet.
    ///
    /// # Errors
    /// A file can't be read.
    pub fn at(&mut self, position: usize) -> Result<Option<Found>> {
        let mut first = self.dropped;
        for index in 0..self.entries.len() {
            let end = first + self.entries[index].batches();
            if position >= end {
                first = end;
                continue;
            }
            if index + 1 == self.entries.len() {
                self.close()?;
            }
            return match &self.entries[index] {
                Entry::InMemory { batch, .. } => Ok(Some(Found::Batch(batch.clone()))),
                Entry::OnDisk { file: Some(file), .. } => {
                    let rows = self.spill.read_spill_as_stream(file.clone(), None)?;
                    Ok(Some(Found::File { rows, skipped: position - first, end }))
                }
                Entry::OnDisk { file: None, .. } => Err(internal_datafusion_err!("a spool has lost a file")),
            };
        }
        Ok(None)
    }

    /// Drops the batches before a position. A file is dropped when it is passed whole.
    pub fn drop_before(&mut self, position: usize) {
        while let Some(entry) = self.entries.front() {
            let batches = entry.batches();
            if self.dropped + batches > position {
                break;
            }
            if let Some(Entry::InMemory { bytes, .. }) = self.entries.pop_front() {
                self.memory.as_ref().inspect(|memory| memory.shrink(bytes));
            }
            self.dropped += batches;
        }
        if self.entries.is_empty() {
            // its readers have their own handles
            self.open = None;
        }
    }

    /// Drops all batches.
    pub fn clear(&mut self) {
        self.drop_before(usize::MAX);
    }
}
