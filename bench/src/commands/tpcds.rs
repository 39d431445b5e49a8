//! `pelton-bench tpcds`: the 99 queries derived from TPC-DS on every engine and codec.
//!
//! `bench/tpcds/generate.py` makes the tables and the texts by DuckDB's extension for TPC-DS; none
//! of them is in the repository.

use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::speed::{Measured, Speed};
use super::{Common, identities};
use crate::record::{Data, Record};
use pelton_report::numbers::{median, megabytes, ms};
use pelton_report::table::markdown;
use pelton_tpch::Error;
use pelton_tpch::engine::contest::{Outcome, Task, contest};
use pelton_tpch::engine::system::System;

/// Share by which products of quotients may differ: quotients of decimals are decimals with a few
/// digits in Pelton and doubles in DuckDB (docs/sql-differences.md).
const QUOTIENTS: f64 = 1e-5;

/// Number of times that a query is explained to learn how long it takes to plan.
const EXPLAINED: usize = 3;

/// Options of the measurement.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    #[command(flatten)]
    common: Common,
    /// Codecs of the data; each has a folder tpcds-sf1-CODEC among the generated data, which
    /// bench/tpcds/generate.py fills
    #[arg(long, value_delimiter = ',', default_value = "zstd,snappy")]
    codecs: Vec<String>,
    /// Queries, such as 1,6,12 [default: all]
    #[arg(long, value_delimiter = ',')]
    queries: Vec<usize>,
    /// Name of the record's files
    #[arg(long, default_value = "tpcds")]
    name: String,
}

/// Peak of resident memory of an engine's process after all queries.
#[derive(Serialize)]
struct Peak {
    codec: String,
    system: String,
    bytes: u64,
}

/// Median milliseconds that an engine took to plan a query, or for EXPLAIN if it does not say.
#[derive(Serialize)]
struct Planned {
    codec: String,
    query: String,
    system: String,
    planned_ms: f64,
}

#[derive(Serialize, Default)]
struct Results {
    queries: Vec<Measured>,
    memory: Vec<Peak>,
    planning: Vec<Planned>,
}

/// Runs it, prints tables and writes a record; false if an engine failed or returned other rows.
pub fn run(options: &Options) -> Result<bool, Error> {
    let common = &options.common;
    let (mut data, mut results, mut tables) = (Vec::new(), Results::default(), String::new());
    let (mut systems_seen, mut all_right) = (Vec::new(), true);
    for codec in &options.codecs {
        let folder = folder(common, codec)?;
        let tasks = tasks(&folder, &options.queries)?;
        let mut systems = common.open(&folder)?;
        systems_seen = identities(&systems);
        let report = |what| eprintln!("{codec}: {what}");
        let outcomes = contest(&mut systems, &tasks, usize::from(common.runs), None, &report);
        let speed =
            Speed { codec: codec.clone(), systems: &systems_seen, tasks: &tasks, outcomes: &outcomes };
        println!("\n{codec}\n{}", speed.plain());
        tables += &format!("## {codec}\n\n{}\n", speed.markdown());
        all_right &= !speed.has_faults();
        results.queries.extend(speed.measured());

        let peaks = peaks(codec, &mut systems)?;
        let planned = planning(codec, &mut systems, &tasks, &outcomes)?;
        let rows = beside(&peaks, &planned);
        rows.iter().for_each(|row| println!("{}", row.join(", ")));
        let titles = ["engine", "peak memory MB", "slowest to plan, ms"].map(str::to_owned);
        tables += &format!("{}\n", markdown(&titles, &rows));
        results.memory.extend(peaks);
        results.planning.extend(planned);
        data.push(described(common.sf, codec, &folder, systems[0].as_mut())?);
    }
    let record = Record::new(&options.name, systems_seen, common.threads(), data, results);
    println!("recorded in {}", record.write(&common.records, &tables)?.display());
    Ok(all_right)
}

/// Returns the folder of a codec's files.
fn folder(common: &Common, codec: &str) -> Result<PathBuf, Error> {
    let cache = match &common.cache {
        Some(cache) => cache.clone(),
        None => pelton_tpch::data::cache::default_cache_folder()?,
    };
    let folder = cache.join(format!("tpcds-sf{}-{codec}", common.sf));
    if folder.join("queries").is_dir() {
        return Ok(folder);
    }
    Err(Error::Argument(format!(
        "{} is missing: `make bench-tpcds` makes it, or bench/tpcds/generate.py {} {codec} {}",
        folder.display(),
        common.sf,
        folder.display()
    )))
}

