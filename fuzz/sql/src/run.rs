//! Asks random questions for some time.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pelton_random::Random;

use crate::case::{Case, Kind, Verdict, class, first_line};
use crate::engines::{DUCKDB, Engines, OTHERS, Programs, USUAL};
use crate::generate::{Generated, generate};
use crate::shrink::shrink;
use crate::tables::{Table, tables};

/// Queries over one set of tables.
const QUERIES: u64 = 60;

/// Number of further configurations that answer queries about one set of tables.
const CONFIGURATIONS: usize = 4;

/// Rows of a table above which a query may take too long.
const LARGE: usize = 1_000;

/// Questions to ask, and duration.
#[derive(Debug, Clone)]
pub struct Options {
    /// When to stop.
    pub time: Duration,
    /// The first set of tables.
    pub seed: u64,
    /// Number of differently shaped differences that ends the run.
    pub most: usize,
    /// Threads, each with engines of its own.
    pub workers: usize,
    /// Time to shrink one.
    pub shrinking: Duration,
    /// Folder of saved cases.
    pub folder: PathBuf,
    /// Differences with one of these texts, or with one in their query, are counted and no more.
    pub skip: Vec<String>,
    /// The only further configuration; all, if there is none.
    pub only: Option<String>,
}

/// Counts of a run.
#[derive(Debug, Default)]
pub struct Report {
    /// Comparisons with DuckDB.
    pub queries: usize,
    /// Comparisons of Pelton with itself.
    pub configurations: usize,
    /// Queries with the same rows, and at least one.
    pub with_rows: usize,
    /// Differences that the options leave out.
    pub skipped: usize,
    /// Queries with too many rows to compare, or too long in batches of three.
    pub too_large: usize,
    /// Queries that both refuse.
    pub both_refuse: usize,
    /// Queries that only Pelton refuses, by message.
    pub only_pelton: BTreeMap<String, (usize, String)>,
    /// Queries that only DuckDB refuses, by message.
    pub only_duckdb: BTreeMap<String, (usize, String)>,
    /// Differences, shrunk.
    pub cases: Vec<PathBuf>,
}

/// Runs for the time of the options.
///
/// # Errors
/// Files can't be written, or an engine can't be started.
pub fn run(programs: &Programs, options: &Options) -> io::Result<Report> {
    let run = Run {
        options,
        end: Instant::now() + options.time,
        world: AtomicU64::new(options.seed),
        seen: Mutex::default(),
    };
    std::thread::scope(|scope| {
        let work = || run.work(&mut Engines::new(programs.clone())?);
        let workers: Vec<_> = (0..options.workers.max(1)).map(|_| scope.spawn(work)).collect();
        let failed = || io::Error::other("a thread of the machine panicked");
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| failed())?)
    })?;
    Ok(run.seen.into_inner().unwrap_or_else(PoisonError::into_inner).report)
}

/// A run, which its threads share.
struct Run<'a> {
    options: &'a Options,
    end: Instant,
    /// The next set of tables.
    world: AtomicU64,
    seen: Mutex<Seen>,
}

/// Results of all threads.
#[derive(Default)]
struct Seen {
    report: Report,
    /// Shapes of differences that were shown.
    shapes: BTreeSet<(usize, String)>,
    /// Messages that were shrunk.
    messages: BTreeSet<String>,
}

