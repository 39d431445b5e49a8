//! A run of a query.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use pelton_device_cuda::{Buffer, Gpu, Module, Source as KernelSource, Stream, from_bytes};
use pelton_pages::ScanCounters;
use pelton_query::ScanContext;

use super::groups::DeviceGroups;
use super::parameters::Parameters;
use super::table::DeviceTable;
use super::{Error, Result};
use crate::cache::Cache;
use crate::codegen;
use crate::ir::{Operation, Query};
use crate::window::{PageDecoder, page_headers};

/// Bytes of `Status` in pelton/prelude.cuh.
const STATUS_BYTES: usize = size_of::<pelton_device_cuda::Status>();

/// A GPU with what all queries on it share.
pub struct Engine {
    /// The GPU.
    pub gpu: Gpu,
    pub(crate) decoder: PageDecoder,
    pub(crate) scan: ScanContext,
    pub(crate) cache: Cache,
}

impl Engine {
    /// Compiles what is the same for all queries.
    ///
    /// # Errors
    /// A kernel can't be compiled.
    pub fn new(gpu: Gpu, scan: ScanContext) -> Result<Self> {
        let decoder = PageDecoder::new(&gpu)?;
        Ok(Self { gpu, decoder, scan, cache: Cache::default() })
    }

    /// The source of a query, with all that it includes.
    pub fn source(query: &Query) -> KernelSource {
        let headers = page_headers().iter().chain(codegen::HEADERS).copied().collect();
        KernelSource { name: "query.cu".to_owned(), text: codegen::generate(query), headers }
    }
}

/// A query that runs.
pub struct Run<'a> {
    pub(super) engine: &'a Engine,
    pub(super) query: &'a Query,
    pub(super) module: Module,
    pub(super) copy: Stream,
    pub(super) compute: Stream,
    pub(super) status: Arc<Buffer>,
    pub(super) tables: Vec<Option<DeviceTable>>,
    pub(super) groups: Vec<Option<DeviceGroups>>,
    pub(super) orders: Vec<Option<Arc<Buffer>>>,
    /// One for each scan.
    pub(super) counters: &'a [Arc<ScanCounters>],
    pub(super) cancelled: &'a AtomicBool,
}

impl<'a> Run<'a> {
    /// Compiles a query and makes ready to run it. `counters` are those of its scans, in order; `cancelled` stops it.
    ///
    /// # Errors
    /// The source can't be compiled, or there is no memory.
    pub fn new(
        engine: &'a Engine,
        query: &'a Query,
        counters: &'a [Arc<ScanCounters>],
        cancelled: &'a AtomicBool,
    ) -> Result<Self> {
        let module = engine.gpu.compile(&Engine::source(query))?;
        let (copy, compute) = (engine.gpu.stream("copy")?, engine.gpu.stream("compute")?);
        let status = Arc::new(engine.gpu.allocate(STATUS_BYTES)?);
        compute.fill(&status, 0..STATUS_BYTES, 0)?;
        Ok(Self {
            engine,
            query,
            module,
            copy,
            compute,
            status,
            tables: vec![None; query.tables.len()],
            groups: vec![None; query.aggregates.len()],
            orders: vec![None; query.orders.len()],
            counters,
            cancelled,
        })
    }

    /// Does all operations, and returns the result. Blocks; reads files on the async runtime of `handle`.
    ///
    /// # Errors
    /// The GPU fails, a page is damaged, a value can't be computed with, or the query was cancelled.
    pub fn finish(mut self, schema: &SchemaRef, handle: &tokio::runtime::Handle) -> Result<Vec<RecordBatch>> {
        let mut pipeline = 0;
        for operation in &self.query.operations {
            match operation {
                Operation::Fill(fill) => {
                    self.fill(fill, pipeline, handle)?;
                    pipeline += fill.pipelines.len();
                }
                Operation::Index(table) => self.index(*table)?,
                Operation::Sort(order) => self.sort(*order)?,
            }
        }
        self.check()?;
        self.output(schema)
    }

    /// The table of a number, which an earlier operation has filled.
    pub(super) fn table(&self, number: usize) -> Result<&DeviceTable> {
        let table = self.tables.get(number).and_then(Option::as_ref);
        table.ok_or_else(|| Error::Plan(format!("internal error: table {number} is not there yet")))
    }

    /// The groups of a number, which an earlier operation has filled.
    pub(super) fn groups_of(&self, number: usize) -> Result<&DeviceGroups> {
        let groups = self.groups.get(number).and_then(Option::as_ref);
        groups.ok_or_else(|| Error::Plan(format!("internal error: groups {number} are not there yet")))
    }

    fn index(&mut self, number: usize) -> Result<()> {
        let Some(table) = &mut self.tables[number] else { return Ok(()) };
        table.chain(&self.engine.gpu, &self.compute)?;
        let (rows, words) = (table.rows, table.words());
        let parameters = Parameters::default().word(rows).words(words);
        let pieces = rows.div_ceil(super::launch::THREADS.into());
        self.launch(&format!("index_table_{number}"), pieces, &parameters, rows * 8)
    }

    /// Waits, and says what kernels have found wrong.
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