/// Returns the queries of a folder in the order of their numbers.
fn tasks(folder: &Path, wanted: &[usize]) -> Result<Vec<Task>, Error> {
    let folder = folder.join("queries");
    let mut tasks = Vec::new();
    for entry in read_dir(&folder).map_err(|e| Error::io(&folder, e))? {
        let path = entry.map_err(|e| Error::io(&folder, e))?.path();
        let number = path.file_stem().and_then(|stem| stem.to_string_lossy().parse::<usize>().ok());
        let Some(number) = number.filter(|number| wanted.is_empty() || wanted.contains(number)) else {
            continue;
        };
        let sql = read_to_string(&path).map_err(|e| Error::io(&path, e))?;
        let name = format!("Q{number}");
        tasks.push((number, Task { name, sql, order_by: &[], answer: None, share: QUOTIENTS }));
    }
    tasks.sort_by_key(|(number, _)| *number);
    Ok(tasks.into_iter().map(|(_, task)| task).collect())
}

fn peaks(codec: &str, systems: &mut [Box<dyn System>]) -> Result<Vec<Peak>, Error> {
    let peak = |system: &mut Box<dyn System>| {
        let bytes = system.peak_memory()?;
        Ok(Peak { codec: codec.to_owned(), system: system.identity().name.clone(), bytes })
    };
    systems.iter_mut().map(peak).collect()
}

/// Returns how long each query took to plan; engines that don't say so explain it.
fn planning(
    codec: &str,
    systems: &mut [Box<dyn System>],
    tasks: &[Task],
    outcomes: &[Vec<Outcome>],
) -> Result<Vec<Planned>, Error> {
    let mut planned = Vec::new();
    for (task, outcomes) in tasks.iter().zip(outcomes) {
        let explain = format!("EXPLAIN {}", task.sql);
        for (system, outcome) in systems.iter_mut().zip(outcomes) {
            let mut times = outcome.planned_ms.clone();
            if times.is_empty() {
                for _ in 0..EXPLAINED {
                    times.push(system.query(&explain, false)?.ms);
                }
            }
            planned.push(Planned {
                codec: codec.to_owned(),
                query: task.name.clone(),
                system: system.identity().name.clone(),
                planned_ms: median(&times),
            });
        }
    }
    Ok(planned)
}

/// Returns a row for each engine: peak memory, and the query that is planned longest.
fn beside(peaks: &[Peak], planned: &[Planned]) -> Vec<Vec<String>> {
    let row = |peak: &Peak| {
        let own = planned.iter().filter(|planned| planned.system == peak.system);
        let slowest = own.max_by(|a, b| a.planned_ms.total_cmp(&b.planned_ms));
        let slowest = slowest.map(|slowest| format!("{} ({})", ms(slowest.planned_ms), slowest.query));
        vec![peak.system.clone(), megabytes(peak.bytes), slowest.unwrap_or_default()]
    };
    peaks.iter().map(row).collect()
}

/// Describes the files, with the rows that an engine counts in them.
fn described(scale_factor: f64, codec: &str, folder: &Path, system: &mut dyn System) -> Result<Data, Error> {
    let mut tables = Vec::new();
    for entry in read_dir(folder).map_err(|e| Error::io(folder, e))? {
        let path = entry.map_err(|e| Error::io(folder, e))?.path();
        let Some(name) = path.file_stem().filter(|_| path.extension().is_some_and(|e| e == "parquet")) else {
            continue;
        };
        let name = name.to_string_lossy().into_owned();
        let counted = system.query(&format!("SELECT count(*) AS n FROM {name}"), true)?.result;
        let rows = counted.and_then(|result| result.rows.first()?.first()?.as_ref()?.parse().ok());
        let uncounted =
            || Error::Malformed { path: path.clone(), reason: "its rows can't be counted".into() };
        let bytes = path.metadata().map_err(|e| Error::io(&path, e))?.len();
        tables.push((name, rows.ok_or_else(uncounted)?, bytes));
    }
    tables.sort();
    Ok(Data { benchmark: "Derived from TPC-DS,", scale_factor, codec: codec.to_owned(), tables })
}
