//! Estimated cost of a common subplan, shared and planned for each mention.

use std::sync::Arc;

use crate::plan::rules::joins::{Tables, different, rows};
use datafusion::common::Column;
use datafusion::logical_expr::LogicalPlan;
use datafusion::optimizer::eliminate_cross_join::EliminateCrossJoin;
use datafusion::optimizer::push_down_filter::PushDownFilter;
use datafusion::optimizer::{Optimizer, OptimizerContext};

/// Estimates of a plan's rows, and of the different values of its columns.
pub(super) struct Estimates {
    pub rows: f64,
    pub values: Vec<Option<f64>>,
}

impl Estimates {
    /// Returns the estimates for a plan that is not optimised.
    pub fn of(plan: &LogicalPlan) -> Self {
        // tables that are named one after the other are joined by conditions above
        let rules =
            Optimizer::with_rules(vec![Arc::new(EliminateCrossJoin::new()), Arc::new(PushDownFilter::new())]);
        let context = OptimizerContext::new().with_max_passes(1);
        let placed = rules.optimize(plan.clone(), &context, |_, _| {}).unwrap_or_else(|_| plan.clone());
        let tables = Tables::default();
        let columns = placed.schema().columns();
        let values = |column: &Column| different(&placed, column, &tables);
        Self { rows: rows(&placed, &tables), values: columns.iter().map(values).collect() }
    }
}

/// Cost of keeping one row of many, in rows that an operator reads: fresh memory is written, where
/// the rows between operators stay in the caches. A join of tables that keeps most of their rows is
/// made again in about the same time, and needs no memory for them.
const KEPT: f64 = 2.0;

/// Rows that cost nothing to keep: they take some tens of megabytes, which the process has.
const LITTLE: f64 = 1_000_000.0;

/// Returns whether an optimised plan is cheaper to run once, with its rows kept and read by each
/// mention, than once for each mention. A row that a mention reads counts like one that an operator
/// reads.
pub(super) fn pays(plan: &LogicalPlan, mentions: usize) -> bool {
    let tables = Tables::default();
    let saved = work(plan, &tables) * (mentions - 1) as f64;
    let rows = rows(plan, &tables);
    saved > rows * mentions as f64 + (rows - LITTLE).max(0.0) * KEPT
}

/// Returns the rows that the scans and the costly operators of a plan read.
fn work(plan: &LogicalPlan, tables: &Tables) -> f64 {
    let inputs = plan.inputs();
    let below: f64 = inputs.iter().map(|input| work(input, tables)).sum();
    let read = |plan: &[&LogicalPlan]| plan.iter().map(|input| rows(input, tables)).sum::<f64>();
    below
        + match plan {
            LogicalPlan::TableScan(_) => read(&[plan]),
            LogicalPlan::Join(_)
            | LogicalPlan::Aggregate(_)
            | LogicalPlan::Distinct(_)
            | LogicalPlan::Window(_)
            | LogicalPlan::Sort(_) => read(&inputs),
            _ => 0.0,
        }
}
