//! The advice as a table and as JSON.

use std::time::Duration;

use pelton_report::machine::Machine;
use serde_json::{Value, json};

use super::accelerator;
use super::estimate::Estimate;
use super::measure::{FORMAT, Scan};
use crate::codecs::input::Input;
use crate::codecs::report::{about, about_sample};
use crate::codecs::sample::Sample;
use pelton_report::numbers::{bytes, counted, time};
use pelton_report::table::{Align, TextTable};

/// Content of the report.
pub struct Report<'a> {
    pub inputs: &'a [Input],
    pub sample: &'a Sample,
    pub threads: usize,
    pub scan: Option<&'a Scan>,
    pub estimates: &'a [Estimate],
}

impl Report<'_> {
    /// Lines for a person.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for input in self.inputs {
            text += &format!("{}\n", about(input));
        }
        text += &format!(
            "{}\n{}\n{}\n\n",
            about_sample(self.sample),
            self.about_measurement(),
            accelerator::SOURCE
        );
        text += &self.table();
        text += &match self.scan {
            Some(scan) => format!(
                "scan: every column of all rows with {}, {} of them decompressing\n",
                counted(scan.threads as u64, "thread"),
                share(scan),
            ),
            None => "scan: not estimated, as not all files are Parquet\n".to_owned(),
        };
        text + "overtakes: the batch from which on it decompresses faster than the CPU with all threads; a block is done by one \
                thread or engine\n"
    }

    /// Returns the conditions of the measurement in a line.
    pub fn about_measurement(&self) -> String {
        let threads = counted(self.threads as u64, "thread");
        let cpu = Machine::here().cpu;
        format!(
            "measured: {FORMAT} {} on this machine ({cpu}, {threads}); GB/s of uncompressed bytes",
            FORMAT.default_level().value()
        )
    }

    fn table(&self) -> String {
        let words = ["device", "speeds are"].map(|title| (title.to_owned(), Align::Left));
        let numbers = ["ratio", "compress GB/s", "decompress GB/s", "overtakes at", "scan"]
            .map(|title| (title.to_owned(), Align::Right));
        let mut table = TextTable::new(words.into_iter().chain(numbers));
        for estimate in self.estimates {
            table.row([
                estimate.device.clone(),
                kind(estimate).to_owned(),
                format!("{:.2}", estimate.ratio),
                format!("{:.3}", estimate.compress / 1e9),
                format!("{:.3}", estimate.batch.all / 1e9),
                match (estimate.overtakes, estimate.is_modelled) {
                    (Some(size), _) => bytes(size.ceil() as u64),
                    (None, true) => "never".to_owned(),
                    (None, false) => String::new(),
                },
                estimate.scan.map_or_else(String::new, time),
            ]);
        }
        table.draw(None).text
    }

    /// Returns the report as JSON.
    pub fn json(&self) -> String {
        let inputs = self
            .inputs
            .iter()
            .map(|input| json!({ "path": input.path.display().to_string(), "bytes": input.bytes }));
        let value = json!({
            "machine": Machine::here(),
            "threads": self.threads,
            "inputs": Value::from_iter(inputs),
            "sample": { "bytes": self.sample.bytes, "of_bytes": self.sample.of, "blocks": self.sample.blocks.len() },
            "modelled_from": accelerator::SOURCE,
            "estimates": Value::from_iter(self.estimates.iter().map(estimate_json)),
        });
        format!("{value:#}\n")
    }
}

fn kind(estimate: &Estimate) -> &'static str {
    if estimate.is_modelled { "modelled" } else { "measured" }
}

/// Decompression's part of the threads' time.
fn share(scan: &Scan) -> String {
    let all = scan.wall.as_secs_f64() * scan.threads as f64;
    format!("{:.0}%", 100.0 * scan.decompression.as_secs_f64() / all.max(f64::MIN_POSITIVE))
}

fn estimate_json(estimate: &Estimate) -> Value {
    json!({
        "device": estimate.device,
        "speeds_are": kind(estimate),
        "ratio": estimate.ratio,
        "compress_gb_per_second": estimate.compress / 1e9,
        "decompress_gb_per_second": estimate.batch.all / 1e9,
        "setup_seconds": estimate.batch.setup.as_secs_f64(),
        "half_peak_bytes": estimate.batch.half_peak(),
        "overtakes_cpu_at_bytes": estimate.overtakes,
        "scan_seconds": estimate.scan.map(|time: Duration| time.as_secs_f64()),
    })
}
