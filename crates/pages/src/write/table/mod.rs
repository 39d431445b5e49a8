//! Writing a table as a Parquet file: rows in, pages compressed by the router.
//!
//! parquet-rs encodes ([`encode`], [`schema`]) and lays the file out, as one without a codec
//! ([`layout`]). Each page goes to the router as soon as it is full ([`pages`]), while its column's
//! next values are encoded. When a row group is whole its pages are written, and where they were to
//! be and where they are is noted, as it is in repacking; the filters ([`bloom`]), indexes and the
//! footer are written with the new places ([`output`]).
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

pub use schema::PARQUET_TYPE;

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

/// Row groups that are whole or being encoded: while one's pages are compressed, the next one's are
/// made.
const ROW_GROUPS_HELD: usize = 2;

/// A row group ends when its values have so many bytes, so that rows of any size take no more
/// memory than a few of these. Parquet's own advice is 128 MiB to 1 GiB; a million narrow rows stay
/// below.
const ROW_GROUP_BYTES: usize = 256 << 20;

/// Rows of a row group, if no other number is asked for: parquet-rs's and Arrow C++'s own. Fewer
/// repeat dictionaries more often, and more leave a reader of one file fewer to share among its
/// threads.
const ROW_GROUP_ROWS: usize = 1 << 20;

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteOptions {
    /// The codec of its pages.
    pub packing: Packing,
    /// Rows of a row group, over zero. Rows that are large make smaller ones.
    pub row_group_rows: usize,
    /// Whether column chunks that are dictionary-encoded get bloom filters.
    pub bloom_filters: bool,
    /// Threads that encode, the caller's among them, over zero.
    pub threads: usize,
}

impl WriteOptions {
    /// Row groups of 1,048,576 rows, with bloom filters, encoded by as many threads as there are
    /// cores.
    pub fn new(packing: Packing) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        Self { packing, row_group_rows: ROW_GROUP_ROWS, bloom_filters: true, threads }
    }
}

/// What was written.
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
/// Calls block, and do a part of the work. What was written when a call fails, or without
/// [`finish`](Self::finish), is no file.
pub struct TableWriter<W: Write + Send> {
    sink: Sink<W>,
    name: Arc<str>,
    schema: SchemaRef,
    /// The columns that are encoded in their place.
    encoded: SchemaRef,
    options: WriteOptions,
    router: Arc<Router>,
    /// Leaf columns of each top-level one.
    leaves: Vec<usize>,
    encoders: Encoders,
    file: SerializedFileWriter<Layout>,
    layout: Layout,
    /// Those that are not written.
    row_groups: VecDeque<Arc<Stores>>,
    chunks: Vec<Vec<NewChunk>>,
    /// Rows and bytes of values in the row group that is being encoded; it is the last one of
    /// those, if there are rows.
    rows: usize,
    bytes: usize,
    rows_before: u64,
}

impl<W: Write + Send> TableWriter<W> {
    /// Begins a file. `name` is what errors call it.
    ///
    /// # Errors
    /// A column's type is one that Parquet has no place for, a number of the options is zero, or
    /// `to` can't be written.
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
            encoders: Encoders::start(&fields, options.threads),
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
    /// The batch has other columns than the table, or what was written before failed: a value can't
    /// be encoded, a device failed and no other could do its job, or what takes the file's bytes
    /// does not take them.
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
            if self.rows == self.options.row_group_rows || self.bytes >= ROW_GROUP_BYTES {
                self.end()?;
            }
        }
        Ok(())
    }

    /// Writes what is left, and the footer. The bytes are passed on, but not flushed to a disk.
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

/// The lock, whatever became of who had it: what was in there is dropped with the error that there
/// was.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
