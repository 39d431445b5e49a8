//! The engine: devices, router, threads and tables.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use pelton_bitpack::Kernels;
use pelton_device_cuda::Gpu;
use pelton_job::{Limits, Router};
use pelton_pages::WINDOW_BYTES;
use pelton_query::{Error, Parameters, Result, ScanContext, Session, SessionOptions};
use pelton_registry::{DeviceChoice, DeviceReport, MOST_THREADS, Modelled, OpenGpu};

use crate::accelerator;
use crate::functions;
use crate::profile::Recording;
use crate::query::Query;
use crate::threads::Threads;

/// The divisor of the memory limit for a scan's ranges: the rest is for joins, sorts and
/// aggregates, and a query has several.
const SCAN_SHARE: usize = 4;

/// Number of scan ranges that a thread holds: the one that it decodes, and the next.
const WINDOWS_HELD: usize = 2;

/// Minimum bytes of a scan range: those of a page of usual size.
const MIN_WINDOW_BYTES: u64 = 1 << 20;

/// Settings of an [`Engine`].
#[derive(Debug, Clone, Default)]
pub struct EngineBuilder {
    threads: Option<usize>,
    memory_limit: Option<usize>,
    verify_checksums: bool,
    devices: Option<DeviceChoice>,
    decode_first: bool,
    any_order: bool,
    profile: bool,
}

impl EngineBuilder {
    /// Number of threads that run queries and decompress on the CPU; the number of cores if unset.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Bytes that operators and scans may hold together. Sorts, joins and aggregates spill to disk
    /// when it is reached.
    pub fn memory_limit(mut self, bytes: usize) -> Self {
        self.memory_limit = Some(bytes);
        self
    }

    /// Check the CRC-32 of every page that has one. Off if unset: few writers store it, and it
    /// costs a few percent.
    pub fn verify_checksums(mut self, verify: bool) -> Self {
        self.verify_checksums = verify;
        self
    }

    /// Use these devices, and the CPU for jobs that they do not support. If unset, the environment
    /// variable [`DEVICES_VARIABLE`](pelton_registry::DEVICES_VARIABLE) names the devices; if that
    /// is unset too, all devices of the machine but a GPU are used.
    pub fn devices(mut self, devices: DeviceChoice) -> Self {
        self.devices = Some(devices);
        self
    }

    /// Decide conditions on encoded data, where that can be done, before rows are decoded, and
    /// decode columns that are not nested with Pelton's own decoders. On if unset; off, where
    /// parquet-rs decodes everything first, is for comparing.
    pub fn encoded_filters(mut self, on: bool) -> Self {
        self.decode_first = !on;
        self
    }

    /// Give rows of queries without ORDER BY in whichever order they are ready. Off if unset: rows
    /// come in the order of the files' names and, within a file, in the file's order, wherever the
    /// operators of the query keep it.
    pub fn any_order(mut self, on: bool) -> Self {
        self.any_order = on;
        self
    }

    /// Record profiles of queries for [`Query::take_profile`]; only one query at a time is
    /// recorded. Off if unset.
    pub fn profile(mut self, on: bool) -> Self {
        self.profile = on;
        self
    }

    /// Opens the devices and starts the threads.
    ///
    /// # Errors
    /// The number of threads is zero, a requested device is unknown or not there, the
    /// system gives no threads or no folder for temporary files, or the environment variable
    /// `PELTON_FILTER` names filters that are not there.
    pub fn build(self) -> Result<Engine> {
        let cores = || std::thread::available_parallelism().map_or(1, |n| n.get());
        let threads = self.threads.unwrap_or_else(cores);
        if !(1..=MOST_THREADS).contains(&threads) {
            let what = format!("{threads} threads can't run a query; give 1 to {MOST_THREADS}");
            return Err(Error::Query(what));
        }
        let choice = match self.devices {
            Some(choice) => Some(choice),
            None => DeviceChoice::from_environment().map_err(|e| Error::Query(e.to_string()))?,
        };
        let opened =
            pelton_registry::open(threads, choice.as_ref()).map_err(|e| Error::Query(e.to_string()))?;
        let mut limits = Limits::default();
        if let Some(bytes) = self.memory_limit {
            limits.output_per_job = limits.output_per_job.min(bytes);
            limits.bytes_in_flight = limits.bytes_in_flight.min(bytes / SCAN_SHARE);
        }
        let router = opened.router(limits);
        let (models, gpu, reports, mut notes) = (opened.models, opened.gpu, opened.reports, opened.notes);
        let running = Threads::start(threads)
            .map_err(|e| Error::Execution(format!("cannot start {threads} threads: {e}")))?;
        let window_bytes = self.memory_limit.map_or(WINDOW_BYTES, |bytes| {
            let share = bytes / SCAN_SHARE / (WINDOWS_HELD * threads);
            WINDOW_BYTES.min(share as u64).max(MIN_WINDOW_BYTES)
        });
        let kernels = Kernels::from_environment().map_err(|e| Error::Query(e.to_string()))?;
        let scan = ScanContext {
            router: router.clone(),
            verify_checksums: self.verify_checksums,
            window_bytes,
            kernels: (!self.decode_first).then_some(kernels),
            any_order: self.any_order,
        };
        let accelerator = gpu.as_ref().map(|gpu| accelerator::over(gpu, scan.clone())).transpose();
        let accelerator = accelerator.unwrap_or_else(|why| {
            notes.push(pelton_registry::without(gpu.as_ref().map_or("the GPU", OpenGpu::name), &why));
            None
        });
        let gpu = gpu.filter(|_| accelerator.is_some()).map(|open| open.gpu);
        let memory_limit = self.memory_limit;
        let session = Session::new(SessionOptions { threads, memory_limit, scan, accelerator })?;
        let machine = Arc::new(Machine { models, gpu, reports, notes });
        let known = machine.clone();
        functions::register(&session, &router, move || known.devices());
        let threads = Arc::new(running);
        let mut engine = Engine { session, threads, router, machine, recording: None };
        if self.profile {
            engine.start_recording();
        }
        Ok(engine)
    }
}

