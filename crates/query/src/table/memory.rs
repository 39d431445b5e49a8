//! Parquet files whose bytes are in memory, for tables that SQL creates.
//!
//! The pages are compressed by the router and read by the same scans as those of files on disk. The
//! bytes count towards the session's memory limit until the last query that reads them ends.

mod pieces;

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryPool};
use futures::StreamExt;
use object_store::path::Path;
use pelton_job::Router;
use pelton_pages::{FooterOptions, Location, Packing, ParquetFile, TableWriter, WriteOptions, Written};
use tokio::sync::mpsc::{Receiver, channel};

use crate::error::{Error, Result};
use crate::writing_memory::WritingMemory;
use pieces::Pieces;

/// Codec of the pages. It decompresses fastest, and each query decompresses what it reads.
const PACKING: Packing = Packing::Lz4Raw;

/// Batches that wait for the writer. It queues more by itself.
const BATCHES_AHEAD: usize = 2;

/// Numbers the files of the process: caches tell files apart by their paths.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// The means of a session for writing files in memory.
pub(crate) struct Memory {
    /// Compresses the pages.
    pub router: Arc<Router>,
    /// Accounts for the bytes.
    pub pool: Arc<dyn MemoryPool>,
    /// Threads that encode.
    pub threads: usize,
}

impl Memory {
    /// Writes rows as a file of the table `name`, and returns it with the number of rows.
    ///
    /// # Errors
    /// A batch is an error, has a NULL in a column that takes none, or a type that Parquet lacks;
    /// or memory is short.
    pub async fn write(
        &self,
        name: &str,
        schema: &SchemaRef,
        mut rows: SendableRecordBatchStream,
    ) -> Result<(Arc<ParquetFile>, u64)> {
        let name: Arc<str> = name.into();
        let failed = Arc::new(OnceLock::new());
        let reservation = MemoryConsumer::new(format!("table {name}")).register(&self.pool);
        let buffer = Buffer { pieces: Pieces::new(reservation), failed: failed.clone() };
        let memory = WritingMemory::reserve(&self.pool);
        let options = WriteOptions { threads: self.threads, ..WriteOptions::new(PACKING) };
        let options = memory.bounded_options(options, 1);
        let writer = TableWriter::new(buffer, &name, schema, options, &self.router)?;
        let (sender, receiver) = channel(BATCHES_AHEAD);
        // the writer blocks, which would hold a thread of the runtime
        let written = tokio::task::spawn_blocking(move || write_all(writer, receiver));
        while let Some(batch) = rows.next().await {
            let batch = fitting(&name, schema, &batch?)?;
            if sender.send(Some(batch)).await.is_err() {
                // the writer has failed, and says so below
                break;
            }
        }
        _ = sender.send(None).await;
        drop(sender);
        let written = written.await.map_err(|e| Error::Internal(format!("the writer of {name}: {e}")))?;
        let (buffer, written) = match (written, failed.get()) {
            (Err(_), Some(why)) => return Err(Error::clone(why)),
            (Err(error), None) => return Err(error.into()),
            (Ok(None), _) => return Err(Error::Cancelled),
            (Ok(Some(done)), _) => done,
        };
        let file = file(buffer.pieces, &name).await?;
        Ok((file, written.rows))
    }
}

type Done = Option<(Buffer, Written)>;

/// Writes batches until `None` ends them. Returns `None` if the sender was dropped before.
fn write_all(
    mut writer: TableWriter<Buffer>,
    mut batches: Receiver<Option<RecordBatch>>,
) -> pelton_pages::Result<Done> {
    while let Some(next) = batches.blocking_recv() {
        match next {
            Some(batch) => writer.write(&batch)?,
            None => return writer.finish().map(Some),
        }
    }
    Ok(None)
}

/// Returns a batch with the table's schema.
///
/// # Errors
/// It has a NULL in a column that takes none.
fn fitting(table: &str, schema: &SchemaRef, batch: &RecordBatch) -> Result<RecordBatch> {
    let columns = schema.fields().iter().zip(batch.columns());
    for (field, column) in columns {
        if !field.is_nullable() && column.null_count() > 0 {
            let column = field.name();
            return Err(Error::Execution(format!(
                "{table}: a row has NULL in {column}, which is NOT NULL: give it a value"
            )));
        }
    }
    let fitting = RecordBatch::try_new(schema.clone(), batch.columns().to_vec());
    fitting.map_err(|error| Error::Execution(format!("{table}: {error}")))
}

/// Opens a file of the bytes, which are freed with the last reader.
async fn file(pieces: Pieces, name: &Arc<str>) -> Result<Arc<ParquetFile>> {
    let path = Path::from(format!("{}.parquet", NUMBER.fetch_add(1, Relaxed)));
    let (store, meta) = pieces.into_store(path);
    let location = Location::new(Arc::new(store), meta, name.clone());
    Ok(ParquetFile::open(location, &FooterOptions::default()).await?)
}

/// Destination of a file in memory, up to the limit.
struct Buffer {
    pieces: Pieces,
    /// The reason for a failed write.
    failed: Arc<OnceLock<Error>>,
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(error) = self.pieces.push(bytes) {
            let error = self.failed.get_or_init(|| error.into());
            return Err(io::Error::other(error.to_string()));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