impl Run<'_> {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks about one set of tables after another.
    fn work(&self, engines: &mut Engines) -> io::Result<()> {
        loop {
            let world = self.world.fetch_add(1, Ordering::Relaxed);
            let mut random = Random::new(world);
            let tables = Arc::new(tables(&mut random));
            // each configuration opens the tables anew
            let others: Vec<_> = (0..CONFIGURATIONS).map(|_| other(&mut random)).collect();
            for number in 0..QUERIES {
                if Instant::now() > self.end || self.seen().report.cases.len() >= self.options.most {
                    return Ok(());
                }
                let seed = random.next();
                let generated = generate(seed, &tables);
                let other: &str = random.pick::<&str>(&others);
                let configuration = self.options.only.as_deref().unwrap_or(other);
                if let Some((case, kind)) = self.compare(engines, &tables, &generated, configuration)? {
                    self.found(engines, &case, &generated, kind, (world, number))?;
                }
            }
        }
    }

    /// Shrinks a difference, unless one like it is known.
    fn found(
        &self,
        engines: &mut Engines,
        case: &Case,
        generated: &Generated,
        kind: Kind,
        place: (u64, u64),
    ) -> io::Result<()> {
        let known = |case: &Case| {
            self.options.skip.iter().any(|text| case.difference.contains(text) || case.pelton.contains(text))
        };
        // a message that was seen has been shrunk
        if known(case) || kind != Kind::Rows && !self.seen().messages.insert(class(&case.difference)) {
            self.seen().report.skipped += 1;
            return Ok(());
        }
        println!("seed {}, query {}: {kind:?}: {}", place.0, place.1, first_line(&case.difference));
        if kind == Kind::Hang {
            println!("{}", case.pelton);
        }
        let (case, _) = shrink(engines, case, generated, kind, self.options.shrinking)?;
        if self.seen().shapes.insert((kind as usize, case.signature())) {
            show(&case, kind);
            let path = case.save(&self.options.folder)?;
            self.seen().report.cases.push(path);
        }
        Ok(())
    }

    /// Asks DuckDB and Pelton, and Pelton in another configuration; the first that differs.
    fn compare(
        &self,
        engines: &mut Engines,
        tables: &Arc<Vec<Table>>,
        generated: &Generated,
        configuration: &str,
    ) -> io::Result<Option<(Case, Kind)>> {
        let case = Case::new(tables, generated, USUAL, DUCKDB);
        let (right, usual) = (case.put_to(engines, DUCKDB)?, case.put_to(engines, USUAL)?);
        let verdict = case.verdict(engines, usual.clone(), right)?;
        let mut seen = self.seen();
        let report = &mut seen.report;
        report.queries += 1;
        match verdict {
            Verdict::Same(rows) => report.with_rows += usize::from(rows > 0),
            Verdict::BothRefuse => report.both_refuse += 1,
            Verdict::TooLarge => report.too_large += 1,
            Verdict::OnlyAsked(message) => count(&mut report.only_pelton, &message, &case.pelton),
            Verdict::OnlyReference(message) => count(&mut report.only_duckdb, &message, &case.duckdb),
            // subqueries that compare by inequality ask about all pairs of rows
            Verdict::Different(Kind::Hang, _) if tables.iter().any(|table| table.rows() > LARGE) => {
                report.too_large += 1;
                return Ok(None);
            }
            Verdict::Different(kind, difference) => return Ok(Some((Case { difference, ..case }, kind))),
        }
        report.configurations += 1;
        drop(seen);
        let (configuration, reference) = (configuration.to_owned(), USUAL.to_owned());
        let case = Case { configuration, reference, ..case };
        let found = case.put_to(engines, &case.configuration)?;
        Ok(match case.judge(found, usual) {
            // windows take about a millisecond for each batch
            Verdict::Different(Kind::Hang, _) if case.configuration.starts_with("batch=") => {
                self.seen().report.too_large += 1;
                None
            }
            Verdict::Different(kind, difference) => Some((Case { difference, ..case }, kind)),
            _ => None,
        })
    }
}

/// Returns a configuration, by its weight.
fn other(random: &mut Random) -> &'static str {
    let all: usize = OTHERS.iter().map(|(_, weight)| weight).sum();
    let mut at = random.below(all);
    for (configuration, weight) in OTHERS {
        if at < weight {
            return configuration;
        }
        at -= weight;
    }
    USUAL
}

/// Counts a message, and keeps the shortest query.
fn count(classes: &mut BTreeMap<String, (usize, String)>, message: &str, sql: &str) {
    let class = class(message);
    let entry = classes.entry(class).or_insert_with(|| (0, format!("{message}\n      {sql}")));
    entry.0 += 1;
    if sql.len() < entry.1.len().saturating_sub(message.len() + 7) {
        entry.1 = format!("{message}\n      {sql}");
    }
}

/// Prints a difference, in one piece.
pub fn show(case: &Case, kind: Kind) {
    let mut out = format!("---- {kind:?}, {} against {}\n", case.configuration, case.reference);
    out.extend(case.tables.iter().map(Table::to_string));
    out.push_str(&case.pelton);
    if case.duckdb != case.pelton {
        out.push_str(&format!("\nin DuckDB's words: {}", case.duckdb));
    }
    println!("{out}\ngives {}\n", case.difference);
}

impl Report {
    /// Prints the counts.
    pub fn print(&self, examples: bool) {
        let Report { queries, configurations, with_rows, too_large, both_refuse, .. } = self;
        let refused =
            |classes: &BTreeMap<String, (usize, String)>| classes.values().map(|(n, _)| n).sum::<usize>();
        let (pelton, duckdb) = (refused(&self.only_pelton), refused(&self.only_duckdb));
        println!(
            "{queries} queries, {with_rows} with rows, {too_large} with too many, and {configurations} in other \
             configurations; refused by both {both_refuse}, by Pelton alone {pelton}, by DuckDB alone {duckdb}; \
             {} differences, {} left out",
            self.cases.len(),
            self.skipped
        );
        if examples {
            for (who, classes) in [("Pelton", &self.only_pelton), ("DuckDB", &self.only_duckdb)] {
                let mut classes: Vec<_> = classes.iter().collect();
                classes.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
                println!("refused by {who} alone:");
                for (_, (count, example)) in classes.iter().take(40) {
                    println!("  {count:>5} {example}");
                }
            }
        }
    }
}
