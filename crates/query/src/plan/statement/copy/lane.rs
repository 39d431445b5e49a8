//! Thread of a COPY: the files that it writes.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::compute::concat_batches;
use arrow::datatypes::SchemaRef;
use datafusion::execution::memory_pool::MemoryReservation;
use pelton_job::Router;
use pelton_pages::{AtomicFolder, Cause, Error as FileError, OutputFile, Place, RowFormat, RowWriter};
use tokio::sync::mpsc::Receiver;

use super::file_names::FileNames;
use super::partitions::{PartitionRows, failed};
use crate::error::{Error, Result};
use crate::stores::{Output, StoreFolder, Stores};

/// Files of partitions that a thread writes at a time. Rows of further partitions wait in memory.
/// More open files make fewer files of a partition, and each holds its row groups in memory.
const OPEN_FILES: usize = 32;

/// The same for files of a store, each of which holds two parts in memory, too.
const OPEN_FILES_IN_STORE: usize = 8;

/// Bytes of rows that wait for a file in one thread.
const WAITING_BYTES: usize = 64 << 20;

/// Memory of a batch beside its values: its columns and their buffers.
const BATCH_BYTES: usize = 1 << 10;

/// Folder of a result of several files.
#[derive(Clone)]
pub(super) enum OutputFolder {
    Local(Arc<AtomicFolder>),
    InStore(Arc<StoreFolder>),
}

/// Means of all threads of a statement.
pub(super) struct Means {
    /// The place, as the statement has it.
    pub place: String,
    /// The place as it is shown.
    pub shown: String,
    pub stores: Arc<Stores>,
    pub format: RowFormat,
    /// Schema of the files.
    pub schema: SchemaRef,
    pub router: Arc<Router>,
    /// Pattern of the names of the folder's files; `None`: `data_` and their number.
    pub names: Option<FileNames>,
    /// Infix of the files' names that no other statement has, if the folder has files; else empty.
    pub mark: String,
}

impl Means {
    /// Returns the error of a file.
    pub fn failed(&self, name: &str, error: &std::io::Error) -> Error {
        Error::Pages(FileError::new(Place::file(&name.into()), Cause::Write(error.to_string())))
    }
}

/// A file in progress.
struct Open {
    writer: RowWriter<Output>,
    /// Number of the last write.
    used: u64,
}

/// Rows of a partition without an open file.
struct Waiting {
    folder: Arc<str>,
    rows: Vec<RecordBatch>,
    bytes: usize,
}

/// See the module.
pub(super) struct Lane {
    means: Arc<Means>,
    /// The folder of the files; `None`: one file is the result.
    folder: Option<OutputFolder>,
    /// Accounts for the rows that wait.
    reservation: MemoryReservation,
    open: HashMap<usize, Open>,
    waiting: HashMap<usize, Waiting>,
    /// Number of the next file of each partition.
    numbers: HashMap<usize, usize>,
    writes: u64,
    written: Written,
}

/// Files that a thread wrote.
#[derive(Default)]
pub(super) struct Written {
    /// The file that is the result, if it is one file, without its name.
    pub whole: Option<Output>,
    /// Places of all files.
    pub names: Vec<String>,
}

impl Lane {
    pub fn new(means: Arc<Means>, folder: Option<OutputFolder>, reservation: MemoryReservation) -> Self {
        Self {
            means,
            folder,
            reservation,
            open: HashMap::new(),
            waiting: HashMap::new(),
            numbers: HashMap::new(),
            writes: 0,
            written: Written::default(),
        }
    }

    /// Writes rows until `None` ends them, and all bytes to disk. Returns the files.
    ///
    /// # Errors
    /// A file can't be written, or the sender was dropped before the end: the statement was
    /// cancelled.
    pub fn run(mut self, mut parts: Receiver<Option<PartitionRows>>) -> Result<Written> {
        while let Some(next) = parts.blocking_recv() {
            match next {
                Some(part) => self.take(part)?,
                None => return self.finish(),
            }
        }
        Err(Error::Cancelled)
    }

    /// Returns the number of files that may be open.
    fn open_files(&self) -> usize {
        match self.folder {
            Some(OutputFolder::InStore(_)) => OPEN_FILES_IN_STORE,
            Some(OutputFolder::Local(_)) | None => OPEN_FILES,
        }
    }

