//! Mentions of common subplans: scans of their tables, and the plans that replace them.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{Column, Result, TableReference};
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::logical_plan::{Projection, SubqueryAlias, TableScanBuilder};
use datafusion::logical_expr::{Expr, LogicalPlan};

use super::table::{CommonSubplan, CommonTable, SharedColumns};
use crate::tree::{PlanTree, Tree};

/// Returns a scan with the columns of a common subplan, under their names in it. Its table has a
/// name that no other one has: DataFusion takes scans with the same name for equal.
pub(super) fn mention(common: &Arc<CommonSubplan>) -> Result<LogicalPlan> {
    let source = provider_as_source(Arc::new(CommonTable { common: common.clone(), shared: None }));
    let name = TableReference::bare(format!("common subplan {}", common.id));
    let scan = Arc::new(LogicalPlan::TableScan(TableScanBuilder::new(name.clone(), source).build()?));
    let columns = common.definition.schema();
    let mut qualifiers = columns.iter().map(|(qualifier, _)| qualifier);
    let first = qualifiers.next().flatten();
    let is_unique = columns.fields().iter().zip(common.schema().fields()).all(|(a, b)| a.name() == b.name());
    if let Some(first) = first
        && is_unique
        && qualifiers.all(|other| other == Some(first))
    {
        return SubqueryAlias::try_new(scan, first.clone()).map(LogicalPlan::SubqueryAlias);
    }
    let renamed = columns.iter().zip(common.schema().fields()).map(|((qualifier, column), field)| {
        let of_table = Expr::Column(Column::new(Some(name.clone()), field.name()));
        of_table.alias_qualified(qualifier.cloned(), column.name())
    });
    Projection::try_new(renamed.collect(), scan).map(LogicalPlan::Projection)
}

/// A mention in an optimised plan.
#[derive(Debug, PartialEq)]
pub(super) struct Mention {
    /// Needed columns, by their numbers in the table, in ascending order.
    pub columns: Vec<usize>,
    /// Conditions on its rows, over the columns of the common subplan's definition.
    pub conditions: Vec<Expr>,
}

/// The mentions of common subplans, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Mentions(pub HashMap<usize, (Arc<CommonSubplan>, Vec<Mention>)>);

impl Mentions {
    /// Adds the mentions of an optimised plan.
    pub fn add(&mut self, plan: &LogicalPlan) -> Result<()> {
        plan.apply_to_all(|node| {
            if let Some((common, scan)) = CommonTable::of(node) {
                let all = || (0..common.schema().fields().len()).collect();
                let mut columns = scan.projection.clone().unwrap_or_else(all);
                columns.sort_unstable();
                let conditions = scan.filters.iter().cloned().map(|filter| over_definition(filter, &common));
                let conditions = conditions.collect::<Result<_>>()?;
                let (_, mentions) = self.0.entry(common.id).or_insert_with(|| (common, Vec::new()));
                mentions.push(Mention { columns, conditions });
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(())
    }
}

/// Returns a condition on a table as one on the definition of its common subplan.
fn over_definition(condition: Expr, common: &CommonSubplan) -> Result<Expr> {
    let replaced = condition.transform_up(|node| match &node {
        Expr::Column(column) => Ok(Transformed::yes(common.column(common.schema().index_of(&column.name)?))),
        _ => Ok(Transformed::no(node)),
    })?;
    Ok(replaced.data)
}

/// Returns a plan with the definitions of some common subplans in place of their mentions.
pub(super) fn with_definitions(plan: LogicalPlan, ids: &[usize]) -> Result<Transformed<LogicalPlan>> {
    let mut is_changed = false;
    let mut plan = plan;
    loop {
        let replaced = plan.transform_all_up(|node| {
            let definition = match CommonTable::of(&node) {
                Some((common, scan)) if ids.contains(&common.id) => {
                    let all = || (0..common.schema().fields().len()).collect();
                    let columns = scan.projection.clone().unwrap_or_else(all);
                    common.named(common.definition.clone(), &columns, Some(scan))?
                }
                _ => return Ok(Transformed::no(node)),
            };
            Ok(Transformed::yes(definition))
        })?;
        plan = replaced.data;
        // a definition may mention others
        if !replaced.transformed {
            return Ok(Transformed::new_transformed(plan, is_changed));
        }
        is_changed = true;
    }
}

/// Returns a plan that reads shared plans at its mentions.
pub(super) fn with_shared(plan: LogicalPlan, shared: &HashMap<usize, SharedColumns>) -> Result<LogicalPlan> {
    let replaced = plan.transform_all_up(|node| {
        let Some((common, scan)) = CommonTable::of(&node) else { return Ok(Transformed::no(node)) };
        let Some(shared) = shared.get(&common.id) else { return Ok(Transformed::no(node)) };
        let mut scan = scan.clone();
        scan.source = provider_as_source(Arc::new(CommonTable { common, shared: Some(shared.clone()) }));
        Ok(Transformed::yes(LogicalPlan::TableScan(scan)))
    })?;
    Ok(replaced.data)
}
