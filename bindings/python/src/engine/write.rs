//! Rows of Python objects, written as a Parquet file.
//!
//! One thread writes, and the calling thread takes the batches: Python code may be behind them,
//! which raises and gets Ctrl-C in the calling thread.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::sleep;
use std::time::Duration;

use arrow::record_batch::RecordBatch;
use pelton::codec::{Format, Level, Window};
use pelton::{Error, Packing, WriteOptions, Written};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::export::{self, types};
use super::files;
use super::handle::Handle;
use super::import::{Source, places, source, text_of_path};
use super::result::QueryResult;
use crate::error::guarded;
use crate::numbers::positive;
use crate::wait::{Work, detached};

/// Batches that wait to be written: enough for the writer while the calling thread sleeps.
const WAITING: usize = 16;

/// Time that the calling thread sleeps while the queue is full.
const NAP: Duration = Duration::from_millis(2);

/// Returns a codec by its name, and a level if it has levels.
///
/// # Errors
/// `ValueError` for an unknown codec or level.
pub fn packing(codec: &str, level: Option<i32>) -> PyResult<Packing> {
    let of = |format: Format| match level {
        None => Ok(format.default_level()),
        Some(level) => Level::new(format, level).map_err(|error| PyValueError::new_err(error.to_string())),
    };
    let packing = match codec {
        "none" | "uncompressed" => Packing::Uncompressed,
        "snappy" => Packing::Snappy,
        "lz4_raw" => Packing::Lz4Raw,
        "gzip" => return Ok(Packing::Gzip { window: Window::FULL, level: of(Format::Gzip)? }),
        "zstd" => return Ok(Packing::Zstd { level: of(Format::Zstd)? }),
        other => {
            let what = format!("there is no codec {other:?}; there are none, snappy, gzip, zstd and lz4_raw");
            return Err(PyValueError::new_err(what));
        }
    };
    match level {
        None => Ok(packing),
        Some(_) => Err(PyValueError::new_err(format!("only gzip and zstd have levels, not {codec}"))),
    }
}

/// Writes a file. Batches of a query that still runs are written as they come, and not kept.
///
/// # Errors
/// The data is no table, or raises; the file can't be written.
pub fn write(
    py: Python<'_>,
    handle: &Arc<Handle>,
    data: &Bound<'_, PyAny>,
    path: PathBuf,
    options: WriteOptions,
) -> PyResult<Written> {
    // the engine takes texts
    text_of_path(&path)?;
    let mut from = match places(data)? {
        Some(_) => From::Result(Py::new(py, files::read(py, handle, data, None, None)?)?.into_bound(py)),
        None => match data.cast::<QueryResult>() {
            Ok(result) => From::Result(result.clone()),
            Err(_) => From::Source(guarded(py, || source(data, "data"))?),
        },
    };
    let schema = match &from {
        From::Result(result) => types::of_files(&result.get().columns_of()),
        From::Source(source) => types::of_files(&source.schema),
    };
    let engine = handle.engine(py)?.clone();
    let (send, receive) = sync_channel(WAITING);
    let columns = schema.clone();
    let work = Work::start(py, move || engine.write_parquet(&path, &columns, Batches(receive), options))?;
    let fed = match &mut from {
        From::Source(source) => feed(py, &send, |py| {
            let batch = guarded(py, || source.next(py))?;
            batch.map(|batch| export::cast(py, &batch, &schema)).transpose()
        }),
        // The writer hears of any failure below.
        From::Result(result) => result
            .get()
            .batches(py, schema.clone())
            .and_then(|mut batches| feed(py, &send, |py| batches.next(py))),
    };
    if let Err(error) = fed {
        // The writer takes the closed channel as an error, and removes its file.
        drop(send);
        let _ = work.finish(py);
        return Err(error);
    }
    work.finish(py)
}

enum From<'py> {
    Result(Bound<'py, QueryResult>),
    Source(Source<'py>),
}

/// Gives batches to the writer until the last, or until the writer fails.
fn feed(
    py: Python<'_>,
    send: &SyncSender<Option<RecordBatch>>,
    mut next: impl FnMut(Python<'_>) -> PyResult<Option<RecordBatch>>,
) -> PyResult<()> {
    loop {
        let mut batch = next(py)?;
        let ended = batch.is_none();
        loop {
            match send.try_send(batch) {
                Ok(()) => break,
                Err(TrySendError::Disconnected(_)) => return Ok(()),
                Err(TrySendError::Full(back)) => batch = back,
            }
            detached(py, || sleep(NAP))?;
            py.check_signals()?;
        }
        if ended {
            return Ok(());
        }
    }
}

/// Source of the writer's batches: `None` is the end, a closed channel is an error.
struct Batches(Receiver<Option<RecordBatch>>);

impl Iterator for Batches {
    type Item = pelton::Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.0.recv() {
            Ok(batch) => batch.map(Ok),
            Err(_) => Some(Err(Error::Cancelled)),
        }
    }
}

/// Returns the counts of a written file as a dict.
///
/// # Errors
/// Python is out of memory.
pub fn summary(py: Python<'_>, written: Written) -> PyResult<Bound<'_, pyo3::types::PyDict>> {
    let dict = pyo3::types::PyDict::new(py);
    dict.set_item("rows", written.rows)?;
    dict.set_item("bytes", written.bytes)?;
    dict.set_item("row_groups", written.row_groups)?;
    Ok(dict)
}

/// Returns the options of a file. Its writer has the engine's number of threads, by default one for
/// each core.
///
/// # Errors
/// `TypeError` or `ValueError` for `row_group_rows`.
pub fn options(
    packing: Packing,
    row_group_rows: Option<&Bound<'_, PyAny>>,
    bloom_filters: bool,
    threads: Option<usize>,
) -> PyResult<WriteOptions> {
    let mut options = WriteOptions { bloom_filters, ..WriteOptions::new(packing) };
    if let Some(rows) = row_group_rows {
        options.row_group_rows = positive(rows, "row_group_rows")?;
    }
    if let Some(threads) = threads {
        options.threads = threads;
    }
    Ok(options)
}
