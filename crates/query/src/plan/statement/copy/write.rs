//! Execution of COPY TO: threads that write files, and the end at which the result appears.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::execution::memory_pool::MemoryConsumer;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use futures::StreamExt;
use pelton_job::Router;
use pelton_pages::listing::refuse_writing;
use pelton_pages::{AtomicFolder, Cause, Error as FileError, Existing, Place, RowFormat};
use tokio::sync::mpsc::{Sender, channel};
use tokio::task::JoinHandle;

use super::file_names::FileNames;
use super::lane::{Lane, Means, Message, OutputFolder, Written};
use super::partitions::{Lanes, PartitionRows, Partitioning, Splitter};
use super::sorter::{self, Folders, Sorter};
use crate::error::{Error, Result};
use crate::stores::{StoreFolder, Stores, is_in_store, shown_place, unused_mark};
use crate::writing_memory::WritingMemory;

/// Batches that wait for a thread.
const BATCHES_AHEAD: usize = 2;

/// Files of partitions that a thread keeps open, each of which holds row groups in memory.
const OPEN_FILES: usize = 32;

/// The same for files of a store, each of which holds two parts in memory, too.
const OPEN_FILES_IN_STORE: usize = 8;

/// Least memory of an open file under a limit, in bytes. Less makes row groups that readers take
/// long for.
const FILE_BYTES: usize = 8 << 20;

/// A planned statement.
pub(super) struct Task {
    pub place: String,
    pub format: RowFormat,
    /// Schema of the rows.
    pub schema: SchemaRef,
    pub partitioning: Option<Arc<Partitioning>>,
    /// Each thread writes a file of its own.
    pub per_thread: bool,
    /// Pattern of the names of a folder's files.
    pub names: Option<FileNames>,
    pub existing: Existing,
    /// Threads that write.
    pub threads: usize,
    pub router: Arc<Router>,
    pub stores: Arc<Stores>,
    /// Memory and temporary files for rows that wait for a file.
    pub context: Arc<TaskContext>,
}

/// A thread that writes, and the way to it.
struct Running {
    sender: Sender<Message>,
    ended: JoinHandle<Result<Written>>,
}

impl Task {
    /// Writes the rows, and returns their number and the files' places, in order. The files appear
    /// when all of them are on disk.
    ///
    /// # Errors
    /// The rows can't be computed or written, or the place can't have them. The place is as it was
    /// then, unless it is a pipe or a device.
    pub async fn run(&self, mut rows: SendableRecordBatchStream) -> Result<(u64, Vec<String>)> {
        let is_in_store = is_in_store(&self.place);
        let is_folder = self.per_thread
            || self.partitioning.is_some()
            || self.place.ends_with(['/', std::path::MAIN_SEPARATOR])
            || (!is_in_store && self.path().is_dir());
        let of_folders = [
            (self.existing == Existing::Extend, "APPEND adds files to a folder"),
            (self.names.is_some(), "FILENAME_PATTERN names the files of a folder"),
        ];
        if let Some((_, what)) = of_folders.iter().find(|(is_given, _)| *is_given && !is_folder) {
            return Err(Error::Query(format!(
                "COPY TO {}: {what}; add PARTITION_BY or PER_THREAD_OUTPUT, or end the place with /",
                shown_place(&self.place)
            )));
        }
        if is_in_store
            && self.existing == Existing::Replace
            && self.names.as_ref().is_some_and(|names| !names.are_unique())
        {
            return Err(Error::Query(format!(
                "COPY TO {}: OVERWRITE in a store needs names that no file has yet; give FILENAME_PATTERN with {{uuid}}",
                shown_place(&self.place)
            )));
        }
        if !is_in_store && (is_folder || matches!(self.format, RowFormat::Parquet(_))) {
            let above = refuse_writing(self.path());
            above.map_err(|what| Error::Query(format!("COPY TO {}: {what}", shown_place(&self.place))))?;
        }
        let folder = match (is_folder, is_in_store) {
            (true, false) => {
                let folder = AtomicFolder::create(self.path(), self.existing);
                Some(OutputFolder::Local(Arc::new(folder.map_err(|error| self.failed(&error))?)))
            }
            (true, true) => {
                let folder = StoreFolder::create(&self.place, self.existing, &self.stores).await?;
                Some(OutputFolder::InStore(Arc::new(folder)))
            }
            (false, _) => None,
        };
        let memory = WritingMemory::reserve(self.context.memory_pool());
        let lanes = self.lanes(&memory, is_in_store);
        let means = Arc::new(self.means(folder.as_ref(), &memory, lanes));
        let running: Vec<Running> = (0..lanes.count).map(|_| start(&means, folder.clone())).collect();
        let sent = self.send(&running, lanes, &mut rows).await;
        if sent.is_ok() {
            for lane in &running {
                // a lane that has ended has failed, and says so below
                _ = lane.sender.send(Message::End).await;
            }
        }
        let written = ended(running).await;
        // an error of the rows ends the lanes, too
        let (count, Written { whole, mut names, most_open }) = match (sent, written) {
            (Err(error), _) => return Err(error),
            (_, Err(error)) => return Err(error),
            (Ok(count), Ok(written)) => (count, written),
        };
        log::debug!("COPY wrote {} files, of which a thread had at most {most_open} open", names.len());
        let still_writes = || Error::Internal("a thread still writes to the folder".to_owned());
        match (folder, whole) {
            (Some(OutputFolder::Local(folder)), _) => {
                let folder = Arc::into_inner(folder).ok_or_else(still_writes)?;
                let stop = StopOnDrop::default();
                let stopped = stop.0.clone();
                let committed = tokio::task::spawn_blocking(move || folder.commit(&stopped)).await;
                let committed = committed.map_err(|e| Error::Internal(format!("a thread of COPY: {e}")))?;
                committed.map_err(|error| self.failed(&error))?;
            }
            (Some(OutputFolder::InStore(folder)), _) => {
                Arc::into_inner(folder).ok_or_else(still_writes)?.commit().await?;
            }
            (None, Some(file)) => {
                // a file of a store waits for an answer
                let committed = tokio::task::spawn_blocking(move || file.commit()).await;
                let committed = committed.map_err(|e| Error::Internal(format!("a thread of COPY: {e}")))?;
                committed.map_err(|error| self.failed(&error))?;
            }
            (None, None) => return Err(Error::Internal("the file of COPY is missing".to_owned())),
        }
        names.sort();
        Ok((count, names))
    }

