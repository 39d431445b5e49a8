//! One thread's part of a scan.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use futures::executor::block_on;
use pelton_pages::listing::hive::HiveValue;
use pelton_pages::{Prefetched, ScanSpec, WindowBatches};

use super::morsels::{Morsel, Scan};
use super::plan::Output;
use super::readers::Loading;
use super::row_numbers::RowNumbers;
use crate::error::{Error, Result};
use crate::resources::Reservation;
use crate::sys::{Chunk, Type, VECTOR_ROWS, Vector};
use crate::vector::{self, Cache};

/// The scan ranges that a thread holds. Dropping the stream stops its reads.
#[derive(Default)]
pub struct Stream {
    /// The next scan range, read while the current one is decoded.
    read_ahead: Option<ReadAhead>,
    /// A scan range for which there was no memory besides the current one's.
    postponed: Option<Morsel>,
    /// A scan range that was assigned to this thread.
    assigned: Option<Assigned>,
    current: Option<Current>,
    batch: Option<Batch>,
    /// Row numbers of the current range, if it was assigned.
    numbers: Option<RowNumbers>,
    /// Dictionary of each vector of a chunk.
    dictionaries: Vec<Cache>,
}

/// A scan range while its first pages are read.
struct ReadAhead {
    file: usize,
    loading: Loading<pelton_pages::Result<Prefetched>>,
    memory: Reservation,
}

/// A scan range with its columns and conditions.
struct Assigned {
    morsel: Morsel,
    spec: ScanSpec,
    /// Number in the file of the row group's first row.
    first: u64,
}

/// A scan range that is being decoded.
struct Current {
    file: usize,
    batches: WindowBatches,
    /// Held until the scan range's pages are dropped.
    _memory: Reservation,
}

/// Decoded rows, and the number of rows already handed out.
struct Batch {
    file: usize,
    rows: RecordBatch,
    given: usize,
}

impl Stream {
    /// Fills a chunk with the next rows; leaves it empty at the end.
    ///
    /// # Errors
    /// Reading, decompressing or decoding failed.
    pub fn fill(&mut self, scan: &Arc<Scan>, chunk: &mut Chunk) -> Result<()> {
        let filled =
            self.next(scan).and_then(|is_there| if is_there { self.give(scan, chunk) } else { Ok(0) });
        match filled {
            Ok(rows) => chunk.set_rows(rows),
            Err(_) => *self = Stream::default(),
        }
        filled.map(drop)
    }

    /// Writes the next rows of the batch into a chunk. Returns their number.
    fn give(&mut self, scan: &Scan, chunk: &mut Chunk) -> Result<usize> {
        let Some(batch) = &mut self.batch else { return Ok(0) };
        let rows = VECTOR_ROWS.min(batch.rows.num_rows() - batch.given);
        write(scan, batch, rows, &mut self.dictionaries, chunk)?;
        if let Some(numbers) = &mut self.numbers {
            write_numbers(&scan.plans[batch.file].outputs, numbers, rows, chunk);
        }
        batch.given += rows;
        Ok(rows)
    }

    /// Makes sure that there is a batch with rows left of the current range. Returns false at the
    /// range's end.
    fn has_rows(&mut self) -> Result<bool> {
        loop {
            if self.batch.as_ref().is_some_and(|batch| batch.given < batch.rows.num_rows()) {
                return Ok(true);
            }
            self.batch = None;
            let Some(current) = &mut self.current else { return Ok(false) };
            match current.batches.next() {
                Some(rows) => self.batch = Some(Batch { file: current.file, rows: rows?, given: 0 }),
                None => self.current = None,
            }
        }
    }

    /// Assigns a scan range. `first` is the number in the file of its row group's first row.
    pub fn assign(&mut self, morsel: Morsel, spec: ScanSpec, first: u64) {
        self.assigned = Some(Assigned { morsel, spec, first });
    }

    /// Fills a chunk with the next rows of the assigned range. Returns their number, 0 at the end.
    ///
    /// # Errors
    /// Reading, decompressing or decoding failed.
    pub fn fill_assigned(&mut self, scan: &Scan, chunk: &mut Chunk) -> Result<usize> {
        let filled = self
            .next_assigned(scan)
            .and_then(|is_there| if is_there { self.give(scan, chunk) } else { Ok(0) });
        if filled.is_err() {
            *self = Stream::default();
        }
        filled
    }

    /// As [`Stream::next`], within the assigned range. It is read by this thread: the conditions
    /// are evaluated where the thread's state is.
    fn next_assigned(&mut self, scan: &Scan) -> Result<bool> {
        while !self.has_rows()? {
            let Some(Assigned { morsel, spec, first }) = self.assigned.take() else { return Ok(false) };
            let parquet = &scan.table.files[morsel.file].file;
            let needed = morsel.window.memory(parquet, &spec)?;
            // This thread holds no other range, so that it keeps nothing that the others wait for.
            let memory = scan.resources.memory.wait_for(needed);
            let memory =
                memory.ok_or_else(|| scan.resources.memory.exhausted(parquet.location().name(), needed))?;
            let file = morsel.file;
            let found =
                block_on(async { morsel.window.load(parquet.clone(), &spec).await?.filter(&spec).await })?;
            let has_numbers =
                scan.plans[file].outputs.iter().any(|output| matches!(output, Output::NoColumn));
            self.numbers = found
                .as_ref()
                .filter(|_| has_numbers)
                .map(|batches| RowNumbers::new(first, batches.row_ranges()));
            self.current = found.map(|batches| Current { file, batches, _memory: memory });
        }
        Ok(true)
    }

