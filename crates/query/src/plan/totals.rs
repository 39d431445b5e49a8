//! What a plan did.

use std::sync::Arc;

use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::display::DisplayableExecutionPlan;
use pelton_pages::ScanCounters;

use super::accelerate::AcceleratedExec;
use crate::scan::PeltonSource;

/// The counters of all scans in a plan, and the bytes that they read if nothing is pruned.
pub fn scan_counters(plan: &Arc<dyn ExecutionPlan>) -> (Vec<Arc<ScanCounters>>, u64) {
    let (mut counters, mut bytes) = (Vec::new(), 0);
    for child in plan.children() {
        let (of_child, bytes_of_child) = scan_counters(child);
        counters.extend(of_child);
        bytes += bytes_of_child;
    }
    if let Some(source) = plan.downcast_ref::<DataSourceExec>()
        && let Some(source) = source.data_source().downcast_ref::<PeltonSource>()
    {
        counters.push(source.counters().clone());
        bytes += source.bytes();
    }
    if let Some(accelerated) = plan.downcast_ref::<AcceleratedExec>() {
        let (of_cpu, bytes_of_cpu) = scan_counters(accelerated.cpu());
        counters.extend(of_cpu.into_iter().chain(accelerated.counters().iter().cloned()));
        bytes += bytes_of_cpu;
    }
    (counters, bytes)
}

/// How much of a plan an accelerator runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accelerated {
    /// Nothing.
    Nothing,
    /// Some of it; the CPU runs what is above and between.
    Part,
    /// All of it, and the CPU only hands the rows on.
    Whole,
}

/// How much of a plan an accelerator runs, if it does not fail.
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

/// A plan's text, an operator a line, with what each has done so far.
pub fn describe(plan: &Arc<dyn ExecutionPlan>) -> String {
    DisplayableExecutionPlan::with_metrics(plan.as_ref()).indent(false).to_string()
}