    /// Returns the place as a local path.
    fn path(&self) -> &Path {
        Path::new(self.place.strip_prefix("file://").unwrap_or(&self.place))
    }

    /// Returns an error of the place.
    fn failed(&self, error: &std::io::Error) -> Error {
        let name: Arc<str> = shown_place(&self.place).into();
        Error::Pages(FileError::new(Place::file(&name), Cause::Write(error.to_string())))
    }

    /// Returns the number of lanes, and of the files that each may have open.
    fn lanes(&self, memory: &WritingMemory, is_in_store: bool) -> Lanes {
        let count = if self.has_files_side_by_side() { self.threads.max(1) } else { 1 };
        let most = if is_in_store { OPEN_FILES_IN_STORE } else { OPEN_FILES };
        let fitting = memory.bytes().map_or(most, |bytes| bytes / count / FILE_BYTES);
        Lanes { count, open_files: fitting.clamp(1, most) }
    }

    fn has_files_side_by_side(&self) -> bool {
        self.per_thread || self.partitioning.is_some()
    }

    fn means(&self, folder: Option<&OutputFolder>, memory: &WritingMemory, lanes: Lanes) -> Means {
        let files = if self.partitioning.is_some() { lanes.open_files } else { 1 };
        let mut format = memory.bounded(self.format.clone(), lanes.count * files);
        if let RowFormat::Parquet(options) = &mut format
            && self.has_files_side_by_side()
        {
            options.threads = 1;
        }
        let schema = self.partitioning.as_ref().map_or(&self.schema, |all| &all.schema).clone();
        let mark = match folder {
            Some(OutputFolder::InStore(folder)) => folder.mark.clone(),
            Some(OutputFolder::Local(_)) if self.existing == Existing::Extend => unused_mark(),
            Some(OutputFolder::Local(_)) | None => String::new(),
        };
        Means {
            place: self.place.strip_prefix("file://").unwrap_or(&self.place).to_owned(),
            shown: shown_place(&self.place),
            stores: self.stores.clone(),
            format,
            schema,
            router: self.router.clone(),
            names: self.names.clone(),
            mark,
        }
    }

