//! The engine: devices, router, threads and tables.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use parking_lot::Mutex;
use pelton_job::Router;
use pelton_query::plan::scan_context;
use pelton_query::{Error, Parameters, Result, Session, SessionOptions};
use pelton_registry::{ChoiceError, DeviceChoice, DeviceReport, Modelled};
use pelton_settings::{
    ANY_ORDER, DEVICE, ENCODED_FILTERS, MEMORY, MOST_THREADS, PROFILE, Settings, THREADS, VERIFY_CHECKSUMS,
    Value, may_hold_secret,
};

use crate::functions;
use crate::machine::{AUTO, CurrentMachine, Machine};
use crate::profile::{Pages, Profiled, Recording};
use crate::query::Query;
use crate::threads::Threads;

/// Settings of an [`Engine`].
#[derive(Debug, Clone, Default)]
pub struct EngineBuilder {
    settings: Settings,
    devices: Option<DeviceChoice>,
    threads: Option<usize>,
    profile: bool,
}

impl EngineBuilder {
    /// Use these values of settings, in place of those that were set before.
    ///
    /// # Errors
    /// The setting `device` is no list of devices.
    pub fn settings(self, values: Settings) -> Result<Self> {
        let devices = values.text(&DEVICE).filter(|text| text.trim() != AUTO);
        let devices = devices
            .map(str::parse)
            .transpose()
            .map_err(|error: ChoiceError| Error::Query(error.to_string()))?;
        Ok(Self { threads: values.count(&THREADS), devices, settings: values, ..self })
    }

    /// Number of threads that run queries and decompress on the CPU; the number of cores if unset.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Bytes that operators and scans may hold together. Sorts, joins and aggregates spill to disk
    /// when it is reached.
    pub fn memory_limit(mut self, bytes: usize) -> Self {
        self.settings.set(&MEMORY, Value::Size(Some(bytes)));
        self
    }

    /// Check the CRC-32 of every page that has one. Off if unset: few writers store it, and it
    /// costs a few percent.
    pub fn verify_checksums(mut self, verify: bool) -> Self {
        self.settings.set(&VERIFY_CHECKSUMS, Value::Switch(verify));
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
        self.settings.set(&ENCODED_FILTERS, Value::Switch(on));
        self
    }

    /// Give rows of queries without ORDER BY in whichever order they are ready. Off if unset: rows
    /// come in the order of the files' names and, within a file, in the file's order, wherever the
    /// operators of the query keep it.
    pub fn any_order(mut self, on: bool) -> Self {
        self.settings.set(&ANY_ORDER, Value::Switch(on));
        self
    }

    /// Write a page that shows the work of each query over time, as the setting `profile` does.
    pub fn profile_page(mut self, path: &Path) -> Self {
        self.settings.set(&PROFILE, Value::Text(path.display().to_string()));
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
        let mut values = self.settings;
        values.set(&THREADS, Value::Count(threads));
        if let Some(choice) = &choice {
            values.set(&DEVICE, Value::Text(choice.text().to_owned()));
        }
        let (machine, devices, notes) = CurrentMachine::open(&values, &|router| {
            scan_context(&values, router, Arc::default(), Arc::default())
        })?;
        let (scan, accelerator) = (devices.scan, devices.accelerator);
        let memory_limit = values.size(&MEMORY);
        let session = Session::new(SessionOptions { threads, memory_limit, scan, accelerator })?;
        let machine = Arc::new(machine);
        let session = session.hosted(machine.clone(), values);
        functions::register(&session, &machine);
        let mut engine = Engine { session, machine, notes, recording: None, pages: Mutex::default() };
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
    pub(crate) machine: Arc<CurrentMachine>,
    pub(crate) notes: Vec<String>,
    pub(crate) recording: Option<Recording>,
    /// The page of the setting `profile`.
    pub(crate) pages: Mutex<Option<Arc<Pages>>>,
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
        self.threads().block_on(self.session.register(name, &[location]))
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

    /// Begins to record a query, if its profile is wanted.
    pub(crate) fn profiling(&self, query: &str) -> Option<Profiled> {
        let query = if may_hold_secret(query) { "a statement with a secret" } else { query };
        if let Some(recording) = &self.recording {
            return Some(Profiled { profiling: recording.start(query), pages: None });
        }
        if is_about_settings(query) {
            return None;
        }
        let values = self.session.settings();
        let mut pages = self.pages.lock();
        let path = values.text(&PROFILE).map(PathBuf::from)?;
        let present = match pages.take().filter(|pages| pages.path() == path) {
            Some(present) => present,
            None => {
                let recording = self.new_recording();
                Arc::new(Pages::new(path, recording))
            }
        };
        *pages = Some(present.clone());
        Some(present.start(query))
    }

    /// Lists the devices that Pelton knows of, accelerators first. A device that cannot be used has
    /// the reason and the remedy.
    pub fn devices(&self) -> Vec<DeviceReport> {
        self.machine().devices()
    }

    /// Returns sentences for the user about devices that were requested at the start and are not
    /// used.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns a line for each modelled device with its modelled time, marked as such.
    pub fn modelled_times(&self) -> Vec<String> {
        self.machine().opened.models.iter().map(Modelled::report).collect()
    }

    /// Returns the router, which counts the jobs of every device. A change of the settings
    /// `threads`, `memory` and `device` puts a new one in its place.
    pub fn router(&self) -> Arc<Router> {
        self.machine().router.clone()
    }

    /// Returns the present values of the settings.
    pub fn settings(&self) -> Settings {
        self.session.settings()
    }

    /// Returns the present threads and devices.
    pub(crate) fn machine(&self) -> Arc<Machine> {
        self.machine.get()
    }

    /// Returns the present threads.
    pub(crate) fn threads(&self) -> Arc<Threads> {
        self.machine().threads.clone()
    }
}

/// Returns whether a statement changes settings: it has no work to show, and ends the page of
/// profiles that it is recorded for.
fn is_about_settings(statement: &str) -> bool {
    let word = statement.split_whitespace().next().unwrap_or_default();
    ["SET", "RESET", "PRAGMA"].iter().any(|other| word.eq_ignore_ascii_case(other))
}
