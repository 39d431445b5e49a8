//! Random queries over random tables: the GPU's plans against the CPU's, in one engine each.

mod expression;
mod query;
mod same;
mod tables;

use pelton::Engine;
use pelton_device_cuda::under_test;
pub use query::Generated;
use query::generate;
pub use same::same;

use super::host::Sql;
use super::place::{Place, place};
use crate::support::Scratch;

/// First seed and number of queries of a usual run. Each new query takes half a second of g++.
const FIRST: u64 = 1;
const COUNT: u64 = 80;

/// Queries of the run in which groups and join tables are spilled.
const IN_PASSES: u64 = 25;

/// Queries of the usual run that are wholly on the GPU at least.
const MIN_WHOLE: usize = 65;

/// Another range, `FIRST+COUNT`, for long runs by hand.
const RANGE_VARIABLE: &str = "PELTON_RANDOM_QUERIES";

fn range() -> (u64, u64) {
    let Ok(text) = std::env::var(RANGE_VARIABLE) else { return (FIRST, COUNT) };
    let (first, count) = text.split_once('+').expect("FIRST+COUNT");
    (first.parse().expect("a number"), count.parse().expect("a number"))
}

fn engine(device: &str, tables: &[(&'static str, String)]) -> Engine {
    let devices = device.parse().expect("a choice of devices");
    let engine = Engine::builder().threads(2).devices(devices).build().expect("an engine");
    tables.iter().for_each(|(name, path)| engine.register(name, path).expect("a good file"));
    engine
}

/// Outcome of a query.
struct Outcome {
    place: Place,
    /// The reasons for which the GPU could not run its planned part.
    notes: Vec<String>,
    wrong: Option<String>,
}

fn run(gpu: &Engine, cpu: &Engine, query: &Generated) -> Outcome {
    let (place, plan) = place(gpu, &query.sql).unwrap_or((Place::Nothing, String::new()));
    let (found, expected) = (gpu.answer(&query.sql), cpu.answer(&query.sql));
    let notes = found.as_ref().map(|answer| answer.notes.clone()).unwrap_or_default();
    let wrong = match (&found, &expected) {
        (Ok(found), Ok(expected)) => same(&found.batches, &expected.batches, query).err(),
        (Err(found), Ok(_)) => Some(format!("only the GPU fails: {found}")),
        // it may compute values that the GPU never reaches; and some of DataFusion's own plans fail
        (Ok(_), Err(expected)) => {
            println!("only the CPU fails: {}\n{expected}\n", query.sql);
            None
        }
        // which of several values is named depends on which was met first
        (Err(_), Err(_)) => None,
    };
    // the GPU may only stop for the query's own reason: a value that does not fit, a division by
    // zero
    let ours = notes.iter().find(|note| note.contains("bug in Pelton") || note.contains("internal error"));
    let wrong = wrong.or_else(|| ours.cloned());
    let wrong = wrong.map(|what| format!("{what}\nnotes: {notes:?}\n{plan}"));
    Outcome { place, notes, wrong }
}

/// Runs `count` queries from seed `first` on a device, and returns how many were wholly on it.
fn compare(device: &str, (first, count): (u64, u64)) -> usize {
    let scratch = Scratch::new();
    let tables = tables::write(&scratch);
    let (gpu, cpu) = (engine(device, &tables), engine("cpu", &tables));
    let (mut wrong, mut whole, mut part, mut failed) = (Vec::new(), 0, 0, Vec::new());
    for seed in first..first + count {
        let query = generate(seed);
        let outcome = run(&gpu, &cpu, &query);
        match outcome.place {
            Place::Whole => whole += 1,
            Place::Part => part += 1,
            Place::Nothing => {}
        }
        failed.extend(outcome.notes.iter().map(|note| format!("seed {seed}: {note}")));
        if let Some(what) = outcome.wrong {
            println!("seed {seed}: {}\n{what}\n", query.sql);
            wrong.push(seed);
        }
    }
    println!(
        "{count} queries from seed {first}: {whole} wholly on the GPU, {part} in part\n{}",
        failed.join("\n")
    );
    assert!(wrong.is_empty(), "{} of {count} queries are wrong, seeds {wrong:?}", wrong.len());
    whole
}

#[test]
fn random_queries_have_the_rows_of_the_cpu() {
    let (first, count) = range();
    let whole = compare(under_test::name(), (first, count));
    assert!(count != COUNT || whole >= MIN_WHOLE, "only {whole} of {count} queries are wholly on the GPU");
}

/// Groups and join tables are spilled, and processed in passes.
#[test]
fn random_queries_in_passes_have_the_rows_of_the_cpu() {
    let (first, count) = range();
    compare("cuda-host:passes=4", (first, count.min(IN_PASSES)));
}
