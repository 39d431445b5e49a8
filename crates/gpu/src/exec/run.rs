//! State of the engine and of a query's run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use pelton_device_cuda::{Buffer, Gpu, StagingPool, Stream, from_bytes};
use pelton_job::InputBuffer;
use pelton_pages::ScanCounters;
use pelton_query::ScanContext;

use tokio::runtime::Handle;

use super::compile::Kernels;
use super::groups::DeviceGroups;
use super::spill::{DeferredFill, HostBudget, Part, Spilling};
use super::table::DeviceTable;
use super::{Error, Result};
use crate::cache::TableCache;
use crate::ir::{Operation, Query};
use crate::window::{PageDecoder, ReadMemory};

/// Bytes of `Status` in pelton/prelude.cuh.
const STATUS_BYTES: usize = size_of::<pelton_device_cuda::Status>();

/// Share of the GPU's memory for one scan range, so that there is memory for several and for
/// tables: a scan range holds its pages twice, compressed and decompressed.
const WINDOW_SHARE: u64 = 16;

/// Pinned memory for scan ranges: for two queries at a time, each with one range that is being
/// read, one that is being copied, and one that was copied unnoticed. Pieces may be twice as large
/// as their data.
const STAGING_BYTES: usize = 512 << 20;

/// Minimum number of scan ranges that are decompressed at the same time, for the driver's default
/// of eight hardware queues. One warp decompresses a page, so that a scan range takes as long as
/// its longest page, mostly a dictionary, while most multiprocessors are idle.
const DECOMPRESS_STREAMS: usize = 8;

/// Hardware queues of the driver for other streams: copies and kernels of the query.
const OTHER_STREAMS: usize = 2;

/// Minimum bytes of a scan range: a usual page.
const MIN_WINDOW_BYTES: u64 = 1 << 20;

/// A GPU with the state that all queries on it share.
pub struct Engine {
    /// The GPU.
    pub gpu: Gpu,
    /// Minimum number of passes for deferrable fills, even if they would fit; one disables it.
    pub(super) min_passes: u64,
    /// Budget of host memory for spilled rows.
    pub(super) host_budget: Arc<HostBudget>,
    pub(crate) decoder: PageDecoder,
    pub(crate) scan: ScanContext,
    pub(crate) cache: TableCache,
    /// Memory for pages on their way from files to the GPU.
    pub(crate) staging: Arc<StagingPool>,
}

/// Limits for groups and join tables that do not fit in the GPU's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Minimum number of passes, even for tables and groups that would fit, for tests; one disables
    /// it.
    pub passes: u64,
    /// Bytes of pinned host memory that all queries together may spill to. Rows that find no
    /// capacity there are made anew for each pass.
    pub spill: u64,
}

impl Engine {
    /// Compiles the kernels that all queries share.
    ///
    /// # Errors
    /// A kernel can't be compiled.
    pub fn new(gpu: Gpu, mut scan: ScanContext, limits: Limits) -> Result<Self> {
        let share = gpu.memory_limit() as u64 / WINDOW_SHARE;
        scan.window_bytes = scan.window_bytes.min(share.max(MIN_WINDOW_BYTES));
        let decoder = PageDecoder::new(&gpu)?;
        let staging = StagingPool::new(&gpu, STAGING_BYTES);
        let (min_passes, host_budget) = (limits.passes.max(1), HostBudget::new(limits.spill));
        Ok(Self { gpu, decoder, scan, min_passes, host_budget, cache: TableCache::default(), staging })
    }

    /// Returns pinned memory for data from files while there is some; then other memory.
    pub(super) fn read_memory(&self, counters: Arc<ScanCounters>) -> ReadMemory {
        let staging = self.staging.clone();
        ReadMemory::new(move |len| match staging.take(len) {
            Some(memory) => {
                counters.pinned(len);
                InputBuffer::of(memory, len)
            }
            None => InputBuffer::fresh(len),
        })
    }
}

/// Result of a run.
#[derive(Debug)]
pub struct Finished {
    /// The rows.
    pub batches: Vec<RecordBatch>,
    /// Passes over rows that did not fit in the GPU's memory at once; zero if everything did.
    pub passes: u64,
    /// Bytes that were spilled to host memory.
    pub spilled: u64,
}

