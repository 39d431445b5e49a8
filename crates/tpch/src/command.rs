//! `pelton tpch`: makes the data if need be, runs the queries, checks every answer, prints a table.

use std::io::Write;
use std::path::PathBuf;

use pelton::DeviceChoice;

use crate::Error;
use crate::data::cache::{Dataset, ensure};
use crate::data::codec::Codec;
use crate::data::write::Progress;
use crate::engine::protocol::Scanned;
use crate::engine::rival::{Contender, Rival};
use crate::engine::system::{Local, LocalOptions, System};
use crate::queries::Query;
use crate::run::{QueryRun, Verdict, run_query};
use pelton_report::numbers::{megabytes, ms};
use pelton_report::table::Columns;

/// Options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The scale factor; answers are kept for 1 and 0.01.
    pub scale_factor: f64,
    /// The data's codec.
    pub codec: Codec,
    /// The queries, in the order in which to run them: see [`choose`](crate::queries::choose).
    pub queries: Vec<&'static Query>,
    /// Number of threads that generate data and run queries.
    pub threads: usize,
    /// The folder that data sets are kept in: see
    /// [`default_cache_folder`](crate::data::cache::default_cache_folder).
    pub cache: PathBuf,
    /// Devices that decompress; their counters are printed after the queries. If none are named,
    /// the engine's default.
    pub devices: Option<DeviceChoice>,
    /// File for a page that shows the work of each query over time.
    pub profile: Option<PathBuf>,
    /// Another engine to run the same queries on, with the same threads, and to compare results
    /// with.
    pub compare: Option<Contender>,
}

impl Options {
    /// Returns whether parts of queries are to run on a GPU.
    fn has_gpu(&self) -> bool {
        self.devices.as_ref().is_some_and(|choice| choice.wanted().iter().any(|wanted| wanted.is_gpu()))
    }
}

/// Exit code of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitVerdict {
    /// No answer was wrong.
    Passed,
    /// A query failed, or its answer was wrong.
    Failed,
}

/// Runs it, printing on `out`; `progress` is called while data is generated.
pub fn run(
    options: &Options,
    out: &mut dyn Write,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<ExitVerdict, Error> {
    if options.compare == Some(Contender::Pelton) {
        return Err(Error::Argument("compare with datafusion or duckdb: Pelton runs in any case".into()));
    }
    let dataset = ensure(&options.cache, options.scale_factor, options.codec, options.threads, progress)?;
    let local = LocalOptions {
        devices: options.devices.clone(),
        profile: options.profile.is_some(),
        ..LocalOptions::threads(options.threads)
    };
    let mut system = Local::open(&dataset, &local)?;
    let mut rival = options
        .compare
        .as_ref()
        .map(|contender| Rival::open(contender, &dataset.folder, options.threads))
        .transpose()?;
    let print = |out: &mut dyn Write, line: String| writeln!(out, "{line}").map_err(Error::output);

    print(out, title(options, &dataset))?;
    for note in system.notes() {
        print(out, note.clone())?;
    }
    let rival_name = rival.as_ref().map(|rival| rival.identity().name.clone());
    let columns = columns(rival_name.as_deref(), options.has_gpu());
    print(out, columns.header())?;
    let mut runs = Vec::with_capacity(options.queries.len());
    for query in &options.queries {
        let rival = rival.as_mut().map(|rival| rival as &mut dyn System);
        let run = run_query(&mut system, rival, query, options.scale_factor)?;
        print(
            out,
            columns.line(&cells(&run.query.to_string(), &run, run.verdict.to_string(), options.has_gpu())),
        )?;
        runs.push(run);
    }
    print(out, columns.line(&cells("total", &total(&runs), summary(&runs), options.has_gpu())))?;
    if options.devices.is_some() {
        print(out, format!("\n{}", system.counters()))?;
        for line in system.modelled_times() {
            print(out, line)?;
        }
    }
    if let Some(path) = &options.profile {
        let mut profiles = system.take_profiles();
        // a query that failed has none
        for profile in &mut profiles {
            if let Some(query) = options.queries.iter().find(|query| query.sql == profile.query) {
                profile.title = format!("Q{}", query.number);
            }
        }
        let page = pelton::profile::page(&title(options, &dataset), &profiles);
        std::fs::write(path, page).map_err(|error| Error::io(path, error))?;
    }
    let failed = runs.iter().any(|run| run.verdict.is_bad());
    Ok(if failed { ExitVerdict::Failed } else { ExitVerdict::Passed })
}

fn title(options: &Options, dataset: &Dataset) -> String {
    let bytes: u64 = dataset.files.iter().map(|file| file.bytes).sum();
    format!(
        "TPC-H scale factor {}, {} Parquet, {} MB in {}, {} threads",
        options.scale_factor,
        options.codec,
        megabytes(bytes),
        dataset.folder.display(),
        options.threads
    )
}

/// Numbers of a run at scale factor 100 fit this width.
const WIDTH: usize = 8;

fn columns(rival: Option<&str>, has_gpu: bool) -> Columns {
    let mut titles: Vec<String> =
        ["query", "rows", "ms", "MB read", "MB decompressed"].map(Into::into).to_vec();
    titles.extend(rival.map(|name| format!("{name} ms")));
    titles.extend(has_gpu.then(|| "on the GPU".into()));
    titles.push("verdict".into());
    Columns::new(titles, WIDTH)
}

fn cells(name: &str, run: &QueryRun, verdict: String, has_gpu: bool) -> Vec<String> {
    let mut cells = vec![
        name.to_owned(),
        run.rows.to_string(),
        ms(run.ms),
        megabytes(run.scanned.bytes_read),
        megabytes(run.scanned.bytes_decompressed),
    ];
    cells.extend(run.rival_ms.map(ms));
    cells.extend(has_gpu.then(|| run.scanned.on_gpu.map_or_else(String::new, |part| part.to_string())));
    cells.push(verdict);
    cells
}

fn total(runs: &[QueryRun]) -> QueryRun {
    QueryRun {
        query: 0,
        rows: runs.iter().map(|run| run.rows).sum(),
        ms: runs.iter().map(|run| run.ms).sum(),
        scanned: Scanned {
            bytes_read: runs.iter().map(|run| run.scanned.bytes_read).sum(),
            bytes_decompressed: runs.iter().map(|run| run.scanned.bytes_decompressed).sum(),
            ..Scanned::default()
        },
        rival_ms: runs.iter().map(|run| run.rival_ms).sum(),
        verdict: Verdict::Unchecked,
    }
}

fn summary(runs: &[QueryRun]) -> String {
    let count = |test: fn(&Verdict) -> bool| runs.iter().filter(|run| test(&run.verdict)).count();
    let mut words = Vec::new();
    for (number, what) in [
        (count(|v| matches!(v, Verdict::Right)), "right"),
        (count(|v| matches!(v, Verdict::Agrees(_))), "agreeing"),
        (count(|v| matches!(v, Verdict::Unchecked)), "unchecked"),
        (count(Verdict::is_bad), "WRONG"),
    ] {
        if number > 0 {
            words.push(format!("{number} {what}"));
        }
    }
    words.join(", ")
}

#[cfg(test)]
mod tests;
