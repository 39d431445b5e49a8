//! `pelton-fuzz-sql`: random queries over random files, asked of Pelton and of DuckDB.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread::available_parallelism;
use std::time::Duration;

use clap::Parser;
use pelton_fuzz_sql::case::{Case, Verdict};
use pelton_fuzz_sql::engines::{Engines, Programs};
use pelton_fuzz_sql::run::{Options, run, show};

/// Asks Pelton and DuckDB random queries over random Parquet files, and shrinks the queries with
/// different answers.
#[derive(Parser)]
struct Arguments {
    /// Time to ask for, in seconds.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Start of the sequence of tables and queries.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Stop at this number of differences.
    #[arg(long, default_value_t = 20)]
    most: usize,
    /// Threads that ask, each with engines of its own; one a core, if it is not given.
    #[arg(long)]
    workers: Option<usize>,
    /// Time to shrink a difference, in seconds.
    #[arg(long, default_value_t = 30)]
    shrinking: u64,
    /// Ask one saved case again.
    #[arg(long)]
    case: Option<PathBuf>,
    /// The only other configuration than the usual one, such as "device=cpu threads=4".
    #[arg(long)]
    only: Option<String>,
    /// Only count differences that have this text in their query or description.
    #[arg(long)]
    skip: Vec<String>,
    /// Print refused queries by message.
    #[arg(long)]
    refusals: bool,
    /// Python with DuckDB and pyarrow; that of the repository's virtual environment, if it is not
    /// given.
    #[arg(long)]
    python: Option<PathBuf>,
}

fn main() -> ExitCode {
    match ask(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}

/// Returns whether nothing differs.
fn ask(arguments: &Arguments) -> io::Result<bool> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = arguments.python.clone().unwrap_or_else(|| folder.join("../../.venv/bin/python"));
    let pelton = std::env::current_exe()?.with_file_name("pelton-fuzz-sql-engine");
    let programs = Programs { pelton, python };
    if let Some(path) = &arguments.case {
        let case = Case::open(path)?;
        let verdict = case.ask(&mut Engines::new(programs)?)?;
        if let Verdict::Different(kind, difference) = verdict {
            show(&Case { difference, ..case }, kind);
            return Ok(false);
        }
        println!("{verdict:?}");
        return Ok(true);
    }
    let options = Options {
        time: Duration::from_secs(arguments.seconds),
        seed: arguments.seed,
        most: arguments.most,
        workers: arguments.workers.unwrap_or_else(|| available_parallelism().map_or(1, usize::from)),
        shrinking: Duration::from_secs(arguments.shrinking),
        folder: folder.join("cases"),
        skip: arguments.skip.clone(),
        only: arguments.only.clone(),
    };
    let report = run(&programs, &options)?;
    report.print(arguments.refusals);
    report.cases.iter().for_each(|path| println!("saved {}", path.display()));
    Ok(report.cases.is_empty())
}