/// A query that is running.
pub struct Run<'a> {
    pub(super) engine: &'a Engine,
    pub(super) query: &'a Query,
    pub(super) kernels: Kernels,
    /// Whether they include the kernels for spilled rows.
    pub(super) has_spill_kernels: bool,
    /// The stages of successive scan ranges, on streams of their own, so that they overlap.
    pub(super) copy: Stream,
    /// Taken in turn by the scan ranges of a scan.
    pub(super) decompress: Vec<Stream>,
    pub(super) compute: Stream,
    pub(super) status: Arc<Buffer>,
    pub(super) tables: Vec<Option<DeviceTable>>,
    pub(super) groups: Vec<Option<DeviceGroups>>,
    pub(super) orders: Vec<Option<Arc<Buffer>>>,
    /// Fills that did not fit, and are made in passes.
    pub(super) deferred: Vec<DeferredFill>,
    /// The table or groups that are being spilled.
    pub(super) spilling: Option<Spilling>,
    /// Passes that were made.
    pub(super) passes: u64,
    /// Bytes that were spilled.
    pub(super) spilled: u64,
    /// One for each scan.
    pub(super) counters: &'a [Arc<ScanCounters>],
    pub(super) cancelled: &'a AtomicBool,
}

impl<'a> Run<'a> {
    /// Compiles a query and prepares its run. `counters` are those of its scans, in order;
    /// `cancelled` stops it.
    ///
    /// # Errors
    /// The source can't be compiled, or there is no memory.
    pub fn new(
        engine: &'a Engine,
        query: &'a Query,
        counters: &'a [Arc<ScanCounters>],
        cancelled: &'a AtomicBool,
    ) -> Result<Self> {
        let kernels = Kernels::of(&engine.gpu, query)?;
        let (copy, compute) = (engine.gpu.stream("copy")?, engine.gpu.stream("compute")?);
        let queues = engine.gpu.properties().queues;
        let streams = queues.saturating_sub(OTHER_STREAMS).max(DECOMPRESS_STREAMS);
        let decompress = (0..streams).map(|_| engine.gpu.stream("decompress"));
        let decompress = decompress.collect::<Result<Vec<_>, _>>()?;
        let status = Arc::new(engine.gpu.allocate(STATUS_BYTES)?);
        compute.fill(&status, 0..STATUS_BYTES, 0)?;
        Ok(Self {
            engine,
            query,
            kernels,
            has_spill_kernels: false,
            copy,
            decompress,
            compute,
            status,
            tables: vec![None; query.tables.len()],
            groups: vec![None; query.aggregates.len()],
            orders: vec![None; query.orders.len()],
            deferred: Vec::new(),
            spilling: None,
            passes: 0,
            spilled: 0,
            counters,
            cancelled,
        })
    }

    /// Runs all operations, and returns the result. Blocks; reads files on the async runtime of
    /// `handle`.
    ///
    /// # Errors
    /// The GPU fails, a page is damaged, a value is outside the domain of an operation, or the
    /// query was cancelled.
    pub fn finish(mut self, schema: &SchemaRef, handle: &Handle) -> Result<Finished> {
        let mut pipeline = 0;
        for (index, operation) in self.query.operations.iter().enumerate() {
            match operation {
                Operation::Fill(fill) => {
                    self.fill(fill, pipeline, handle)?;
                    pipeline += fill.pipelines.len();
                }
                Operation::Index(table) if self.is_deferred(Part::Table(*table)) => {}
                Operation::Index(table) => self.index(*table)?,
                Operation::Sort(order) => self.sort(*order)?,
            }
            self.release(index + 1);
        }
        self.check()?;
        Ok(Finished { batches: self.output(schema)?, passes: self.passes, spilled: self.spilled })
    }

    /// Returns a table by its number. An earlier operation has filled it.
    pub(super) fn table(&self, number: usize) -> Result<&DeviceTable> {
        let table = self.tables.get(number).and_then(Option::as_ref);
        table.ok_or_else(|| Error::Plan(format!("internal error: table {number} is not there yet")))
    }

    /// Returns groups by their number. An earlier operation has filled them.
    pub(super) fn groups_of(&self, number: usize) -> Result<&DeviceGroups> {
        let groups = self.groups.get(number).and_then(Option::as_ref);
        groups.ok_or_else(|| Error::Plan(format!("internal error: groups {number} are not there yet")))
    }

    /// Waits, and returns the first error that kernels have found.
    pub(super) fn check(&self) -> Result<()> {
        if self.cancelled.load(Relaxed) {
            return Err(Error::Cancelled);
        }
        let status = self.compute.download(&self.status, 0..STATUS_BYTES)?;
        match from_bytes::<u32>(&status[..4]).unwrap_or_default().first() {
            None | Some(0) => Ok(()),
            Some(code) => Err(Error::Query(*code)),
        }
    }
}
