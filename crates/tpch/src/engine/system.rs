//! An engine that answers SQL over a data set, here or in a process of its own.

use std::path::PathBuf;
use std::time::Instant;

use pelton::job::Counters;
use pelton::profile::Run;
use pelton::{Accelerated, DeviceChoice, Engine};

use crate::Error;
use crate::data::cache::Dataset;
use crate::engine::protocol::{Answered, Identity, OnGpu, Scanned};
use crate::engine::result::ResultSet;

/// An engine with a data set's tables open.
pub trait System {
    /// Returns the engine's identity.
    fn identity(&self) -> &Identity;

    /// Runs one query to its end; `rows` asks for the result, which is made after the clock has
    /// stopped.
    fn query(&mut self, sql: &str, rows: bool) -> Result<Answered, Error>;

    /// Returns the most memory the engine's process has had resident so far, in bytes.
    fn peak_memory(&mut self) -> Result<u64, Error>;
}

/// Pelton in this process.
pub struct Local {
    identity: Identity,
    engine: Engine,
    has_gpu: bool,
    /// Recorded work of the queries, if requested.
    profiles: Option<Vec<Run>>,
}

/// Options of Pelton's engine.
#[derive(Clone, Debug)]
pub struct LocalOptions {
    /// Threads.
    pub threads: usize,
    /// Devices, if any are named.
    pub devices: Option<DeviceChoice>,
    /// Settings that differ from the defaults, as `memory=1GB`.
    pub settings: Vec<String>,
    /// Whether the work of queries is recorded.
    pub profile: bool,
}

impl LocalOptions {
    /// Returns the defaults with this number of threads.
    pub fn threads(threads: usize) -> Self {
        LocalOptions { threads, devices: None, settings: Vec::new(), profile: false }
    }
}

impl Local {
    /// Opens a data set's tables.
    pub fn open(dataset: &Dataset, options: &LocalOptions) -> Result<Self, Error> {
        let tables = dataset.files.iter().map(|file| (file.table.name().to_owned(), file.path.clone()));
        Self::open_tables(tables, options)
    }

    /// Returns sentences for the user, such as about a device that can't be used.
    pub fn notes(&self) -> &[String] {
        self.engine.notes()
    }

    /// Returns the recorded work of the queries since the last call, each titled with its text.
    pub fn take_profiles(&mut self) -> Vec<Run> {
        self.profiles.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Runs a statement and ignores its rows.
    pub fn statement(&mut self, sql: &str) -> Result<(), Error> {
        self.engine.sql(sql).map(|_| ()).map_err(Error::engine)
    }

    /// Returns the counters of each device so far.
    pub fn counters(&self) -> Counters {
        self.engine.router().counters()
    }

    /// Returns the modelled times of the devices that are models.
    pub fn modelled_times(&self) -> Vec<String> {
        self.engine.modelled_times()
    }

    /// Opens tables given as name and location.
    pub fn open_tables(
        tables: impl IntoIterator<Item = (String, PathBuf)>,
        options: &LocalOptions,
    ) -> Result<Self, Error> {
        let LocalOptions { threads, devices, settings, profile } = options;
        let mut engine = Engine::builder().threads(*threads).profile(*profile);
        if let Some(devices) = devices {
            engine = engine.devices(devices.clone());
        }
        let engine = engine.build().map_err(Error::engine)?;
        for (name, path) in tables {
            engine.register(&name, &path.to_string_lossy()).map_err(Error::engine)?;
        }
        for setting in settings {
            engine.sql(&format!("SET {setting}")).map_err(Error::engine)?;
        }
        let name = std::iter::once("Pelton").chain(settings.iter().map(String::as_str));
        let name = name.collect::<Vec<_>>().join(", ");
        let identity = Identity { name, version: env!("CARGO_PKG_VERSION").into() };
        let has_gpu = devices.as_ref().is_some_and(|choice| choice.wanted().iter().any(|w| w.is_gpu()));
        let has_gpu = has_gpu && engine.notes().is_empty();
        Ok(Local { identity, engine, has_gpu, profiles: profile.then(Vec::new) })
    }
}

impl System for Local {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn query(&mut self, sql: &str, rows: bool) -> Result<Answered, Error> {
        let start = Instant::now();
        let mut query = self.engine.query(sql).map_err(Error::engine)?;
        let planned_ms = Some(start.elapsed().as_secs_f64() * 1000.0);
        let batches = query.by_ref().collect::<Result<Vec<_>, _>>().map_err(Error::engine)?;
        let ms = start.elapsed().as_secs_f64() * 1000.0;
        let totals = query.totals();
        let on_gpu = self.has_gpu.then(|| match query.accelerated() {
            _ if !query.notes().is_empty() => OnGpu::Failed,
            Accelerated::Whole => OnGpu::All,
            Accelerated::Part => OnGpu::Part,
            Accelerated::Nothing => OnGpu::Nothing,
        });
        if let Some(profiles) = &mut self.profiles {
            profiles.extend(query.take_profile(sql));
        }
        let result = if rows { Some(ResultSet::from_batches(&query.schema(), &batches)?) } else { None };
        Ok(Answered {
            ms,
            planned_ms,
            row_count: batches.iter().map(|batch| batch.num_rows() as u64).sum(),
            result,
            scanned: Some(Scanned {
                bytes_read: totals.bytes_read,
                bytes_decompressed: totals.bytes_decompressed(),
                bytes_of_columns: query.progress().bytes_total,
                plain_bytes_of_columns: query.bytes_of_columns(),
                on_gpu,
            }),
        })
    }

    fn peak_memory(&mut self) -> Result<u64, Error> {
        let unknown = || Error::Malformed {
            path: PathBuf::from("/proc/self/status"),
            reason: "no VmHWM there: peak memory can be measured on Linux only".into(),
        };
        pelton_report::machine::peak_memory().ok_or_else(unknown)
    }
}
