//! The cases on the host build of the GPU's kernels, and the number of those that run there.

use std::cell::RefCell;

use arrow::array::RecordBatch;
use parquet::basic::Compression;
use pelton::Engine;
use pelton_device_cuda::under_test;
use pelton_tests::cases::{Case, Expected};

use super::configurations::Runner;
use super::fixtures;
use crate::gpu::{Place, Sql, place};
use crate::support::Scratch;

/// Minimum number of statements that run wholly on the GPU, so that a loss is noticed.
const MIN_WHOLE: usize = 210;

/// Returns the number of engines that share the cases. A real GPU has every kernel compiled, which
/// one thread does for one engine; the host build runs each engine's kernels on few threads.
pub fn workers() -> usize {
    if under_test::name() == "cuda" { 8 } else { 2 }
}

/// Writes the tables. The host build decompresses slowly, and `gpu::tpch` tests it with each codec:
/// the largest table, which most cases read, is not compressed there.
pub fn write(scratch: &Scratch) {
    fixtures::write(scratch);
    if under_test::name() != "cuda" {
        fixtures::write_numbers(scratch, Compression::UNCOMPRESSED);
    }
}

/// Cases that show plans of the CPU have another text where the GPU runs: then they show that it
/// does. Rows of VALUES stay on the CPU.
pub fn with_its_own_plan(case: Case) -> Case {
    match case.expected {
        Expected::Contains(_) if case.sql.starts_with("EXPLAIN ") && !case.sql.contains("(VALUES ") => Case {
            expected: Expected::Contains(vec![format!("AcceleratedExec: {}", under_test::name())]),
            ..case
        },
        _ => case,
    }
}

/// Counts of statements by the place where they ran.
#[derive(Debug, Default)]
pub struct Tally {
    whole: usize,
    part: usize,
    nothing: usize,
    /// Statements planned for the GPU that fell back.
    fell_back: Vec<String>,
}

impl Tally {
    /// Panics if less ran on the GPU than used to.
    pub fn check(&self) {
        println!("{self:#?}");
        assert!(self.whole >= MIN_WHOLE, "{self:#?}");
    }
}

/// An engine that counts.
pub struct OnGpu {
    engine: Engine,
    /// For plans of rows that the CPU would keep in order.
    any_order: Engine,
    tally: RefCell<Tally>,
}

impl OnGpu {
    pub fn new() -> Self {
        let engine = |any_order| {
            let devices = under_test::name().parse().expect("a choice of devices");
            let builder = Engine::builder().threads(2).devices(devices).any_order(any_order);
            builder.build().expect("an engine")
        };
        Self { engine: engine(false), any_order: engine(true), tally: RefCell::default() }
    }

    pub fn add_to(self, sum: &mut Tally) {
        let own = self.tally.into_inner();
        sum.whole += own.whole;
        sum.part += own.part;
        sum.nothing += own.nothing;
        sum.fell_back.extend(own.fell_back);
    }
}

impl Runner for OnGpu {
    fn register(&self, name: &str, location: &str) {
        for engine in [&self.engine, &self.any_order] {
            engine.register(name, location).unwrap_or_else(|e| panic!("{e}"));
        }
    }

    fn run(&self, sql: &str) -> Result<Vec<RecordBatch>, String> {
        let engine = if sql.starts_with("EXPLAIN ") { &self.any_order } else { &self.engine };
        let place = place(engine, sql).map(|(place, _)| place);
        let answer = engine.answer(sql)?;
        let mut tally = self.tally.borrow_mut();
        match place {
            Some(Place::Whole) if answer.notes.is_empty() => tally.whole += 1,
            Some(Place::Part) if answer.notes.is_empty() => tally.part += 1,
            Some(Place::Nothing) | None => tally.nothing += 1,
            Some(_) => tally.fell_back.push(format!("{sql}: {}", answer.notes.join("; "))),
        }
        Ok(answer.batches)
    }
}
