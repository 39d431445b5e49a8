//! RocksDB's own benchmark with zlib: a fill, then four reads to one write at random. Every library
//! has a database of its own, filled under it. Blocks are not cached, so each read decompresses.

use std::path::Path;
use std::process::Command;

use crate::contest::{Common, Taken, turns};
use crate::libraries::{self, Library, quietly};
use crate::report::{Metric, Report};

const METRICS: [Metric; 4] = [
    Metric { name: "operations/s", digits: 0, compared: true },
    Metric { name: "p99 read us", digits: 2, compared: true },
    Metric { name: "p50 read us", digits: 2, compared: false },
    Metric { name: "bytes", digits: 0, compared: true },
];
/// Bytes of keys and values in a database.
const UNCOMPRESSED: usize = 256 << 20;
/// Bytes of a key.
const KEY: usize = 16;

/// Duration of a run, and sizes of blocks.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Seconds of each counted run
    #[arg(long, default_value_t = 10)]
    seconds: u32,
    /// Bytes of blocks
    #[arg(long, value_delimiter = ',', default_value = "4096,16384")]
    block: Vec<u32>,
    /// Bytes of values
    #[arg(long, value_delimiter = ',', default_value = "32,256")]
    value: Vec<usize>,
    #[command(flatten)]
    common: Common,
}

/// One shape of database.
struct Shape {
    block: u32,
    value: usize,
}

/// Fills databases, and reads and writes.
pub fn run(options: &Options) -> Result<(), String> {
    let libraries = libraries::all()?;
    let labels = &["block", "value"];
    let mut report = Report::start("zlib-db-bench", &libraries, labels, &METRICS);
    for &block in &options.block {
        for &value in &options.value {
            let taken = Shape { block, value }.contest(options, &libraries)?;
            report.add(vec![block.to_string(), value.to_string()], taken);
        }
    }
    report.finish(&options.common)
}

impl Shape {
    fn contest(&self, options: &Options, libraries: &[Library]) -> Result<Vec<Taken>, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut bytes = vec![];
        for library in libraries {
            let path = folder.path().join(library.name);
            quietly(
                self.program(library, &path).args(["--benchmarks=filluniquerandom,compact", "--seed=1"]),
            )?;
            bytes.push(size(&path)?);
        }
        turns(options.common.runs(), libraries.len(), |number| {
            let path = folder.path().join(libraries[number].name);
            let mut command = self.program(&libraries[number], &path);
            command.args([
                "--benchmarks=readrandomwriterandom",
                "--readwritepercent=80",
                "--use_existing_db=1",
            ]);
            command.args(["--histogram=1", "--statistics=1"]).arg(format!("--duration={}", options.seconds));
            let output = command.output().map_err(|error| format!("db_bench: {error}"))?;
            let text = String::from_utf8_lossy(&output.stdout);
            let [speed, p99, p50] =
                figures(&text).ok_or_else(|| format!("db_bench says no figures:\n{text}"))?;
            Ok(vec![speed, p99, p50, bytes[number]])
        })
    }

    fn program(&self, library: &Library, path: &Path) -> Command {
        let Self { block, value } = self;
        let num = UNCOMPRESSED / (KEY + value);
        let mut command = Command::new("db_bench");
        command.env("LD_PRELOAD", &library.path).arg(format!("--db={}", path.display())).args([
            format!("--num={num}"),
            format!("--key_size={KEY}"),
            format!("--value_size={value}"),
            format!("--block_size={block}"),
        ]);
        command.args(["--compression_type=zlib", "--cache_size=0", "--threads=1", "--disable_wal=1"]);
        command.args(["--compression_ratio=0.5", "--open_files=-1", "--cache_index_and_filter_blocks=0"]);
        command
    }
}

/// Operations a second, and the 99th and 50th percentile of a read in microseconds.
fn figures(text: &str) -> Option<[f64; 3]> {
    let line = text.lines().find(|line| line.starts_with("readrandomwriterandom"))?;
    let speed = line.split("ops/sec").next()?.split_whitespace().last()?.parse().ok()?;
    let reads = text.lines().find(|line| line.starts_with("rocksdb.db.get.micros"))?;
    let after = |name: &str| reads.split_once(name)?.1.split_whitespace().nth(1)?.parse().ok();
    Some([speed, after("P99")?, after("P50")?])
}

/// Returns the bytes of a database's tables.
fn size(folder: &Path) -> Result<f64, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let tables = entries.flatten().filter(|entry| entry.path().extension().is_some_and(|name| name == "sst"));
    Ok(tables.filter_map(|entry| Some(entry.metadata().ok()?.len() as f64)).sum())
}

#[cfg(test)]
mod tests;
