//! Queue of rows that wait for values of their groups.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch, UInt32Array, new_null_array};
use arrow::compute::{concat, take};
use arrow::datatypes::{Schema, SchemaRef};
use datafusion::common::internal_datafusion_err;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, SpillFile, TaskContext};
use datafusion::physical_plan::metrics::SpillMetrics;
use datafusion::physical_plan::spill::SpillManager;
use futures::StreamExt;

use crate::compact::compact;
use crate::plan::memory::bytes_of_rows;

/// Most batches that are not accounted for: the next one to emit, and the one with the border that
/// completes it.
const UNCOUNTED: usize = 2;

/// The values of a function over the rows of a batch.
pub(super) enum Column {
    /// A value for each row.
    Rows(ArrayRef),
    /// One value for all rows.
    Same(ArrayRef),
    /// The value of the last group is not known yet.
    Open {
        /// Values of the groups before; `None` if there are none.
        ended: Option<ArrayRef>,
        /// First rows of the groups.
        starts: Vec<usize>,
    },
    /// Values of the first rows; those of the others are not known yet.
    Late(Vec<ArrayRef>),
    /// On disk with the rows.
    OnDisk,
}

impl Column {
    /// Returns the values over `rows` rows with the value of the last group.
    fn closed(&self, value: &ArrayRef, rows: usize) -> Result<Self> {
        let Self::Open { ended, starts } = self else {
            return Err(internal_datafusion_err!("a window function has two values for a row"));
        };
        let Some(ended) = ended else { return Ok(Self::Same(value.clone())) };
        let values = concat(&[ended.as_ref(), value.as_ref()])?;
        let ends = starts.iter().skip(1).copied().chain([rows]);
        let mut groups: Vec<u32> = Vec::with_capacity(rows);
        for (group, end) in ends.enumerate() {
            groups.resize(end, group as u32);
        }
        Ok(Self::Rows(take(&values, &UInt32Array::from(groups), None)?))
    }

    fn is_open(&self) -> bool {
        matches!(self, Self::Open { .. } | Self::Late(_))
    }

    /// Adds values of the next rows, as many as there are rows. Returns how many there are.
    fn fill(&mut self, values: &ArrayRef, rows: usize) -> Result<usize> {
        let Self::Late(parts) = self else { return Ok(0) };
        let missing = rows - parts.iter().map(|part| part.len()).sum::<usize>();
        let count = missing.min(values.len());
        parts.push(values.slice(0, count));
        if count == missing {
            let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
            *self =
                Self::Rows(if let [part] = parts.as_slice() { part.slice(0, rows) } else { concat(&parts)? });
        }
        Ok(count)
    }

    /// Returns whether all rows are in the last group, or the values need no other.
    fn can_go_to_disk(&self) -> bool {
        !matches!(self, Self::Open { ended: Some(_), .. })
    }

    fn size(&self) -> usize {
        match self {
            Self::Rows(values) => values.get_array_memory_size(),
            Self::Open { ended: Some(values), .. } => values.get_array_memory_size(),
            Self::Late(parts) => parts.iter().map(|part| part.get_array_memory_size()).sum(),
            _ => 0,
        }
    }
}

/// Rows with the values of all functions, as far as they are known.
struct Held {
    /// `None` if they are on disk.
    batch: Option<RecordBatch>,
    rows: usize,
    columns: Vec<Column>,
    bytes: usize,
}

/// Batches in the order in which they came.
///
/// The rows of a partition may be all rows. If the memory pool refuses them, they go to disk, but
/// for batches with a border: at most one for each function.
pub(super) struct Queue {
    held: VecDeque<Held>,
    /// The input's columns, then a column for each function.
    schema: SchemaRef,
    name: String,
    pool: Arc<dyn MemoryPool>,
    /// Opened when more than [`UNCOUNTED`] batches are held.
    memory: Option<MemoryReservation>,
    spill: SpillManager,
    files: VecDeque<Arc<dyn SpillFile>>,
    reader: Option<SendableRecordBatchStream>,
}

impl Queue {
    /// Returns an empty queue. `name` is that of its account in the memory pool.
    pub fn new(schema: SchemaRef, name: String, context: &TaskContext, metrics: SpillMetrics) -> Self {
        // columns that are not known yet are NULL there
        let fields = schema.fields().iter().map(|field| field.as_ref().clone().with_nullable(true));
        let on_disk = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let spill = SpillManager::new(context.runtime_env(), metrics, on_disk)
            .with_compression_type(context.session_config().spill_compression());
        Self {
            held: VecDeque::new(),
            schema,
            name,
            pool: context.memory_pool().clone(),
            memory: None,
            spill,
            files: VecDeque::new(),
            reader: None,
        }
    }

    /// Gives the value of the last group to all rows that wait for it.
    ///
    /// # Errors
    /// A fault of Arrow's.
    pub fn close(&mut self, function: usize, value: &ArrayRef) -> Result<()> {
        let waiting = self.held.iter_mut().rev().take_while(|held| held.columns[function].is_open());
        for held in waiting {
            held.columns[function] = held.columns[function].closed(value, held.rows)?;
        }
        Ok(())
    }

    /// Gives values to the first rows that wait for them, in order.
    ///
    /// # Errors
    /// They do not fit into memory.
    pub fn fill(&mut self, function: usize, values: &ArrayRef) -> Result<()> {
        let first = self.held.partition_point(|held| !held.columns[function].is_open());
        let mut filled = 0;
        for at in first..self.held.len() {
            if filled == values.len() {
                break;
            }
            let rest = values.slice(filled, values.len() - filled);
            let held = &mut self.held[at];
            let count = held.columns[function].fill(&rest, held.rows)?;
            self.reserve_values(at, values.get_array_memory_size() * count / values.len())?;
            filled += count;
        }
        Ok(())
    }

