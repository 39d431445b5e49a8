//! Titles of columns that users can read.

use std::collections::HashSet;

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Column, Result};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};

/// Takes the paths of files out of the titles of a query's columns: DataFusion calls `max(x)` over `'data/a.parquet'`
/// `max(data/a.parquet.x)`. Tables that were given a name keep it, and so do all where two titles would become one.
pub(super) fn without_paths(plan: LogicalPlan) -> Result<LogicalPlan> {
    let mut paths = HashSet::new();
    plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node
            && scan.table_name.table().contains(['/', '.'])
        {
            paths.insert(format!("{}.", scan.table_name));
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    // the longest first: one path may be the end of another
    let mut paths: Vec<String> = paths.into_iter().collect();
    paths.sort_unstable_by_key(|path| std::cmp::Reverse(path.len()));
    let old: Vec<Column> = plan.schema().columns();
    let short = |name: &str| paths.iter().fold(name.to_owned(), |name, path| name.replace(path, ""));
    let new: Vec<String> = old.iter().map(|column| short(column.name())).collect();
    let is_changed = old.iter().zip(&new).any(|(old, new)| old.name() != new);
    if !is_changed || new.iter().collect::<HashSet<_>>().len() < new.len() {
        return Ok(plan);
    }
    let columns = old.into_iter().zip(new).map(|(old, new)| match old.name() == new {
        true => Expr::Column(old),
        false => Expr::Column(old).alias(new),
    });
    let columns: Vec<Expr> = columns.collect();
    LogicalPlanBuilder::from(plan).project(columns)?.build()
}