    /// Hands the rows to the lanes, and returns their number.
    async fn send(
        &self,
        lanes: &[Running],
        shape: Lanes,
        rows: &mut SendableRecordBatchStream,
    ) -> Result<u64> {
        match &self.partitioning {
            Some(partitioning) => self.send_partitions(partitioning, lanes, shape, rows).await,
            None => self.send_in_turn(lanes, rows).await,
        }
    }

    async fn send_in_turn(&self, lanes: &[Running], rows: &mut SendableRecordBatchStream) -> Result<u64> {
        // a result without rows has one file, too
        let none = RecordBatch::new_empty(self.schema.clone());
        let (mut count, mut turn) = (0, 0);
        let mut takes = hand_over(lanes, 0, none).await;
        // a lane that takes no more has failed, and says so when it is awaited
        while takes && let Some(batch) = rows.next().await {
            let batch = batch?;
            count += batch.num_rows() as u64;
            takes = batch.num_rows() == 0 || hand_over(lanes, turn % lanes.len(), batch).await;
            turn += 1;
        }
        Ok(count)
    }

    async fn send_partitions(
        &self,
        partitioning: &Arc<Partitioning>,
        lanes: &[Running],
        shape: Lanes,
        rows: &mut SendableRecordBatchStream,
    ) -> Result<u64> {
        let reservation = MemoryConsumer::new("COPY").register(self.context.memory_pool());
        let mut splitter = Splitter::new(partitioning, &self.schema, shape, reservation)?;
        let folders = Folders::default();
        let mut sorters: Vec<Option<Sorter>> = lanes.iter().map(|_| None).collect();
        let mut count = 0;
        'rows: while let Some(batch) = rows.next().await {
            let batch = batch?;
            count += batch.num_rows() as u64;
            let split = splitter.split(&batch)?;
            for part in split.open {
                let lane = &lanes[part.partition % lanes.len()];
                if lane.sender.send(Message::Rows(part)).await.is_err() {
                    // the lane has failed, and says so when it is awaited
                    return Ok(count);
                }
            }
            for (lane, rows) in split.sorted {
                let sorter = match &mut sorters[lane] {
                    Some(sorter) => sorter,
                    none => {
                        let context = sorter::context(self.context.clone(), lanes.len())?;
                        let sender = lanes[lane].sender.clone();
                        none.insert(Sorter::start(splitter.keyed(), &context, folders.clone(), sender)?)
                    }
                };
                if !sorter.push(rows).await {
                    // it has failed, and says so when it is awaited
                    break 'rows;
                }
            }
        }
        _ = folders.set(splitter.into_folders());
        let sorted = sorters.into_iter().flatten().map(Sorter::finish);
        futures::future::try_join_all(sorted).await?;
        Ok(count)
    }
}

/// Tells a thread to stop when the statement is dropped.
#[derive(Default)]
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

fn start(means: &Arc<Means>, folder: Option<OutputFolder>) -> Running {
    let lane = Lane::new(means.clone(), folder);
    let (sender, receiver) = channel(BATCHES_AHEAD);
    // writing blocks, which would hold a thread of the runtime
    Running { sender, ended: tokio::task::spawn_blocking(move || lane.run(receiver)) }
}

/// Sends rows to a lane for its own file. Returns whether the lane takes them.
async fn hand_over(lanes: &[Running], lane: usize, rows: RecordBatch) -> bool {
    let rows = PartitionRows { partition: lane, folder: "".into(), rows };
    lanes[lane].sender.send(Message::Rows(rows)).await.is_ok()
}

/// Waits for the lanes, and returns the files of all of them.
///
/// # Errors
/// A lane failed; the error is the first that is no consequence of another one.
async fn ended(lanes: Vec<Running>) -> Result<Written> {
    let (senders, lanes): (Vec<_>, Vec<_>) = lanes.into_iter().map(|lane| (lane.sender, lane.ended)).unzip();
    drop(senders);
    let (mut written, mut failed) = (Written::default(), None);
    for lane in lanes {
        let done = lane.await.unwrap_or_else(|e| Err(Error::Internal(format!("a thread of COPY: {e}"))));
        match done {
            Ok(found) => {
                written.whole = written.whole.or(found.whole);
                written.names.extend(found.names);
                written.most_open = written.most_open.max(found.most_open);
            }
            Err(Error::Cancelled) if failed.is_some() => {}
            Err(error) if failed.is_none() || matches!(failed, Some(Error::Cancelled)) => {
                failed = Some(error)
            }
            Err(_) => {}
        }
    }
    failed.map_or(Ok(written), Err)
}
