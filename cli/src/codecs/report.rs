//! Results as a table and as JSON.

use pelton_report::machine::Machine;
use serde_json::{Value, json};

use super::contestant::Contestant;
use super::input::{Input, Kind};
use super::measure::Outcome;
use super::sample::Sample;
use pelton::Size;
use pelton_report::numbers::{bytes, counted};
use pelton_report::table::{Align, TextTable};

/// One codec, level and device.
pub struct Row {
    pub contestant: Contestant,
    pub device: String,
    pub outcome: Outcome,
}

/// Content of the report.
pub struct Report<'a> {
    pub inputs: &'a [Input],
    pub sample: &'a Sample,
    pub threads: usize,
    pub rounds: usize,
    pub rows: &'a [Row],
}

impl Report<'_> {
    /// Returns the results as text for people.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for input in self.inputs {
            text += &format!("{}\n", about(input));
        }
        text += &format!("{}\n{}\n\n{}", about_sample(self.sample), self.about_measurement(), self.table());
        let refused = self.rows.iter().filter_map(|row| Some((row, row.outcome.as_ref().err()?)));
        for (row, reason) in refused {
            text += &format!("{} on {} is left out: {reason}\n", row.contestant, row.device);
        }
        text
    }

    /// Returns the conditions of the measurement in a line.
    pub fn about_measurement(&self) -> String {
        let threads = counted(self.threads as u64, "thread");
        let rounds = counted(self.rounds as u64, "round");
        let cpu = Machine::here().cpu;
        format!(
            "measured on this machine ({cpu}, {threads}), median of up to {rounds}; GB/s of uncompressed bytes"
        )
    }

    fn table(&self) -> String {
        let words = ["codec", "level", "device"].map(|title| (title.to_owned(), Align::Left));
        let numbers =
            ["ratio", "compress GB/s", "decompress GB/s"].map(|title| (title.to_owned(), Align::Right));
        let mut table = TextTable::new(words.into_iter().chain(numbers));
        for row in self.rows {
            if let Ok(figures) = &row.outcome {
                table.row([
                    row.contestant.format.to_string(),
                    row.contestant.number().map_or_else(String::new, |number| number.to_string()),
                    row.device.clone(),
                    format!("{:.2}", figures.ratio()),
                    format!("{:.3}", figures.compress.gb_per_second),
                    format!("{:.3}", figures.decompress.gb_per_second),
                ]);
            }
        }
        table.draw(None).text
    }

    /// Returns the report as JSON.
    pub fn json(&self) -> String {
        let sample = self.sample;
        let value = json!({
            "machine": Machine::here(),
            "threads": self.threads,
            "inputs": self.inputs.iter().map(input_json).collect::<Vec<_>>(),
            "sample": {
                "bytes": sample.bytes,
                "of_bytes": sample.of,
                "blocks": sample.blocks.len(),
                "block_size": sample.cut_to,
            },
            "results": self.rows.iter().map(row_json).collect::<Vec<_>>(),
        });
        format!("{value:#}\n")
    }
}

/// Describes the sample.
pub fn about_sample(sample: &Sample) -> String {
    let mut sizes: Vec<u64> = sample.blocks.iter().map(|block| block.len() as u64).collect();
    sizes.sort_unstable();
    let each = match sample.cut_to {
        Some(size) => Size(size).to_string(),
        None => {
            let (min, max) = (sizes.first().copied(), sizes.last().copied());
            let (min, max) = (bytes(min.unwrap_or(0)), bytes(max.unwrap_or(0)));
            format!("a page each, {min} to {max}, median {}", bytes(sizes[sizes.len() / 2]))
        }
    };
    let blocks = counted(sizes.len() as u64, "block");
    let part = match sample.is_whole {
        true => format!("all {}", bytes(sample.bytes)),
        false => format!("{} taken evenly from {}", bytes(sample.bytes), bytes(sample.of)),
    };
    format!("sample: {part}, {blocks} ({each})")
}

/// Describes a file, with the ratio of its own codec.
pub fn about(input: &Input) -> String {
    let path = input.path.display();
    let Kind::Parquet { file, own } = &input.kind else {
        return format!("{path}: {}", bytes(input.bytes));
    };
    let metadata = parquet::file::reader::FileReader::metadata(file.as_ref());
    let groups = counted(metadata.num_row_groups() as u64, "row group");
    let columns = counted(metadata.file_metadata().schema_descr().num_columns() as u64, "column");
    let codecs: Vec<String> = own
        .iter()
        .map(|(codec, own)| {
            let part = if input_has_one_codec(input) {
                String::new()
            } else {
                format!(" of {}", bytes(own.uncompressed))
            };
            format!("{codec}{part}, ratio {:.2}", own.ratio())
        })
        .collect();
    let own = if codecs.is_empty() { "no rows".to_owned() } else { codecs.join("; ") };
    format!("{path}: Parquet, {}, {groups}, {columns}; its own codec: {own}", bytes(input.bytes))
}

fn input_has_one_codec(input: &Input) -> bool {
    matches!(&input.kind, Kind::Parquet { own, .. } if own.len() == 1)
}

fn input_json(input: &Input) -> Value {
    let mut value = json!({ "path": input.path.display().to_string(), "bytes": input.bytes });
    if let Kind::Parquet { own, .. } = &input.kind {
        let codecs = own.iter().map(|(codec, own)| {
            json!({
                "codec": codec,
                "column_chunks": own.chunks,
                "bytes": own.compressed,
                "uncompressed_bytes": own.uncompressed,
                "ratio": own.ratio(),
            })
        });
        value["parquet_codecs"] = Value::from_iter(codecs);
    }
    value
}

fn row_json(row: &Row) -> Value {
    let mut value = json!({
        "codec": row.contestant.format.name(),
        "level": row.contestant.number(),
        "device": row.device,
    });
    match &row.outcome {
        Ok(figures) => {
            value["uncompressed_bytes"] = figures.uncompressed.into();
            value["compressed_bytes"] = figures.compressed.into();
            value["ratio"] = figures.ratio().into();
            value["compress_gb_per_second"] = figures.compress.gb_per_second.into();
            value["compress_rounds"] = figures.compress.rounds.into();
            value["decompress_gb_per_second"] = figures.decompress.gb_per_second.into();
            value["decompress_rounds"] = figures.decompress.rounds.into();
        }
        Err(reason) => value["refused"] = reason.as_str().into(),
    }
    value
}