/// Runs queries. Calls block; they may come from any thread that is not itself a thread of an async
/// runtime.
pub struct Engine {
    pub(crate) session: Session,
    pub(crate) threads: Arc<Threads>,
    pub(crate) router: Arc<Router>,
    pub(crate) machine: Arc<Machine>,
    pub(crate) recording: Option<Recording>,
}

/// Opened devices: models with clocks, the GPU, and the reports and notes about the others.
pub(crate) struct Machine {
    models: Vec<Modelled>,
    pub gpu: Option<Gpu>,
    reports: Vec<DeviceReport>,
    notes: Vec<String>,
}

impl Machine {
    /// Returns the known devices, accelerators first.
    pub fn devices(&self) -> Vec<DeviceReport> {
        let accelerators = pelton_registry::accelerators(&self.reports).into_iter();
        accelerators.chain(self.reports.iter().cloned()).collect()
    }
}

impl Engine {
    /// Starts with the defaults.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// Gives the Parquet files at a location a name: a file, a directory (`key=value` directories
    /// become columns), a glob, or a URL.
    ///
    /// # Errors
    /// A file can't be read, or the files don't fit together; the error names the file.
    pub fn register(&self, name: &str, location: &str) -> Result<()> {
        self.threads.block_on(self.session.register(name, &[location]))
    }

    /// Runs a query and returns all its rows.
    ///
    /// # Errors
    /// As [`Engine::query`], and errors while the query runs.
    pub fn sql(&self, sql: &str) -> Result<Vec<RecordBatch>> {
        self.query(sql)?.collect()
    }

    /// Plans a query and starts it; its rows are computed on demand.
    ///
    /// # Errors
    /// The query does not parse, or names a table or column that does not exist.
    pub fn query(&self, sql: &str) -> Result<Query> {
        self.query_with(sql, &Parameters::none())
    }

    /// Starts a Substrait plan, given in its protobuf encoding.
    ///
    /// # Errors
    /// As [`Engine::query`].
    #[cfg(feature = "substrait")]
    pub fn substrait(&self, plan: &[u8]) -> Result<Query> {
        let profiling = self.recording.as_ref().map(|recording| recording.start("a Substrait plan"));
        let plan = self.threads.block_on(self.session.substrait(plan))?;
        Query::start(plan, &self.session, self.threads.clone(), profiling)
    }

    /// Returns the Substrait plan of a SQL query, in its protobuf encoding.
    ///
    /// # Errors
    /// The query does not plan, or uses a feature that Substrait cannot express.
    #[cfg(feature = "substrait")]
    pub fn to_substrait(&self, sql: &str) -> Result<Vec<u8>> {
        self.threads.block_on(self.session.to_substrait(sql))
    }

    /// Lists the devices that Pelton knows of, accelerators first. A device that cannot be used has
    /// the reason and the remedy.
    pub fn devices(&self) -> Vec<DeviceReport> {
        self.machine.devices()
    }

    /// Returns sentences for the user about requested devices that are not used.
    pub fn notes(&self) -> &[String] {
        &self.machine.notes
    }

    /// Returns a line for each modelled device with its modelled time, marked as such.
    pub fn modelled_times(&self) -> Vec<String> {
        self.machine.models.iter().map(Modelled::report).collect()
    }

    /// Returns the router, which counts the jobs of every device.
    pub fn router(&self) -> &Arc<Router> {
        &self.router
    }
}