    /// Adds rows.
    ///
    /// # Errors
    /// They fit neither in memory nor on disk.
    pub fn push(&mut self, batch: RecordBatch, columns: Vec<Column>) -> Result<()> {
        let mut held = Held { rows: batch.num_rows(), batch: Some(batch), columns, bytes: 0 };
        if self.held.len() >= UNCOUNTED && matches!(self.pool.memory_limit(), MemoryLimit::Finite(_)) {
            self.reserve(&mut held)?;
        }
        self.held.push_back(held);
        Ok(())
    }

    /// Writes all rows to disk that memory was reserved for.
    ///
    /// # Errors
    /// The disk is full.
    pub fn go_to_disk(&mut self) -> Result<()> {
        if self.memory.is_some() { self.write(None, true) } else { Ok(()) }
    }

    /// Reserves memory for rows; if there is too little, all rows go to disk.
    fn reserve(&mut self, held: &mut Held) -> Result<()> {
        let Some(batch) = &held.batch else { return Ok(()) };
        // a batch of few rows would keep the texts of all
        let batch = compact(batch)?;
        let bytes = bytes_of_rows(&batch) + held.columns.iter().map(Column::size).sum::<usize>();
        held.batch = Some(batch);
        let open = || MemoryConsumer::new(self.name.clone()).with_can_spill(true).register(&self.pool);
        self.memory.get_or_insert_with(open);
        if !self.grow(bytes) {
            self.write(None, false)?;
            if !self.grow(bytes) {
                return self.write(Some(held), true);
            }
        }
        held.bytes = bytes;
        Ok(())
    }

    /// Reserves memory for values of rows that are held; if there is too little, all rows go to
    /// disk.
    fn reserve_values(&mut self, at: usize, bytes: usize) -> Result<()> {
        if self.memory.is_none() {
            return Ok(());
        }
        for with_late in [false, true] {
            if self.grow(bytes) {
                self.held[at].bytes += bytes;
                return Ok(());
            }
            self.write(None, with_late)?;
            let held = &self.held[at];
            if held.batch.is_none() && !held.columns.iter().any(|column| matches!(column, Column::Rows(_))) {
                // with the values
                return Ok(());
            }
        }
        if let Some(memory) = &self.memory {
            memory.try_grow(bytes)?;
        }
        self.held[at].bytes += bytes;
        Ok(())
    }

    /// Returns whether memory was reserved.
    fn grow(&self, bytes: usize) -> bool {
        self.memory.as_ref().is_none_or(|memory| memory.try_grow(bytes).is_ok())
    }

    /// Writes rows to a file, with those whose values come late or without, and `last` after them.
    ///
    /// A file is read from its beginning, so that rows before those on disk stay in memory.
    fn write(&mut self, last: Option<&mut Held>, with_late: bool) -> Result<()> {
        let mut freed = 0;
        let mut batches = Vec::new();
        let first = self.held.iter().rposition(|held| held.batch.is_none()).map_or(0, |at| at + 1);
        for held in self.held.range_mut(first..).chain(last) {
            let is_late = held.columns.iter().any(|column| matches!(column, Column::Late(_)));
            if is_late && !with_late {
                break;
            }
            if !held.columns.iter().all(Column::can_go_to_disk) {
                continue;
            }
            let Some(batch) = held.batch.take() else { continue };
            let mut columns = batch.columns().to_vec();
            for column in &mut held.columns {
                let field = self.spill.schema().field(columns.len());
                columns.push(match column {
                    Column::Rows(values) => {
                        let values = values.clone();
                        *column = Column::OnDisk;
                        values
                    }
                    _ => new_null_array(field.data_type(), held.rows),
                });
            }
            freed += std::mem::take(&mut held.bytes);
            batches.push(RecordBatch::try_new(self.spill.schema().clone(), columns)?);
        }
        self.files.extend(self.spill.spill_record_batch_and_finish(&batches, "rows of a window")?);
        if let Some(memory) = &self.memory {
            memory.shrink(freed);
        }
        Ok(())
    }

    /// Returns the first batch, with a column for each function; `None` if values are missing.
    ///
    /// # Errors
    /// A file can't be read.
    pub async fn next(&mut self) -> Result<Option<RecordBatch>> {
        let is_complete = |held: &Held| !held.columns.iter().any(Column::is_open);
        if !self.held.front().is_some_and(is_complete) {
            return Ok(None);
        }
        let Some(held) = self.held.pop_front() else { return Ok(None) };
        let inputs = self.schema.fields().len() - held.columns.len();
        let batch = match held.batch {
            Some(batch) => batch,
            None => self.read().await?,
        };
        let mut columns = batch.columns()[..inputs].to_vec();
        for column in held.columns {
            columns.push(match column {
                Column::Rows(values) => values,
                Column::Same(value) => take(&value, &UInt32Array::from(vec![0; held.rows]), None)?,
                Column::OnDisk => batch.column(columns.len()).clone(),
                Column::Open { .. } | Column::Late(_) => {
                    return Err(internal_datafusion_err!("a window function without a value"));
                }
            });
        }
        if let Some(memory) = &self.memory {
            memory.shrink(held.bytes);
        }
        Ok(Some(RecordBatch::try_new(self.schema.clone(), columns)?))
    }

    /// Returns the next batch on disk.
    async fn read(&mut self) -> Result<RecordBatch> {
        loop {
            if let Some(reader) = &mut self.reader
                && let Some(batch) = reader.next().await.transpose()?
            {
                return Ok(batch);
            }
            let file = self.files.pop_front();
            let file = file.ok_or_else(|| internal_datafusion_err!("a window has lost a file"))?;
            self.reader = Some(self.spill.read_spill_as_stream(file, None)?);
        }
    }
}
