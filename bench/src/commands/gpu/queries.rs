//! The TPC-H queries on the GPU, from several places of the data, against DuckDB on the CPU.

use serde::Serialize;

use super::Options;
use pelton_tpch::Error;
use pelton_tpch::data::cache::Dataset;
use pelton_tpch::engine::contest::{Outcome, Task, contest};
use pelton_tpch::engine::protocol::{Identity, OnGpu, Scanned};
use pelton_tpch::engine::rival::{Contender, Rival};
use pelton_tpch::engine::system::{Local, LocalOptions, System};

/// Place of the data before a query runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// In files, which the system has in its memory after the first run.
    Files,
    /// Compressed pages in pinned memory of the host.
    Host,
    /// Columns in the GPU's memory.
    Gpu,
}

impl Place {
    /// In the order in which they are run.
    pub const ALL: [Place; 3] = [Place::Files, Place::Host, Place::Gpu];

    /// For tables.
    pub fn name(self) -> &'static str {
        match self {
            Place::Files => "files",
            Place::Host => "pinned host memory",
            Place::Gpu => "GPU memory",
        }
    }
}

/// All queries with the data in one place.
#[derive(Clone, Debug, Serialize)]
pub struct Phase {
    /// Place of the data.
    pub place: Place,
    /// The queries; none if the data could not be put there.
    pub queries: Vec<QueryFigures>,
    /// Why the data could not be put there.
    pub fault: Option<String>,
}

/// One query.
#[derive(Clone, Debug, Serialize)]
pub struct QueryFigures {
    /// 1 to 22.
    pub query: u8,
    /// Pelton's median, in milliseconds; none if it failed.
    pub ms: Option<f64>,
    /// DuckDB's.
    pub rival_ms: Option<f64>,
    /// Fault of either.
    pub fault: Option<String>,
    /// Part of it that the GPU ran.
    pub on_gpu: Option<OnGpu>,
}

impl Phase {
    /// Returns whether all was run, gave the right rows, and ran on the GPU.
    pub fn is_right(&self) -> bool {
        let is_right = |query: &QueryFigures| query.fault.is_none() && query.on_gpu == Some(OnGpu::All);
        self.fault.is_none() && self.queries.iter().all(is_right)
    }
}

/// Bytes that one query read when its data was in files.
#[derive(Clone, Copy, Debug)]
pub struct Read {
    pub query: u8,
    pub scanned: Scanned,
}

/// Receives the phases so far, the reads of the queries from files, and the engines.
pub type Report<'a> = dyn FnMut(&[Phase], &[Read], &[Identity]) -> Result<(), Error> + 'a;

/// Runs the queries from every place, and reports after each.
///
/// # Errors
/// The GPU or the rival can't be opened, a query fails before it is timed, or `report` fails.
pub fn run(
    options: &Options,
    dataset: &Dataset,
    scale_factor: f64,
    report: &mut Report<'_>,
) -> Result<(), Error> {
    let queries = options.chosen()?;
    let threads = options.threads();
    let local = LocalOptions { devices: Some(options.device.clone()), ..LocalOptions::threads(threads) };
    let mut system = Local::open(dataset, &local)?;
    if let [note, ..] = system.notes() {
        return Err(Error::Argument(note.clone()));
    }
    let mut read = Vec::with_capacity(queries.len());
    for query in &queries {
        let scanned = system.query(query.sql, false)?.scanned.unwrap_or_default();
        read.push(Read { query: query.number, scanned });
    }
    let tasks: Vec<Task> = queries
        .iter()
        .map(|query| Task {
            name: format!("Q{}", query.number),
            sql: query.sql.to_owned(),
            order_by: query.order_by,
            answer: query.answer(scale_factor),
            share: 0.0,
        })
        .collect();
    let mut systems: Vec<Box<dyn System>> = Vec::new();
    drop(system);
    if !options.no_rival {
        systems.push(Box::new(Rival::open(&Contender::DuckDb, &dataset.folder, threads)?));
    }
    let (mut phases, mut identities) = (Vec::new(), Vec::new());
    for at in Place::ALL {
        // opened anew, so that nothing of the place before is left
        let mut system = Local::open(dataset, &local)?;
        let fault = put(&mut system, dataset, at).err().map(|error| error.to_string());
        let outcomes = match fault {
            Some(_) => Vec::new(),
            None => {
                systems.insert(0, Box::new(system));
                let progress = |what| eprintln!("from {}: {what}", at.name());
                let outcomes = contest(&mut systems, &tasks, usize::from(options.runs), None, &progress);
                identities = systems.iter().map(|system| system.identity().clone()).collect();
                drop(systems.remove(0));
                outcomes
            }
        };
        let figures = queries.iter().zip(&outcomes);
        let queries = figures.map(|(query, outcomes)| figures_of(query.number, outcomes)).collect();
        phases.push(Phase { place: at, queries, fault });
        report(&phases, &read, &identities)?;
    }
    Ok(())
}

fn figures_of(query: u8, outcomes: &[Outcome]) -> QueryFigures {
    let median = |outcome: &Outcome| (!outcome.runs_ms.is_empty()).then(|| outcome.median_ms());
    let faults: Vec<String> = outcomes.iter().filter_map(|outcome| outcome.fault.clone()).collect();
    QueryFigures {
        query,
        ms: outcomes.first().and_then(median),
        rival_ms: outcomes.get(1).and_then(median),
        fault: (!faults.is_empty()).then(|| faults.join("; ")),
        on_gpu: outcomes.first().and_then(|outcome| outcome.on_gpu),
    }
}

/// Puts the tables into their place.
fn put(system: &mut Local, dataset: &Dataset, place: Place) -> Result<(), Error> {
    let place = match place {
        Place::Files => return Ok(()),
        Place::Host => "host",
        Place::Gpu => "gpu",
    };
    let mut names = dataset.files.iter().map(|file| file.table.name());
    names.try_for_each(|name| system.statement(&format!("CACHE TABLE {name} IN {place}")))
}
