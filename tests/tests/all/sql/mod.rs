//! The cases under `tests/sql`, each under every configuration.

mod configurations;
mod fixtures;
mod on_gpu;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use arrow::array::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};
pub use configurations::{Configuration, Runner};
use on_gpu::OnGpu;
use pelton_device_cuda::under_test;
use pelton_tests::cases::{Case, Expected, read};
use pelton_tests::python::repository;

use crate::support::Scratch;

fn files() -> Vec<PathBuf> {
    let folder = repository().join("tests/sql");
    let entries = std::fs::read_dir(&folder).expect("the folder is in the repository");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "slt"));
    files.sort();
    assert!(files.len() >= 10, "{files:?}");
    files
}

/// Values as the files have them.
fn text(batches: &[RecordBatch]) -> Vec<Vec<String>> {
    let options = FormatOptions::default().with_null("NULL");
    let of_batch = |batch: &RecordBatch| {
        let columns = batch.columns().iter();
        let columns: Vec<_> =
            columns.map(|c| ArrayFormatter::try_new(c, &options).expect("values can be shown")).collect();
        let value = |formatter: &ArrayFormatter<'_>, row| match formatter.value(row).to_string() {
            text if text.is_empty() => "(empty)".to_owned(),
            text => text,
        };
        (0..batch.num_rows())
            .map(|row| columns.iter().map(|c| value(c, row)).collect())
            .collect::<Vec<Vec<_>>>()
    };
    batches.iter().flat_map(of_batch).collect()
}

/// Names of Arrow's, DataFusion's and Rust's that no error has.
const FOREIGN: [&str; 24] = [
    "Utf8",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "Float32",
    "Float64",
    "Decimal128",
    "Date32",
    "Time64",
    "Timestamp(",
    "Interval(",
    "MonthDayNano",
    "List(",
    "Struct(",
    "Map(",
    "Dictionary(",
    "BinaryView",
    "DataFusion",
    "Execution error",
    "Parser error",
    "Cast error",
    "Some(",
    "Value {",
];

/// Checks that an error has SQL's words alone.
fn check_words(message: &str) -> Result<(), String> {
    match FOREIGN.iter().find(|name| message.contains(**name)) {
        Some(name) => Err(format!("{name} is no word of SQL:\n{message}")),
        None => Ok(()),
    }
}

/// Checks a case; the error describes the difference.
fn check(case: &Case, folder: &str, runner: &dyn Runner) -> Result<(), String> {
    let outcome = runner.run(&case.sql.replace("{dir}", folder));
    let joined = |rows: &[Vec<String>]| rows.iter().map(|row| row.join(" | ")).collect::<Vec<_>>().join("\n");
    match (&case.expected, outcome) {
        (Expected::Error(words), Err(message)) => {
            crate::support::check_message(&message);
            check_words(&message)?;
            let message = message.replace(folder, "{dir}");
            if message.contains(words.as_str()) { Ok(()) } else { Err(format!("the error is:\n{message}")) }
        }
        (Expected::Error(_), Ok(rows)) => Err(format!("no error, but rows:\n{}", joined(&text(&rows)))),
        (_, Err(message)) => Err(format!("the error is:\n{message}")),
        (Expected::Rows { sorted, rows }, Ok(found)) => {
            let (mut found, mut rows) = (text(&found), rows.clone());
            if *sorted {
                found.sort();
                rows.sort();
            }
            if found == rows { Ok(()) } else { Err(format!("the rows are:\n{}", joined(&found))) }
        }
        (Expected::Contains(words), Ok(found)) => {
            let all = joined(&text(&found)).replace(folder, "{dir}");
            match words.iter().find(|word| !all.contains(word.as_str())) {
                Some(word) => Err(format!("no {word:?} in:\n{all}")),
                None => Ok(()),
            }
        }
    }
}

/// Runs the cases for which `chosen` says so.
fn run(configuration: Configuration, chosen: impl Fn(&Case) -> bool) {
    let chosen = |case: Case| chosen(&case).then_some(case);
    run_with(configuration.runner().as_ref(), &format!("{configuration:?}"), chosen);
}

/// Runs the cases that `chosen` returns.
fn run_with(runner: &dyn Runner, configuration: &str, chosen: impl Fn(Case) -> Option<Case>) {
    run_files(runner, configuration, &Mutex::new(files()), fixtures::write, chosen);
}

