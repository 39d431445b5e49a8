//! Writer of a table as a Parquet file, with pages compressed by the router.
//!
//! parquet-rs encodes values ([`encode`], [`schema`]) and lays out a file without a codec
//! ([`layout`]). A full page goes to the router ([`pages`]) while the next values of its column are
//! encoded. When all pages of a row group are compressed, they are written, and their offsets in
//! both layouts are recorded as in repacking. The filters ([`bloom`]), indexes and the footer get
//! the final offsets ([`output`]).
//!
//! ```text
//! batches ─► columns' queues ─► encode, threads ─► pages ─► Router ─► row group ─► file
//! ```

mod bloom;
mod columns;
mod encode;
mod lane;
mod layout;
mod output;
mod pages;
mod schema;
mod size;

pub use schema::{PARQUET_TYPE, check_columns};

use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use parquet::arrow::arrow_writer::ArrowRowGroupWriterFactory;
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedFileWriter;
use pelton_job::Router;

use super::layout::NewChunk;
use super::sink::Sink;
use super::{MAGIC, Packing};
use crate::error::{Cause, Error, Place, Result};
use encode::{Encoders, Failed};
use layout::Layout;
use pages::Stores;

/// Row groups in memory: the pages of one are compressed while the next is encoded.
const ROW_GROUPS_HELD: usize = 2;

/// Default bytes of values in memory. The half of them that is a row group is in the range that
/// Parquet's documentation advises, and a million narrow rows stay below.
const HELD_BYTES: usize = 512 << 20;

/// Largest part of the values in memory that waits for an encoder.
const QUEUED_SHARE: usize = 8;

/// Default number of rows in a row group, as in parquet-rs and Arrow C++. Smaller row groups repeat
/// dictionaries more often, and larger ones give the threads of a reader fewer units of work.
const ROW_GROUP_ROWS: usize = 1 << 20;

/// Options of a table writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteOptions {
    /// Codec of the pages.
    pub packing: Packing,
    /// Rows of a row group, at least 1. Large rows make smaller row groups.
    pub row_group_rows: usize,
    /// Writes bloom filters of dictionary-encoded column chunks.
    pub bloom_filters: bool,
    /// Threads that encode, including the caller's, at least 1.
    pub threads: usize,
    /// Bytes of values in memory, in whichever form: those of [`ROW_GROUPS_HELD`] row groups. A row
    /// group that has its share of them ends.
    pub held_bytes: usize,
}

impl WriteOptions {
    /// Returns the defaults: row groups of 1,048,576 rows, bloom filters, a thread for each core,
    /// and 512 MiB of values in memory.
    pub fn new(packing: Packing) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        Self { packing, row_group_rows: ROW_GROUP_ROWS, bloom_filters: true, threads, held_bytes: HELD_BYTES }
    }
}

/// Totals of a written file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// Rows of the table.
    pub rows: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Its row groups.
    pub row_groups: usize,
}

/// Writes a table's rows as a Parquet file.
///
/// Calls block and do a part of the work. After a failed call, or without
/// [`finish`](Self::finish), the bytes are not a valid file.
pub struct TableWriter<W: Write + Send> {
    sink: Sink<W>,
    name: Arc<str>,
    schema: SchemaRef,
    /// The converted columns.
    encoded: SchemaRef,
    options: WriteOptions,
    router: Arc<Router>,
    /// Number of leaf columns of each top-level column.
    leaves: Vec<usize>,
    encoders: Encoders,
    file: SerializedFileWriter<Layout>,
    layout: Layout,
    /// Row groups that have not been written yet.
    row_groups: VecDeque<Arc<Stores>>,
    chunks: Vec<Vec<NewChunk>>,
    /// Rows and bytes of values in the last row group, which is being encoded. Without rows it has
    /// not begun.
    rows: usize,
    bytes: usize,
    rows_before: u64,
}

