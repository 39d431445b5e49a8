//! Titles of result columns, without paths of files.

use std::collections::{HashMap, HashSet};

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Column, Result, TableReference};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};

use super::unique_names::{Renamed, Title};
use crate::error::in_sql;
use crate::plan::file_functions::FUNCTIONS;
use crate::tree::{PlanTree, Tree};

/// Gives the columns of a query their titles.
///
/// A column that was renamed for the planner gets its title back. Paths of files are stripped:
/// DataFusion's name of `max(x)` over `'data/a.parquet'` is `max(data/a.parquet.x)`. Aliases of
/// tables stay, and so do paths where two titles would become equal.
pub(in crate::plan) fn restore(plan: LogicalPlan, renamed: &Renamed) -> Result<LogicalPlan> {
    if matches!(plan, LogicalPlan::Explain(_) | LogicalPlan::Analyze(_)) {
        return Ok(plan);
    }
    let old: Vec<Column> = plan.schema().columns();
    let own = originals(&plan, &old, renamed)?;
    let paths = paths(&plan)?;
    let short = |name: &String| paths.iter().fold(unnested(name), |name, path| name.replace(path, ""));
    let mut new: Vec<String> = own.iter().map(short).collect();
    let distinct = |names: &[String]| names.iter().collect::<HashSet<_>>().len();
    if distinct(&new) < distinct(&own) {
        new = own;
    }
    if old.iter().zip(&new).all(|(old, new)| old.name() == new) {
        return Ok(plan);
    }
    let mut times: HashMap<String, usize> = HashMap::new();
    new.iter().for_each(|name| *times.entry(name.clone()).or_default() += 1);
    let columns = old.into_iter().zip(new).enumerate().map(|(index, (old, new))| {
        let is_shared = times.get(&new).is_some_and(|&times| times > 1);
        match (is_shared || renamed.title(old.name()).is_some(), old.name() == new) {
            // a column's table distinguishes it from others of its name
            (true, _) => {
                let table = TableReference::bare(format!("column {}", index + 1));
                Expr::Column(old).alias_qualified(Some(table), new)
            }
            (false, true) => Expr::Column(old),
            (false, false) => Expr::Column(old).alias(new),
        }
    });
    let columns: Vec<Expr> = columns.collect();
    LogicalPlanBuilder::from(plan).project(columns)?.build()
}

/// Returns DataFusion's name for a column of `unnest` as SQL has it, `unnest([1, 2])`; the field's
/// for one of a constant struct; other names unchanged.
fn unnested(name: &str) -> String {
    if let Some(rest) = name.strip_prefix("UNNEST(") {
        return in_sql(&format!("unnest({rest}"));
    }
    let field = name.strip_prefix("named_struct(").and_then(|rest| rest.rsplit_once(")."));
    field.map_or(name, |(_, field)| field).to_owned()
}

/// Returns the titles of columns without the names that were given for the planner.
fn originals(plan: &LogicalPlan, columns: &[Column], renamed: &Renamed) -> Result<Vec<String>> {
    let mut expressions = HashMap::new();
    if !renamed.is_empty() {
        plan.apply_to_all(|node| {
            node.apply_to_expressions(|expression| {
                expression.apply(|expression| {
                    if let Expr::Alias(alias) = expression
                        && renamed.title(&alias.name).is_some()
                    {
                        let name = match alias.expr.as_ref() {
                            Expr::Column(column) => column.name.clone(),
                            other => other.schema_name().to_string(),
                        };
                        expressions.entry(alias.name.clone()).or_insert(name);
                    }
                    Ok(TreeNodeRecursion::Continue)
                })
            })
        })?;
    }
    let title = |column: &Column| match renamed.title(column.name()) {
        Some(Title::Named(name)) => name.clone(),
        Some(Title::OfExpression) => {
            expressions.get(column.name()).cloned().unwrap_or_else(|| column.name.clone())
        }
        None => column.name.clone(),
    };
    Ok(columns.iter().map(title).collect())
}

/// Returns the paths of tables that are files, as they stand in front of columns, and the names of
/// table functions without an alias; the longest first: one path may be the end of another.
fn paths(plan: &LogicalPlan) -> Result<Vec<String>> {
    let mut paths = HashSet::new();
    plan.apply_to_all(|node| {
        match node {
            LogicalPlan::TableScan(scan) if scan.table_name.table().contains(['/', '.']) => {
                paths.insert(format!("{}.", scan.table_name));
            }
            LogicalPlan::SubqueryAlias(alias) if is_function(alias.alias.table()) => {
                paths.insert(format!("{}.", alias.alias));
            }
            _ => {}
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    let mut paths: Vec<String> = paths.into_iter().collect();
    paths.sort_unstable_by_key(|path| std::cmp::Reverse(path.len()));
    Ok(paths)
}

/// Returns whether an alias is that of a table function that got none, perhaps with a number.
fn is_function(alias: &str) -> bool {
    let name = alias.trim_end_matches(|c: char| c.is_ascii_digit());
    FUNCTIONS.contains(&alias) || name.strip_suffix('_').is_some_and(|name| FUNCTIONS.contains(&name))
}
