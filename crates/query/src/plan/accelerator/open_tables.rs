//! Opening of tables in an optimised plan, for accelerators: they look at the files of a table
//! before a scan is planned.

use std::sync::Arc;

use datafusion::catalog::Session;
use datafusion::common::Result as DataFusionResult;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::datasource::{provider_as_source, source_as_provider};
use datafusion::logical_expr::{LogicalPlan, TableScan};

use crate::error::wrap;
use crate::table::opened;

/// Returns the plan with tables of the files that the conditions of each scan leave.
///
/// # Errors
/// A file can't be read, or its columns are not those of the first.
pub(in crate::plan) async fn open_tables(
    state: &dyn Session,
    plan: LogicalPlan,
) -> DataFusionResult<LogicalPlan> {
    let mut scans: Vec<TableScan> = Vec::new();
    plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node {
            scans.push(scan.clone());
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    let mut sources = Vec::with_capacity(scans.len());
    for scan in &scans {
        sources.push(match source_as_provider(&scan.source) {
            Ok(table) => {
                let open = opened(table.clone(), state, &scan.filters).await.map_err(wrap)?;
                (!Arc::ptr_eq(&open, &table)).then(|| provider_as_source(open))
            }
            // a source of its own kind
            Err(_) => None,
        });
    }
    if sources.iter().all(Option::is_none) {
        return Ok(plan);
    }
    let mut sources = sources.into_iter();
    let replaced = plan.transform_down_with_subqueries(|node| {
        let LogicalPlan::TableScan(mut scan) = node else { return Ok(Transformed::no(node)) };
        Ok(match sources.next().flatten() {
            Some(source) => {
                scan.source = source;
                Transformed::yes(LogicalPlan::TableScan(scan))
            }
            None => Transformed::no(LogicalPlan::TableScan(scan)),
        })
    })?;
    Ok(replaced.data)
}