impl<W: Write + Send> TableWriter<W> {
    /// Begins a file, called `name` in errors.
    ///
    /// # Errors
    /// Parquet has no type for a column, a number of the options is zero, or `to` can't be written.
    pub fn new(
        to: W,
        name: &Arc<str>,
        schema: &SchemaRef,
        options: WriteOptions,
        router: &Arc<Router>,
    ) -> Result<Self> {
        let refused = |what: String| Error::new(Place::file(name), Cause::Write(what));
        if options.row_group_rows == 0 || options.threads == 0 {
            return Err(refused(
                "row groups need rows, and somebody has to encode them; give 1 or more".into(),
            ));
        }
        if schema.fields().is_empty() {
            return Err(refused("a Parquet file needs a column; the table has none".to_owned()));
        }
        let encoded = columns::encoded(schema);
        let (parquet, properties) = schema::properties(&encoded).map_err(|e| error(name, &e))?;
        let fields = encoded.fields().clone();
        let layout = Layout::default();
        let file = SerializedFileWriter::new(layout.clone(), parquet.root_schema_ptr(), Arc::new(properties));
        let mut sink = Sink::new(to, name);
        sink.write(&[MAGIC])?;
        let mut leaves = vec![0; schema.fields().len()];
        (0..parquet.num_columns()).for_each(|leaf| leaves[parquet.get_column_root_idx(leaf)] += 1);
        let writer = Self {
            sink,
            name: name.clone(),
            schema: schema.clone(),
            encoded,
            options,
            router: router.clone(),
            leaves,
            encoders: Encoders::start(&fields, options.threads, options.held_bytes / QUEUED_SHARE),
            file: file.map_err(|e| error(name, &e))?,
            layout,
            row_groups: VecDeque::new(),
            chunks: Vec::new(),
            rows: 0,
            bytes: 0,
            rows_before: 0,
        };
        writer.try_types()?;
        Ok(writer)
    }

    /// Writes some rows: encodes a part of them, and queues the rest.
    ///
    /// # Errors
    /// The batch has other columns than the table; a value can't be encoded; a page can't be
    /// compressed by any device; or the destination fails. Errors of earlier rows may come late.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.check(batch)?;
        let mut at = 0;
        while at < batch.num_rows() {
            if self.rows == 0 {
                self.begin()?;
            }
            let rows = (self.options.row_group_rows - self.rows).min(batch.num_rows() - at);
            let slice = batch.slice(at, rows);
            let columns = self.encodable(&slice)?;
            self.bytes += self.encoders.write(&columns).map_err(|failed| self.failed(failed))?;
            at += rows;
            self.rows += rows;
            if self.rows == self.options.row_group_rows
                || self.bytes >= self.options.held_bytes / ROW_GROUPS_HELD
            {
                self.end()?;
            }
        }
        Ok(())
    }

    /// Writes the remaining rows and the footer. Flushes the destination, but does not sync a disk.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn finish(mut self) -> Result<(W, Written)> {
        if self.rows > 0 {
            self.end()?;
        }
        while !self.row_groups.is_empty() {
            self.write_row_group()?;
        }
        self.write_tail()?;
        self.sink.flush()?;
        let written =
            Written { rows: self.rows_before, bytes: self.sink.position(), row_groups: self.chunks.len() };
        Ok((self.sink.into_inner(), written))
    }

    fn begin(&mut self) -> Result<()> {
        let index = self.chunks.len() + self.row_groups.len();
        let (factory, stores) = self.factory(index);
        let mut writers =
            factory.create_column_writers(index).map_err(|e| error(&self.name, &e))?.into_iter();
        self.encoders.begin(self.leaves.iter().map(|leaves| writers.by_ref().take(*leaves).collect()));
        self.row_groups.push_back(stores);
        Ok(())
    }

    fn factory(&self, row_group: usize) -> (ArrowRowGroupWriterFactory, Arc<Stores>) {
        let stores = Arc::new(Stores {
            place: Place::file(&self.name),
            row_group,
            packing: self.options.packing,
            router: self.router.clone(),
            chunks: Mutex::default(),
        });
        let factory = ArrowRowGroupWriterFactory::new(&self.file, self.encoded.clone());
        (factory.with_page_store_factory(stores.clone()), stores)
    }

    fn end(&mut self) -> Result<()> {
        self.encoders.end();
        self.rows_before += self.rows as u64;
        (self.rows, self.bytes) = (0, 0);
        while self.row_groups.len() >= ROW_GROUPS_HELD {
            self.write_row_group()?;
        }
        Ok(())
    }

    fn failed(&self, (column, why): Failed) -> Error {
        Error::new(Place::file(&self.name).column(column), Cause::Write(why))
    }
}

fn error(name: &Arc<str>, error: &ParquetError) -> Error {
    Error::new(Place::file(name), Cause::Write(error.to_string()))
}

/// Locks a mutex, even if a thread panicked with the lock: its error discards the contents.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
