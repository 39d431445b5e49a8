//! The advice as a table and as JSON.

use std::time::Duration;

use pelton_report::machine::Machine;
use serde_json::{Value, json};

use super::estimate::{Estimate, Origin, Work};
use super::measure::{FORMAT, Scan};
use super::{accelerator, nxu};
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
            "{}\n{}\n{}\n{}\n\n",
            about_sample(self.sample),
            self.about_measurement(),
            accelerator::IAA_SOURCE,
            nxu::SOURCE
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
        text + "faster from: the batch from which on it is faster than the CPU with all threads; a block is done by one thread or \
                engine\n\
                half peak: the job at which half of the time is setup, compressing and decompressing\n\
                J/GB: energy over that of an idle system, compressing\n"
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
        let numbers = [
            "ratio",
            "compress GB/s",
            "faster from",
            "decompress GB/s",
            "faster from",
            "half peak",
            "J/GB",
            "scan",
        ]
        .map(|title| (title.to_owned(), Align::Right));
        let mut table = TextTable::new(words.into_iter().chain(numbers));
        for estimate in self.estimates {
            let Estimate { compress, decompress, .. } = estimate;
            let speed = |work: &Work| format!("{:.3}", work.batch.throughput() / 1e9);
            let overtakes = |work: &Work| match (work.overtakes, estimate.origin) {
                (Some(0.0), _) => "any size".to_owned(),
                (Some(size), _) => bytes(size.ceil() as u64),
                (None, Origin::Measured) => String::new(),
                (None, _) => "never".to_owned(),
            };
            let half_peak = |work: &Work| Some(bytes(work.batch.half_peak()?.round() as u64));
            let half_peaks = half_peak(compress).zip(half_peak(decompress));
            table.row([
                estimate.device.clone(),
                estimate.origin.name().to_owned(),
                format!("{:.2}", estimate.ratio),
                speed(compress),
                overtakes(compress),
                speed(decompress),
                overtakes(decompress),
                half_peaks.map_or_else(String::new, |(a, b)| format!("{a}, {b}")),
                estimate.energy.map_or_else(String::new, |[min, max]| format!("{min:.1} to {max:.1}")),
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
            "sources": [self.about_measurement(), accelerator::IAA_SOURCE, nxu::SOURCE],
            "estimates": Value::from_iter(self.estimates.iter().map(estimate_json)),
        });
        format!("{value:#}\n")
    }
}

/// Decompression's part of the threads' time.
fn share(scan: &Scan) -> String {
    let all = scan.wall.as_secs_f64() * scan.threads as f64;
    format!("{:.0}%", 100.0 * scan.decompression.as_secs_f64() / all.max(f64::MIN_POSITIVE))
}

fn estimate_json(estimate: &Estimate) -> Value {
    let work = |work: &Work| {
        json!({
            "gb_per_second": work.batch.throughput() / 1e9,
            "setup_seconds": work.batch.speeds.setup + work.batch.speeds.job,
            "half_peak_bytes": work.batch.half_peak(),
            "overtakes_cpu_at_bytes": work.overtakes,
        })
    };
    json!({
        "device": estimate.device,
        "speeds_are": estimate.origin.name(),
        "ratio": estimate.ratio,
        "compress": work(&estimate.compress),
        "decompress": work(&estimate.decompress),
        "joules_per_gb": estimate.energy,
        "scan_seconds": estimate.scan.map(|time: Duration| time.as_secs_f64()),
    })
}
