//! Report of the measurements: a table for the terminal, and a record in Markdown, CSV with every
//! run, and JSON.

use serde_json::json;

use pelton_report::numbers::median;

use crate::contest::{Common, Taken, paired};
use crate::libraries::Library;
use pelton_report::record::Record;
use pelton_report::table::TextTable;

/// Packages with versions that belong into the record.
const PACKAGES: [&str; 2] = ["libz-ng-sys", "libz-rs-sys"];

/// A measured quantity and its unit.
#[derive(Clone, Copy)]
pub struct Metric {
    /// The title of its column.
    pub name: &'static str,
    /// Digits behind the point.
    pub digits: usize,
    /// Whether its ratios to the other libraries have columns.
    pub compared: bool,
}

/// A measurement of every library.
struct Cell {
    labels: Vec<String>,
    taken: Vec<Taken>,
}

/// All measurements of one command.
pub struct Report {
    name: &'static str,
    record: Record,
    libraries: Vec<(&'static str, String)>,
    labels: &'static [&'static str],
    metrics: &'static [Metric],
    cells: Vec<Cell>,
    /// Lines before the results.
    notes: Vec<String>,
    has_means: bool,
}

impl Report {
    /// Starts an empty report. `name` is that of its files.
    pub fn start(
        name: &'static str,
        libraries: &[Library],
        labels: &'static [&'static str],
        metrics: &'static [Metric],
    ) -> Self {
        let libraries = libraries.iter().map(|library| (library.name, library.version())).collect();
        Self {
            name,
            record: Record::start_on_one_core(name, &PACKAGES),
            libraries,
            labels,
            metrics,
            cells: vec![],
            notes: vec![],
            has_means: false,
        }
    }

    /// Adds means and extremes over all cells with the same last label.
    pub fn with_means(mut self) -> Self {
        self.has_means = true;
        self
    }

    /// Adds a line to the record.
    pub fn note(&mut self, line: String) {
        self.notes.push(line);
    }

    /// Adds a measurement, and says it on standard error.
    pub fn add(&mut self, labels: Vec<String>, taken: Vec<Taken>) {
        let first: Vec<String> = taken.iter().map(|taken| self.shown(0, &taken.0[0])).collect();
        eprintln!("{}: {} {}", labels.join(" "), self.metrics[0].name, first.join(" "));
        self.cells.push(Cell { labels, taken });
    }

    fn shown(&self, metric: usize, values: &[f64]) -> String {
        format!("{:.*}", self.metrics[metric].digits, median(values))
    }

    /// Prints the table, and writes the record if a folder for it was named.
    pub fn finish(mut self, common: &Common) -> Result<(), String> {
        let table = self.table();
        println!("{}", table.plain());
        let means = self.has_means.then(|| self.means());
        if let Some(means) = &means {
            println!("{}", means.plain());
        }
        let Some(folder) = &common.records else { return Ok(()) };
        let libraries = self.libraries.iter().map(|(name, version)| format!("* {name}: {version}\n"));
        self.record.section("Libraries", &libraries.collect::<String>());
        if !self.notes.is_empty() {
            self.record
                .section("Inputs", &self.notes.iter().map(|note| format!("* {note}\n")).collect::<String>());
        }
        if let Some(means) = &means {
            self.record.section("Means", &means.markdown());
        }
        self.record.section(
            "Results",
            &format!(
                "Medians; ratios are medians of the ratios of runs in the same round.\n\n{}",
                table.markdown()
            ),
        );
        let (csv, json) = (format!("{}.csv", self.name), format!("{}.json", self.name));
        let written = self
            .record
            .write(folder, &[(&csv, self.csv()), (&json, self.json())])
            .map_err(|error| error.to_string())?;
        eprintln!("recorded in {}", written.display());
        Ok(())
    }

    /// Returns a row for each library in each cell.
    fn table(&self) -> TextTable {
        let compared = || self.metrics.iter().enumerate().filter(|(_, metric)| metric.compared);
        let mut titles: Vec<String> = self.labels.iter().map(|&label| label.into()).collect();
        titles.push("library".into());
        titles.extend(self.metrics.iter().map(|metric| metric.name.to_owned()));
        for (_, metric) in compared() {
            titles.extend(self.libraries[1..].iter().map(|(rival, _)| format!("{} / {rival}", metric.name)));
        }
        let mut table = TextTable::of_numbers(titles);
        for cell in &self.cells {
            for ((library, _), taken) in self.libraries.iter().zip(&cell.taken) {
                let mut row = cell.labels.clone();
                row.push((*library).into());
                row.extend(taken.0.iter().enumerate().map(|(metric, values)| self.shown(metric, values)));
                for (metric, _) in compared() {
                    let ratio = |rival: &Taken| format!("{:.3}", paired(&taken.0[metric], &rival.0[metric]));
                    row.extend(cell.taken[1..].iter().map(ratio));
                }
                table.row(row);
            }
        }
        table
    }

    /// Returns, for each last label and each rival, the geometric mean and the extremes of our
    /// ratios to it over the cells.
    fn means(&self) -> TextTable {
        let mut titles = vec![self.labels[self.labels.len() - 1].to_owned(), "rival".into()];
        for metric in self.metrics.iter().filter(|metric| metric.compared) {
            titles.extend(["mean", "least", "most"].map(|which| format!("{}, {which}", metric.name)));
        }
        let mut table = TextTable::of_numbers(titles);
        let mut groups: Vec<&str> = vec![];
        for label in self.cells.iter().filter_map(|cell| cell.labels.last()) {
            if !groups.contains(&label.as_str()) {
                groups.push(label);
            }
        }
        for group in groups {
            for (rival, (name, _)) in self.libraries.iter().enumerate().skip(1) {
                let mut row = vec![group.to_owned(), (*name).to_owned()];
                for (metric, _) in self.metrics.iter().enumerate().filter(|(_, metric)| metric.compared) {
                    let cells =
                        self.cells.iter().filter(|cell| cell.labels.last().is_some_and(|of| of == group));
                    let ratios: Vec<f64> = cells
                        .map(|cell| paired(&cell.taken[0].0[metric], &cell.taken[rival].0[metric]))
                        .collect();
                    let mean =
                        (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
                    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
                    let most = ratios.iter().copied().fold(0.0, f64::max);
                    row.extend([mean, least, most].map(|ratio| format!("{ratio:.3}")));
                }
                table.row(row);
            }
        }
        table
    }

    /// Returns a line for each run.
    fn csv(&self) -> String {
        let metrics = self.metrics.iter().map(|metric| metric.name);
        let titles: Vec<&str> =
            self.labels.iter().copied().chain(["library", "run"]).chain(metrics).collect();
        let mut text = titles.join(",") + "\n";
        for cell in &self.cells {
            for ((library, _), taken) in self.libraries.iter().zip(&cell.taken) {
                for run in 0..taken.0[0].len() {
                    let values: Vec<String> = taken.0.iter().map(|values| values[run].to_string()).collect();
                    text += &format!("{},{library},{run},{}\n", cell.labels.join(","), values.join(","));
                }
            }
        }
        text
    }

    /// Returns the content of [`Report::csv`] as JSON.
    fn json(&self) -> String {
        let taken = |taken: &Taken| -> serde_json::Value {
            let values = self.metrics.iter().zip(&taken.0);
            values.map(|(metric, values)| (metric.name.to_owned(), json!(values))).collect()
        };
        let cell = |cell: &Cell| -> serde_json::Value {
            let labels =
                self.labels.iter().zip(&cell.labels).map(|(name, label)| (name.to_string(), json!(label)));
            let libraries =
                self.libraries.iter().zip(&cell.taken).map(|((name, _), all)| (name.to_string(), taken(all)));
            labels.chain(libraries).collect()
        };
        let cells: Vec<serde_json::Value> = self.cells.iter().map(cell).collect();
        let text = json!({ "libraries": self.libraries, "cells": cells });
        serde_json::to_string_pretty(&text).unwrap_or_default() + "\n"
    }
}
