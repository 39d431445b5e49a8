//! Contest of several engines, which run the same queries in turn and must return the same rows.

use crate::Error;
use crate::check::check_within;
use crate::engine::protocol::{Answered, OnGpu};
use crate::engine::result::ResultSet;
use crate::engine::system::System;
use pelton_report::numbers::median;

/// A query of a contest.
pub struct Task {
    /// Name, such as `Q1`.
    pub name: String,
    /// Its text.
    pub sql: String,
    /// The columns of the result that ORDER BY names, counted from 0.
    pub order_by: &'static [usize],
    /// Expected result, where it is known.
    pub answer: Option<ResultSet>,
    /// Share of a value by which a double and a decimal may differ, as in [`check_within`].
    pub share: f64,
}

/// Outcome of one task on one engine.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Milliseconds of each counted run.
    pub runs_ms: Vec<f64>,
    /// Milliseconds of planning in each counted run, if the engine says so.
    pub planned_ms: Vec<f64>,
    /// Why it does not count: it failed, or its rows are not the right ones.
    pub fault: Option<String>,
    /// Part of the counted runs that a GPU ran, if the engine has one: that of the first run which
    /// did not stay on it, else of all.
    pub on_gpu: Option<OnGpu>,
}

impl Outcome {
    fn count(&mut self, answered: &Answered) {
        self.runs_ms.push(answered.ms);
        self.planned_ms.extend(answered.planned_ms);
        if matches!(self.on_gpu, None | Some(OnGpu::All)) {
            self.on_gpu = answered.scanned.as_ref().and_then(|scanned| scanned.on_gpu);
        }
    }

    /// Returns the median of the counted runs; not a number if the engine failed.
    pub fn median_ms(&self) -> f64 {
        median(&self.runs_ms)
    }
}

/// Opens a system anew, by its number.
pub type Open<'a> = dyn Fn(usize) -> Result<Box<dyn System>, Error> + 'a;

/// Runs every task on every system: once to warm up and to compare results, then `runs` times with
/// the clock counting. Systems take turns query by query, and the first one rotates, so that a
/// slower minute of the machine or a warmer page cache favours none of them.
///
/// With `open`, each counted run is the first one of a system that it opens anew, by its number,
/// so that nothing of earlier queries is cached but by the operating system.
///
/// Returns the outcomes by task, then by system, in the order given. `report` is called before each
/// run.
pub fn contest(
    systems: &mut [Box<dyn System>],
    tasks: &[Task],
    runs: usize,
    open: Option<&Open<'_>>,
    report: &dyn Fn(String),
) -> Vec<Vec<Outcome>> {
    let mut outcomes = Vec::with_capacity(tasks.len());
    for task in tasks {
        report(format!("{}: comparing results", task.name));
        outcomes.push(compare(systems, task));
    }
    for run in 0..runs {
        report(format!("run {} of {runs}", run + 1));
        for (index, (task, outcomes)) in tasks.iter().zip(&mut outcomes).enumerate() {
            for turn in 0..systems.len() {
                let system = (turn + index + run) % systems.len();
                if outcomes[system].fault.is_none() {
                    let opened = open.map_or(Ok(()), |open| {
                        systems[system] = open(system)?;
                        Ok(())
                    });
                    match opened.and_then(|()| systems[system].query(&task.sql, false)) {
                        Ok(answered) => outcomes[system].count(&answered),
                        Err(error) => outcomes[system].fault = Some(error.to_string()),
                    }
                }
            }
        }
    }
    outcomes
}

/// Runs a task once on each system. A system has a fault if its rows differ from the answer, or,
/// where no answer is known, from those of the first system that answered.
fn compare(systems: &mut [Box<dyn System>], task: &Task) -> Vec<Outcome> {
    let mut reference = task.answer.clone().map(|answer| ("the answer".to_owned(), answer));
    let mut outcomes = Vec::with_capacity(systems.len());
    for system in systems {
        let fault = match result_of(system.as_mut(), task) {
            Err(error) => Some(error.to_string()),
            Ok(result) => match &reference {
                Some((name, expected)) => check_within(&result, expected, task.order_by, task.share)
                    .err()
                    .map(|mismatch| format!("not the same as {name}: {mismatch}")),
                None => {
                    reference = Some((system.identity().name.clone(), result));
                    None
                }
            },
        };
        outcomes.push(Outcome { fault, ..Outcome::default() });
    }
    outcomes
}

fn result_of(system: &mut dyn System, task: &Task) -> Result<ResultSet, Error> {
    let name = system.identity().name.clone();
    system.query(&task.sql, true)?.result.ok_or(Error::Rival { name, reason: "no result came back".into() })
}

#[cfg(test)]
mod tests;