    fn take(&mut self, part: PartitionRows) -> Result<()> {
        let PartitionRows { partition, folder, rows } = part;
        if self.open.contains_key(&partition) || self.open.len() < self.open_files() {
            return self.write(partition, &folder, &rows);
        }
        let bytes = rows.get_array_memory_size() + BATCH_BYTES;
        let waiting = self.waiting.entry(partition);
        let waiting = waiting.or_insert_with(|| Waiting { folder, rows: Vec::new(), bytes: 0 });
        waiting.rows.push(rows);
        waiting.bytes += bytes;
        let has_room = self.reservation.try_grow(bytes).is_ok();
        if !has_room {
            // what waits is written at once, until it is no more than what was granted
            self.reservation.grow(bytes);
        }
        let limit = if has_room { WAITING_BYTES } else { 0 };
        if self.reservation.size() > limit {
            self.compact()?;
            self.write_waiting(limit / 2)?;
        }
        Ok(())
    }

    /// Makes one batch of the rows of each partition that waits. Many small ones take several times
    /// the memory of their values.
    fn compact(&mut self) -> Result<()> {
        let mut bytes = 0;
        for waiting in self.waiting.values_mut() {
            if let [first, _, ..] = waiting.rows.as_slice() {
                let rows = concat_batches(&first.schema(), &waiting.rows).map_err(failed)?;
                waiting.bytes = rows.get_array_memory_size() + BATCH_BYTES;
                waiting.rows = vec![rows];
            }
            bytes += waiting.bytes;
        }
        self.reservation.resize(bytes);
        Ok(())
    }

    /// Writes the rows of the partitions with the most that wait until at most `limit` bytes wait,
    /// each in place of the file that was written to longest ago.
    fn write_waiting(&mut self, limit: usize) -> Result<()> {
        let mut largest: Vec<(usize, usize)> =
            self.waiting.iter().map(|(partition, waiting)| (waiting.bytes, *partition)).collect();
        largest.sort_unstable();
        while self.reservation.size() > limit
            && let Some((_, partition)) = largest.pop()
        {
            let Some(waiting) = self.waiting.remove(&partition) else { continue };
            if self.open.len() >= self.open_files() {
                let oldest = self.open.iter().min_by_key(|(_, open)| open.used).map(|(other, _)| *other);
                oldest.map_or(Ok(()), |oldest| self.close(oldest))?;
            }
            for rows in &waiting.rows {
                self.write(partition, &waiting.folder, rows)?;
            }
            self.reservation.shrink(waiting.bytes);
        }
        Ok(())
    }

    fn write(&mut self, partition: usize, folder: &str, rows: &RecordBatch) -> Result<()> {
        if !self.open.contains_key(&partition) {
            let writer = self.create(partition, folder)?;
            self.open.insert(partition, Open { writer, used: 0 });
        }
        self.writes += 1;
        if let Some(open) = self.open.get_mut(&partition) {
            open.used = self.writes;
            open.writer.write(rows)?;
        }
        Ok(())
    }

    fn create(&mut self, partition: usize, folder: &str) -> Result<RowWriter<Output>> {
        let means = &self.means;
        let (name, file) = match &self.folder {
            None => (means.shown.clone(), Output::create(&means.place, &means.stores)?),
            Some(all) => {
                // without folders of partitions, the threads' files are told apart by their numbers
                let first = if folder.is_empty() { partition } else { 0 };
                let number = self.numbers.entry(partition).or_insert(first);
                let file = match &means.names {
                    Some(names) => names.name(*number),
                    None => format!("data_{}{number}", means.mark),
                };
                let file = file + means.format.extension();
                *number += 1;
                let within = if folder.is_empty() { file } else { format!("{folder}/{file}") };
                match all {
                    OutputFolder::Local(all) => {
                        let path = Path::new(&means.place).join(&within).display().to_string();
                        let file = all.file(Path::new(&within)).map_err(|e| means.failed(&path, &e))?;
                        (path, Output::Local(OutputFile::InFolder(file)))
                    }
                    OutputFolder::InStore(all) => {
                        (format!("{}/{within}", means.shown.trim_end_matches('/')), all.file(&within)?)
                    }
                }
            }
        };
        self.written.names.push(name.clone());
        Ok(RowWriter::new(file, &name.into(), &means.schema, &means.format, &means.router)?)
    }

    /// Ends a file, and writes it to disk or to its store.
    fn close(&mut self, partition: usize) -> Result<()> {
        let Some(open) = self.open.remove(&partition) else { return Ok(()) };
        let mut file = open.writer.finish()?;
        let failed = |error| self.means.failed(&self.means.shown, &error);
        file.sync().map_err(failed)?;
        match self.folder {
            None => self.written.whole = Some(file),
            Some(_) => file.commit().map_err(failed)?,
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Written> {
        self.write_waiting(0)?;
        let open: Vec<usize> = self.open.keys().copied().collect();
        open.into_iter().try_for_each(|partition| self.close(partition))?;
        Ok(self.written)
    }
}
