//! Part of a query that runs on the GPU, according to EXPLAIN.

use arrow::array::AsArray;

use super::host::{Answer, Sql};

/// Names of the accelerator, which its row of EXPLAIN goes by.
const DEVICES: [&str; 2] = ["cuda-host", "cuda"];

/// Part of a query that runs on the GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    Nothing,
    Part,
    /// The physical plan is one node, and the GPU runs it.
    Whole,
}

/// Returns the part of a query that runs on the GPU, and the output of EXPLAIN. `None`: it can't be
/// planned.
pub fn place(engine: &dyn Sql, sql: &str) -> Option<(Place, String)> {
    let answer = engine.answer(&format!("EXPLAIN {sql}")).ok()?;
    let (physical, report) = (row(&answer, &["physical_plan"])?, row(&answer, &DEVICES)?);
    let operators: Vec<&str> = physical.lines().filter(|line| !line.trim().is_empty()).collect();
    let is_node = operators.first().is_some_and(|line| line.trim_start().starts_with("AcceleratedExec"));
    let place = if report.starts_with("nothing of this plan") {
        Place::Nothing
    } else if is_node && operators.len() == 1 && !report.contains("on the CPU:") {
        Place::Whole
    } else {
        Place::Part
    };
    Some((place, format!("{physical}\n{report}")))
}

/// Returns the text of the first row of EXPLAIN that has one of these names.
fn row(answer: &Answer, wanted: &[&str]) -> Option<String> {
    answer.batches.iter().find_map(|batch| {
        let (kinds, texts) =
            (batch.column(0).as_string_opt::<i32>()?, batch.column(1).as_string_opt::<i32>()?);
        let row = kinds.iter().position(|found| found.is_some_and(|found| wanted.contains(&found)))?;
        Some(texts.value(row).to_owned())
    })
}
