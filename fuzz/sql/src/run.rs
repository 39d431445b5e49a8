//! Asks random questions for some time.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use pelton_tests::random::Random;

use crate::case::{Case, Kind, Verdict, class, first_line};
use crate::engines::{DUCKDB, Engines, OTHERS, USUAL};
use crate::generate::{Generated, generate};
use crate::shrink::shrink;
use crate::tables::{Table, tables};

/// Queries over one set of tables.
const QUERIES: u64 = 40;

/// What is asked, and how long.
#[derive(Debug, Clone)]
pub struct Options {
    /// When to stop.
    pub time: Duration,
    /// The first set of tables.
    pub seed: u64,
    /// Differences of as many shapes end the run.
    pub most: usize,
    /// Time to shrink one.
    pub shrinking: Duration,
    /// Where cases are saved.
    pub folder: PathBuf,
    /// Differences with one of these texts, or with one in their query, are counted and no more.
    pub skip: Vec<String>,
    /// The only configuration beside the usual one; all, if there is none.
    pub only: Option<String>,
}

/// What a run saw.
#[derive(Debug, Default)]
pub struct Report {
    /// Comparisons with DuckDB.
    pub queries: usize,
    /// Comparisons of Pelton with itself.
    pub configurations: usize,
    /// Queries whose rows were the same, and at least one.
    pub with_rows: usize,
    /// Differences that the options leave out.
    pub skipped: usize,
    /// Queries that both refuse.
    pub both_refuse: usize,
    /// Queries that Pelton alone refuses, by what it says.
    pub only_pelton: BTreeMap<String, (usize, String)>,
    /// Queries that DuckDB alone refuses, by what it says.
    pub only_duckdb: BTreeMap<String, (usize, String)>,
    /// Differences, shrunk.
    pub cases: Vec<PathBuf>,
}

/// Runs for the time of the options.
///
/// # Errors
/// Files can't be written, or an engine can't be started.
pub fn run(engines: &mut Engines, options: &Options) -> io::Result<Report> {
    let end = Instant::now() + options.time;
    let mut report = Report::default();
    let (mut shapes, mut messages) = (BTreeSet::new(), BTreeSet::new());
    let mut world = options.seed;
    'all: loop {
        let mut random = Random::new(world);
        let tables = tables(&mut random);
        for number in 0..QUERIES {
            if Instant::now() > end || report.cases.len() >= options.most {
                break 'all;
            }
            let seed = random.draw();
            let generated = generate(seed, &tables);
            let Some((case, kind)) = compare(engines, options, &mut report, &tables, &generated, seed)?
            else {
                continue;
            };
            if options.skip.iter().any(|text| case.difference.contains(text) || case.pelton.contains(text)) {
                report.skipped += 1;
                continue;
            }
            // a message that was seen has been shrunk
            if kind != Kind::Rows && !messages.insert(class(&case.difference)) {
                report.skipped += 1;
                continue;
            }
            println!("seed {world}, query {number}: {kind:?}: {}", first_line(&case.difference));
            if kind == Kind::Hang {
                println!("{}", case.pelton);
            }
            let (case, _) = shrink(engines, &case, &generated, kind, options.shrinking)?;
            if shapes.insert((kind as usize, case.signature())) {
                show(&case, kind);
                report.cases.push(case.save(&options.folder)?);
            }
        }
        world += 1;
    }
    Ok(report)
}

/// Asks DuckDB and Pelton, and Pelton in another configuration; the first that differs.
fn compare(
    engines: &mut Engines,
    options: &Options,
    report: &mut Report,
    tables: &[Table],
    generated: &Generated,
    seed: u64,
) -> io::Result<Option<(Case, Kind)>> {
    let case = Case::new(tables, generated, USUAL, DUCKDB);
    report.queries += 1;
    match case.ask(engines)? {
        Verdict::Same(rows) => report.with_rows += usize::from(rows > 0),
        Verdict::BothRefuse => report.both_refuse += 1,
        Verdict::OnlyAsked(message) => count(&mut report.only_pelton, &message, &case.pelton),
        Verdict::OnlyReference(message) => count(&mut report.only_duckdb, &message, &case.duckdb),
        Verdict::Different(kind, difference) => return Ok(Some((Case { difference, ..case }, kind))),
    }
    let configuration = match &options.only {
        Some(only) => only.as_str(),
        None => other(&mut Random::new(seed)),
    };
    let case = Case { configuration: configuration.to_owned(), reference: USUAL.to_owned(), ..case };
    report.configurations += 1;
    Ok(match case.ask(engines)? {
        Verdict::Different(kind, difference) => Some((Case { difference, ..case }, kind)),
        _ => None,
    })
}

/// A configuration, by its weight.
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

/// Prints a difference.
pub fn show(case: &Case, kind: Kind) {
    println!("---- {kind:?}, {} against {}", case.configuration, case.reference);
    for table in &case.tables {
        print!("{table}");
    }
    println!("{}", case.pelton);
    if case.duckdb != case.pelton {
        println!("in DuckDB's words: {}", case.duckdb);
    }
    println!("gives {}\n", case.difference);
}

impl Report {
    /// Prints what was seen.
    pub fn print(&self, examples: bool) {
        let Report { queries, configurations, with_rows, both_refuse, .. } = self;
        let refused =
            |classes: &BTreeMap<String, (usize, String)>| classes.values().map(|(n, _)| n).sum::<usize>();
        let (pelton, duckdb) = (refused(&self.only_pelton), refused(&self.only_duckdb));
        println!(
            "{queries} queries, {with_rows} with rows, and {configurations} in other configurations; refused by both \
             {both_refuse}, by Pelton alone {pelton}, by DuckDB alone {duckdb}; {} differences, {} left out",
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