    /// Makes sure that there is a batch with rows left. Returns false at the end.
    fn next(&mut self, scan: &Arc<Scan>) -> Result<bool> {
        while !self.has_rows()? {
            if !self.advance(scan)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Goes on to the next scan range, and starts to read the one after it. Returns false at the
    /// end.
    fn advance(&mut self, scan: &Arc<Scan>) -> Result<bool> {
        let (file, memory, loaded) = match self.read_ahead.take() {
            Some(ReadAhead { file, loading, memory }) => {
                let loaded =
                    loading.wait().ok_or_else(|| Error::Unavailable("a reader panicked".to_owned()))?;
                (file, memory, loaded)
            }
            // This thread has no other work, so that it reads the range itself.
            None => {
                let Some((morsel, memory)) = self.take(scan, true)? else { return Ok(false) };
                let file = morsel.file;
                let (parquet, spec) = (&scan.table.files[file].file, &scan.plans[file].spec);
                (file, memory, block_on(morsel.window.load(parquet.clone(), spec)))
            }
        };
        let loaded = loaded?;
        self.read_ahead = self.start(scan)?;
        let found = block_on(loaded.filter(&scan.plans[file].spec))?;
        self.current = found.map(|batches| Current { file, batches, _memory: memory });
        Ok(true)
    }

    /// Takes the next scan range and memory for it. Missing memory is an error only if `is_due`;
    /// otherwise the range is postponed.
    fn take(&mut self, scan: &Arc<Scan>, is_due: bool) -> Result<Option<(Morsel, Reservation)>> {
        let next = match self.postponed.take() {
            Some(morsel) => Some(morsel),
            None => scan.next()?,
        };
        let Some(morsel) = next else { return Ok(None) };
        let file = morsel.file;
        let (parquet, spec) = (&scan.table.files[file].file, &scan.plans[file].spec);
        let needed = morsel.window.memory(parquet, spec)?;
        let Some(memory) = scan.resources.memory.reserve(needed) else {
            if is_due {
                return Err(scan.resources.memory.exhausted(parquet.location().name(), needed));
            }
            self.postponed = Some(morsel);
            return Ok(None);
        };
        Ok(Some((morsel, memory)))
    }

    /// Starts to read the next scan range if there is memory for it.
    fn start(&mut self, scan: &Arc<Scan>) -> Result<Option<ReadAhead>> {
        let Some((morsel, memory)) = self.take(scan, false)? else { return Ok(None) };
        let file = morsel.file;
        let (parquet, running) = (scan.table.files[file].file.clone(), scan.clone());
        let load = async move { morsel.window.load(parquet, &running.plans[file].spec).await };
        let loading = scan.resources.readers.load(load);
        Ok(Some(ReadAhead { file, loading, memory }))
    }
}

/// Writes the next `rows` of a batch into a chunk.
fn write(
    scan: &Scan,
    batch: &Batch,
    rows: usize,
    dictionaries: &mut Vec<Cache>,
    chunk: &mut Chunk,
) -> Result<()> {
    let outputs = &scan.plans[batch.file].outputs;
    dictionaries.resize_with(outputs.len(), Cache::default);
    let file = &scan.table.files[batch.file];
    for (index, (output, dictionary)) in outputs.iter().zip(dictionaries).enumerate() {
        match *output {
            Output::Column { at, column } => {
                let (column, _) = &scan.table.columns[column];
                let array = batch.rows.column(at);
                vector::write_column(array, batch.given, rows, dictionary, chunk.column(index, &column.of))
                    .map_err(|error| error.at(file.file.location().name(), &column.name))?;
            }
            Output::Path { at, column } => {
                let of = &scan.table.columns[column].0.of;
                path_value(&file.path[at], rows, &mut chunk.column(index, of));
            }
            Output::NoColumn => {}
        }
    }
    Ok(())
}

/// Writes the row numbers of the next `rows` into the vectors that are for them.
fn write_numbers(outputs: &[Output], numbers: &mut RowNumbers, rows: usize, chunk: &mut Chunk) {
    let mut next = vec![0; rows];
    numbers.write(&mut next);
    for (index, _) in outputs.iter().enumerate().filter(|(_, output)| matches!(output, Output::NoColumn)) {
        chunk.column(index, &Type::BigInt).values::<i64>(rows).copy_from_slice(&next);
    }
}

/// Writes the same value into all rows.
fn path_value(value: &HiveValue, rows: usize, to: &mut Vector) {
    match value {
        HiveValue::Null => to.validity(rows).fill(0),
        HiveValue::Integer(value) => to.values(rows).fill(*value),
        HiveValue::Date(value) => to.values(rows).fill(*value),
        HiveValue::Text(text) => {
            vector::put(to, 0, text.as_bytes());
            let values = to.values::<[u8; 16]>(rows);
            let first = values[0];
            values.fill(first);
        }
    }
}
