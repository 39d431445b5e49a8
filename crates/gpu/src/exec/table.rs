//! Tables of rows on the GPU.

use std::sync::Arc;

use bytes::Bytes;
use pelton_device_cuda::{Buffer, Gpu, Stream, bytes_of_slice, from_bytes};

use super::spill::Pass;
use super::{Error, Result};
use crate::codegen::HEADER_WORDS;
use crate::ir::{Field, Scalar, Table};

/// A column: its values, and its valid flags, a byte for each row.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub values: Arc<Buffer>,
    pub valid: Option<Arc<Buffer>>,
}

impl Column {
    /// Allocates capacity for rows.
    pub fn allocate(gpu: &Gpu, field: &Field, rows: u64) -> Result<Self> {
        let rows = rows.max(1);
        let values = Arc::new(gpu.allocate(bytes(rows, field.scalar.bytes())?)?);
        let valid = if field.nullable { Some(Arc::new(gpu.allocate(bytes(rows, 1)?)?)) } else { None };
        Ok(Self { values, valid })
    }

    /// Returns its words in a kernel's parameters.
    pub fn words(&self) -> impl Iterator<Item = u64> {
        [Some(self.values.address()), self.valid.as_ref().map(|valid| valid.address())].into_iter().flatten()
    }
}

/// Returns `rows` times `width`, or an error instead of an overflow.
pub(super) fn bytes(rows: u64, width: usize) -> Result<usize> {
    let bytes = usize::try_from(rows).ok().and_then(|rows| rows.checked_mul(width));
    bytes.ok_or_else(|| Error::Plan(format!("a table of {rows} rows is too large for the GPU")))
}

/// Bytes of the heap for each string of a table, in the first capacity; a table with longer strings
/// is filled again.
const HEAP_PER_STRING: u64 = 24;

/// The chains of a table's rows: `heads` and `next` of query/table.cuh.
#[derive(Debug, Clone)]
struct Chains {
    heads: Arc<Buffer>,
    buckets: u64,
    next: Arc<Buffer>,
}

/// A table.
#[derive(Debug, Clone)]
pub(super) struct DeviceTable {
    pub columns: Vec<Column>,
    pub capacity: u64,
    /// Number of rows, when it has been filled.
    pub rows: u64,
    pub heap: Arc<Buffer>,
    /// Bytes of the heap that are used.
    pub heap_used: u64,
    counters: Arc<Buffer>,
    chains: Option<Chains>,
    marks: Option<Arc<Buffer>>,
    pass: Pass,
}

/// Two counters of 64 bits.
const COUNTER_BYTES: usize = 16;

/// Capacity in rows and bytes of strings.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub rows: u64,
    pub heap: u64,
}

impl Size {
    /// Returns the first capacity.
    pub fn first(table: &Table, rows: u64, pass: Pass) -> Self {
        let rows = pass.of(rows);
        let strings = table.fields.iter().filter(|field| field.scalar == Scalar::Str).count() as u64;
        Self { rows: rows.max(1), heap: rows.saturating_mul(strings * HEAP_PER_STRING) }
    }
}

impl DeviceTable {
    /// Allocates an empty table.
    pub fn allocate(gpu: &Gpu, stream: &Stream, table: &Table, size: Size, pass: Pass) -> Result<Self> {
        let columns = table.fields.iter().map(|field| Column::allocate(gpu, field, size.rows));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let heap = Arc::new(gpu.allocate(bytes(size.heap.max(1), 1)?)?);
        let counters = Arc::new(gpu.allocate(COUNTER_BYTES)?);
        stream.fill(&counters, 0..COUNTER_BYTES, 0)?;
        Ok(Self {
            columns,
            capacity: size.rows,
            rows: 0,
            heap,
            heap_used: 0,
            counters,
            chains: None,
            marks: None,
            pass,
        })
    }

    /// Waits for the pipelines that fill it. Returns the size that it needs if it was too small.
    pub fn filled(&mut self, stream: &Stream, is_marked: bool, gpu: &Gpu) -> Result<Option<Size>> {
        let counters = stream.download(&self.counters, 0..COUNTER_BYTES)?;
        let counters = from_bytes::<u64>(&counters).unwrap_or_default();
        let needed = Size { rows: counters[0], heap: counters[1] };
        if needed.rows > self.capacity || needed.heap > self.heap.len() as u64 {
            return Ok(Some(needed));
        }
        (self.rows, self.heap_used) = (needed.rows, needed.heap);
        if is_marked {
            let marks = Arc::new(gpu.allocate(bytes(self.rows.div_ceil(32).max(1), 4)?)?);
            stream.fill(&marks, 0..marks.len(), 0)?;
            self.marks = Some(marks);
        }
        Ok(None)
    }

    /// Sets the numbers of rows and bytes of strings that were copied into it.
    pub fn set_filled(&mut self, stream: &Stream, rows: u64, heap: u64) -> Result<()> {
        stream.upload(&self.counters, 0, Bytes::copy_from_slice(bytes_of_slice(&[rows, heap])))?;
        (self.rows, self.heap_used) = (rows, heap);
        Ok(())
    }

    /// Makes empty chains. There are one or two buckets for each row, so that chains are short.
    pub fn chain(&mut self, gpu: &Gpu, stream: &Stream) -> Result<()> {
        let buckets = self.rows.max(1).next_power_of_two();
        let heads = Arc::new(gpu.allocate(bytes(buckets, 4)?)?);
        stream.fill(&heads, 0..heads.len(), 0)?;
        let next = Arc::new(gpu.allocate(bytes(self.rows.max(1), 4)?)?);
        self.chains = Some(Chains { heads, buckets, next });
        Ok(())
    }

    /// Returns `struct T` of the generated source.
    pub fn words(&self) -> Vec<u64> {
        let (heads, mask, next) = match &self.chains {
            Some(chains) => (chains.heads.address(), chains.buckets - 1, chains.next.address()),
            None => (0, 0, 0),
        };
        let marks = self.marks.as_ref().map_or(0, |marks| marks.address());
        let (counters, heap) = (self.counters.address(), self.heap.address());
        let Pass { parts, part } = self.pass;
        let heap_bytes = self.heap.len() as u64;
        let mut words =
            vec![self.capacity, counters, heap, heap_bytes, heads, mask, next, marks, parts, part];
        debug_assert_eq!(words.len(), HEADER_WORDS);
        words.extend(self.columns.iter().flat_map(Column::words));
        words
    }
}
