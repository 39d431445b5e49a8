//! An engine that answers SQL over a data set, here or in a process of its own.

use std::time::Instant;

use pelton::job::Counters;
use pelton::{DeviceChoice, Engine};

use crate::Error;
use crate::protocol::{Answered, Identity, Scanned};
use crate::result::ResultSet;
use crate::tpch::cache::Dataset;

/// An engine with a data set's tables open.
pub trait System {
    /// Which engine it is.
    fn identity(&self) -> &Identity;

    /// Runs one query to its end; `rows` asks for the result, which is made after the clock has stopped.
    fn query(&mut self, sql: &str, rows: bool) -> Result<Answered, Error>;

    /// The most memory the engine's process has had resident so far, in bytes.
    fn peak_memory(&mut self) -> Result<u64, Error>;
}

/// Pelton in this process.
pub struct Local {
    identity: Identity,
    engine: Engine,
}

impl Local {
    /// Opens a data set's tables with `threads` threads, on these devices if any are named.
    pub fn open(dataset: &Dataset, threads: usize, devices: Option<&DeviceChoice>) -> Result<Self, Error> {
        let tables = dataset.files.iter().map(|file| (file.table.name().to_owned(), file.path.clone()));
        Self::open_tables(tables, threads, devices, true)
    }

    /// What each device did so far.
    pub fn counters(&self) -> Counters {
        self.engine.router().counters()
    }

    /// What the models among the devices say of the time that hardware would have taken.
    pub fn modelled_times(&self) -> Vec<String> {
        self.engine.modelled_times()
    }

    /// Opens tables given as name and location; `encoded_filters` is as [`pelton::EngineBuilder`] has it.
    pub fn open_tables(
        tables: impl IntoIterator<Item = (String, std::path::PathBuf)>,
        threads: usize,
        devices: Option<&DeviceChoice>,
        encoded_filters: bool,
    ) -> Result<Self, Error> {
        let mut engine = Engine::builder().threads(threads).encoded_filters(encoded_filters);
        if let Some(devices) = devices {
            engine = engine.devices(devices.clone());
        }
        let engine = engine.build().map_err(Error::engine)?;
        for (name, path) in tables {
            engine.register(&name, &path.to_string_lossy()).map_err(Error::engine)?;
        }
        let name = if encoded_filters { "Pelton" } else { "Pelton decoding first" };
        let identity = Identity { name: name.into(), version: env!("CARGO_PKG_VERSION").into() };
        Ok(Local { identity, engine })
    }
}

impl System for Local {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn query(&mut self, sql: &str, rows: bool) -> Result<Answered, Error> {
        let start = Instant::now();
        let mut query = self.engine.query(sql).map_err(Error::engine)?;
        let batches = query.by_ref().collect::<Result<Vec<_>, _>>().map_err(Error::engine)?;
        let ms = start.elapsed().as_secs_f64() * 1000.0;
        let totals = query.totals();
        let result = if rows { Some(ResultSet::from_batches(&query.schema(), &batches)?) } else { None };
        Ok(Answered {
            ms,
            row_count: batches.iter().map(|batch| batch.num_rows() as u64).sum(),
            result,
            scanned: Some(Scanned {
                bytes_read: totals.bytes_read,
                bytes_decompressed: totals.bytes_decompressed(),
            }),
        })
    }

    fn peak_memory(&mut self) -> Result<u64, Error> {
        crate::machine::peak_memory()
    }
}
