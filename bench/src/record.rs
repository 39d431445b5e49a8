//! Record of a measurement of engines: the data, the versions and every single run, as JSON for
//! programs and Markdown for people.

use std::path::{Path, PathBuf};

use pelton_report::machine::Machine;
use pelton_report::numbers::megabytes;
use pelton_report::record;
use pelton_tpch::Error;
use pelton_tpch::data::cache::Dataset;
use pelton_tpch::engine::protocol::Identity;
use serde::Serialize;

/// A record of engines; `results` differs from one measurement to the next.
pub struct Record<T> {
    /// Name of the measurement and of its files.
    pub name: String,
    /// Engines with their versions.
    pub systems: Vec<Identity>,
    /// Number of threads of each engine.
    pub threads: usize,
    /// Data sets that were read.
    pub data: Vec<Data>,
    /// Measurements.
    pub results: T,
    page: record::Record,
}

/// The JSON of a record.
#[derive(Serialize)]
struct Json<'a, T> {
    name: &'a str,
    /// Day and time in UTC.
    date: &'a str,
    /// Command line.
    command: Vec<String>,
    machine: &'a Machine,
    systems: &'a [Identity],
    threads: usize,
    data: &'a [Data],
    results: &'a T,
}

/// A data set that was read.
#[derive(Clone, Serialize)]
pub struct Data {
    /// The benchmark that the tables are of, or derived from.
    pub benchmark: &'static str,
    /// The scale factor.
    pub scale_factor: f64,
    /// The codec.
    pub codec: String,
    /// Its tables: name, rows, and bytes of the file.
    pub tables: Vec<(String, u64, u64)>,
}

impl From<&Dataset> for Data {
    fn from(dataset: &Dataset) -> Self {
        let tables = dataset.files.iter().map(|f| (f.table.name().to_owned(), f.rows, f.bytes)).collect();
        Data {
            benchmark: "TPC-H",
            scale_factor: dataset.scale_factor,
            codec: dataset.codec.to_string(),
            tables,
        }
    }
}

impl<T: Serialize> Record<T> {
    /// Starts a record of this process on this machine.
    pub fn new(name: &str, systems: Vec<Identity>, threads: usize, data: Vec<Data>, results: T) -> Self {
        let engines: Vec<String> = systems.iter().map(|s| format!("{} {}", s.name, s.version)).collect();
        let subject = format!("Engines: {}, each with {threads} threads.", engines.join(", "));
        Record {
            name: name.to_owned(),
            page: record::Record::start(name, subject),
            systems,
            threads,
            data,
            results,
        }
    }

    /// Writes `<name>.json` and, with `tables` below the facts, `<name>.md` into
    /// `<records>/<day>-<processor>`; returns that folder.
    pub fn write(mut self, records: &Path, tables: &str) -> Result<PathBuf, Error> {
        for data in &self.data {
            self.page.text(&data.markdown());
        }
        self.page.text(tables);
        let name = format!("{}.json", self.name);
        let json = serde_json::to_string_pretty(&self.json())
            .map_err(|e| Error::Malformed { path: records.join(&name), reason: e.to_string() })?;
        self.page.write(records, &[(&name, json + "\n")]).map_err(|e| Error::io(&e.path, e.source))
    }

    fn json(&self) -> Json<'_, T> {
        Json {
            name: &self.name,
            date: self.page.date(),
            command: std::env::args().collect(),
            machine: self.page.machine(),
            systems: &self.systems,
            threads: self.threads,
            data: &self.data,
            results: &self.results,
        }
    }
}

impl Data {
    fn markdown(&self) -> String {
        let Data { benchmark, scale_factor, codec, tables } = self;
        let files = tables.iter().map(|(table, _, bytes)| format!("{table} {}", megabytes(*bytes)));
        let total: u64 = tables.iter().map(|(_, _, bytes)| bytes).sum();
        format!(
            "{benchmark} scale factor {scale_factor} as {codec}: {} MB ({}).\n\n",
            megabytes(total),
            files.collect::<Vec<_>>().join(", ")
        )
    }
}

#[cfg(test)]
mod tests;
