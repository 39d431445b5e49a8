//! A record of a measurement: what was measured, on what, with which command, and every single run;
//! as JSON for programs and Markdown for people, in a folder named after the day and the processor.

use std::fs;
use std::path::{Path, PathBuf};

use chrono::Utc;
use serde::Serialize;

use pelton_report::machine::Machine;
use pelton_tpch::Error;
use pelton_tpch::data::cache::Dataset;
use pelton_tpch::engine::protocol::Identity;

/// What is written; `results` differs from one measurement to the next.
#[derive(Serialize)]
pub struct Record<T> {
    /// What was measured: the name of the files.
    pub name: String,
    /// The day and time in UTC.
    pub date: String,
    /// The command line.
    pub command: Vec<String>,
    /// The machine.
    pub machine: Machine,
    /// The engines with their versions.
    pub systems: Vec<Identity>,
    /// How many threads each engine had.
    pub threads: usize,
    /// The files that were read.
    pub data: Vec<Data>,
    /// The measurements.
    pub results: T,
}

/// A data set that was read.
#[derive(Clone, Serialize)]
pub struct Data {
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
        Data { scale_factor: dataset.scale_factor, codec: dataset.codec.to_string(), tables }
    }
}

impl<T: Serialize> Record<T> {
    /// A record made now, on this machine, by this process.
    pub fn new(name: &str, systems: Vec<Identity>, threads: usize, data: Vec<Data>, results: T) -> Self {
        Record {
            name: name.to_owned(),
            date: Utc::now().format("%Y-%m-%d %H:%M UTC").to_string(),
            command: std::env::args().collect(),
            machine: Machine::here(),
            systems,
            threads,
            data,
            results,
        }
    }

    /// Writes `<name>.json` and, with `tables` below the facts, `<name>.md` into
    /// `<records>/<day>-<processor>`; returns that folder.
    pub fn write(&self, records: &Path, tables: &str) -> Result<PathBuf, Error> {
        let day = self.date.split(' ').next().unwrap_or_default();
        let folder = records.join(format!("{day}-{}", self.machine.slug()));
        fs::create_dir_all(&folder).map_err(|e| Error::io(&folder, e))?;
        let path = folder.join(format!("{}.json", self.name));
        let json = serde_json::to_string_pretty(self)
            .map_err(|e| Error::Malformed { path: path.clone(), reason: e.to_string() })?;
        fs::write(&path, json + "\n").map_err(|e| Error::io(&path, e))?;
        let path = folder.join(format!("{}.md", self.name));
        fs::write(&path, self.markdown(tables)).map_err(|e| Error::io(&path, e))?;
        Ok(folder)
    }

    fn markdown(&self, tables: &str) -> String {
        let Machine { cpu, cores, memory_bytes, kernel, system } = &self.machine;
        let systems: Vec<String> = self.systems.iter().map(|s| format!("{} {}", s.name, s.version)).collect();
        let mut text = format!(
            "# {}\n\n{}, on {cpu}, {cores} cores, {:.1} GB of memory, {system}, kernel {kernel}.\n\n\
             Engines: {}, each with {} threads.\n\n```\n{}\n```\n\n",
            self.name,
            self.date,
            *memory_bytes as f64 / 1e9,
            systems.join(", "),
            self.threads,
            self.command.join(" "),
        );
        for data in &self.data {
            let files: Vec<String> = data
                .tables
                .iter()
                .map(|(table, _, bytes)| format!("{table} {}", pelton_report::numbers::megabytes(*bytes)))
                .collect();
            let total: u64 = data.tables.iter().map(|(_, _, bytes)| bytes).sum();
            text += &format!(
                "TPC-H scale factor {} as {}: {} MB ({}).\n\n",
                data.scale_factor,
                data.codec,
                pelton_report::numbers::megabytes(total),
                files.join(", ")
            );
        }
        text + tables
    }
}

#[cfg(test)]
mod tests;