/// Runs the cases that `chosen` returns, taking one file after the other from `files`. `write`
/// makes the tables.
fn run_files(
    runner: &dyn Runner,
    configuration: &str,
    files: &Mutex<Vec<PathBuf>>,
    write: fn(&Scratch),
    chosen: impl Fn(Case) -> Option<Case>,
) {
    let scratch = Scratch::new();
    write(&scratch);
    let folder = scratch.name("");
    let folder = folder.trim_end_matches('/');
    for table in fixtures::TABLES {
        runner.register(table, &format!("{folder}/{table}.parquet"));
    }
    let (mut failures, mut count) = (Vec::new(), 0);
    let next = || files.lock().expect("no panic while it is held").pop();
    while let Some(file) = next() {
        let name = file.file_name().map(Path::new).unwrap_or(&file).display();
        let start = Instant::now();
        for case in read(&file).into_iter().filter_map(&chosen) {
            count += 1;
            if let Err(what) = check(&case, folder, runner) {
                failures.push(format!("{name}:{}: {}\n{what}\n", case.line, case.sql));
            }
        }
        println!("{name}, {configuration}: {} ms", start.elapsed().as_millis());
    }
    assert!(
        failures.is_empty(),
        "{} of {count} cases, {configuration}:\n\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn with_one_thread() {
    run(Configuration::OneThread, |_| true);
}

#[test]
fn with_four_threads() {
    run(Configuration::FourThreads, |_| true);
}

#[test]
fn with_little_memory() {
    run(Configuration::LittleMemory, |_| true);
}

#[test]
fn with_batches_of_a_hundred_rows() {
    run(Configuration::Batches(100), |_| true);
}

/// Not of the largest table, which takes minutes: DataFusion's sorts and windows weigh all batches
/// that they hold for each one that comes.
#[test]
fn with_batches_of_three_rows() {
    run(Configuration::Batches(3), |case| !case.sql.contains("numbers"));
}

#[test]
fn with_checksums() {
    run(Configuration::Checksums, |_| true);
}

#[test]
fn with_conditions_on_decoded_rows_only() {
    run(Configuration::DecodeFirst, |_| true);
}

/// Unsupported parts run on the CPU, and all cases have the same rows.
#[test]
fn with_a_gpu() {
    let (files, tally) = (Mutex::new(files()), Mutex::new(on_gpu::Tally::default()));
    let work = || {
        let runner = OnGpu::new();
        let chosen = |case| Some(on_gpu::with_its_own_plan(case));
        run_files(&runner, under_test::name(), &files, on_gpu::write, chosen);
        runner.add_to(&mut tally.lock().expect("no panic while it is held"));
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..on_gpu::workers()).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
    tally.into_inner().expect("no panic while it was held").check();
}

/// The limit is one that a sort of the largest table does not fit in: it has to use the disk, and
/// give the same rows.
#[test]
fn little_memory_makes_sorts_spill() {
    let scratch = Scratch::new();
    fixtures::write(&scratch);
    let runner = Configuration::LittleMemory.runner();
    runner.register("numbers", &scratch.name("numbers.parquet"));
    let plan = runner
        .run("EXPLAIN ANALYZE SELECT n, m, s, repeat(s, 3) AS long FROM numbers ORDER BY m, n")
        .expect("a sort that may spill");
    let plan = text(&plan).concat().concat();
    let spills = plan
        .split("spill_count=")
        .skip(1)
        .map(|rest| rest.chars().take_while(char::is_ascii_digit).collect());
    let spills: Vec<String> = spills.collect();
    assert!(spills.iter().any(|count| count != "0"), "{plan}");
    // less than the smallest row group can be read in is an error of one line
    let engine = pelton::Engine::builder().threads(2).memory_limit(100_000).build().expect("an engine");
    engine.register("numbers", &scratch.name("numbers.parquet")).expect("a good file");
    let message =
        engine.sql("SELECT n, m, s FROM numbers ORDER BY m, n").expect_err("it does not fit").to_string();
    crate::support::check_message(&message);
    assert!(message.starts_with("out of memory within the limit that was set: "), "{message}");
}
