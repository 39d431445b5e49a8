//! Metrics of an executed plan: its scans, its accelerated parts, and notes.

use std::sync::Arc;

use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::display::DisplayableExecutionPlan;
use pelton_pages::ScanCounters;

use super::accelerator::{AcceleratedExec, Notes};
use crate::error::plan_in_sql;
use crate::scan::PeltonSource;

/// The scans of a plan.
#[derive(Clone, Debug, Default)]
pub struct Scans {
    /// Their counters.
    pub counters: Vec<Arc<ScanCounters>>,
    /// Bytes that they read if nothing is pruned.
    pub bytes: u64,
    /// The same, decompressed.
    pub bytes_decompressed: u64,
}

impl Scans {
    fn add(&mut self, other: Scans) {
        self.counters.extend(other.counters);
        self.bytes += other.bytes;
        self.bytes_decompressed += other.bytes_decompressed;
    }
}

/// Returns all scans in a plan.
pub fn scans(plan: &Arc<dyn ExecutionPlan>) -> Scans {
    let mut found = Scans::default();
    plan.children().into_iter().for_each(|child| found.add(scans(child)));
    if let Some(source) = plan.downcast_ref::<DataSourceExec>()
        && let Some(source) = source.data_source().downcast_ref::<PeltonSource>()
    {
        let (bytes, bytes_decompressed) = source.bytes();
        found.add(Scans { counters: vec![source.counters().clone()], bytes, bytes_decompressed });
    }
    if let Some(accelerated) = plan.downcast_ref::<AcceleratedExec>() {
        found.add(scans(accelerated.cpu()));
        found.counters.extend(accelerated.counters().iter().cloned());
    }
    found
}

/// The part of a plan that an accelerator runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accelerated {
    /// Nothing.
    Nothing,
    /// Some of it; the CPU runs the operators above and between.
    Part,
    /// All of it, and the CPU only hands the rows on.
    Whole,
}

/// Returns the part of a plan that an accelerator runs if it does not fail.
pub fn accelerated(plan: &Arc<dyn ExecutionPlan>) -> Accelerated {
    if plan.downcast_ref::<AcceleratedExec>().is_some() {
        return Accelerated::Whole;
    }
    let children = plan.children();
    match children.into_iter().any(|child| accelerated(child) != Accelerated::Nothing) {
        true => Accelerated::Part,
        false => Accelerated::Nothing,
    }
}

/// Returns a plan's text: one operator a line, with its metrics so far.
pub fn describe(plan: &Arc<dyn ExecutionPlan>) -> String {
    plan_in_sql(&DisplayableExecutionPlan::with_metrics(plan.as_ref()).indent(false).to_string())
}

/// Returns the notes of all parts of a plan that an accelerator runs. They are filled as it runs.
pub fn notes(plan: &Arc<dyn ExecutionPlan>) -> Vec<Notes> {
    let mut found: Vec<Notes> = plan.children().into_iter().flat_map(notes).collect();
    found.extend(plan.downcast_ref::<AcceleratedExec>().map(|exec| exec.notes().clone()));
    found
}
