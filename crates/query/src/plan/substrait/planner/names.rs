//! Columns by their indexes, as a plan knows them, with unique names. A plan may have one twice.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::{Column, Result, plan_err};
use datafusion::logical_expr::{Expr, LogicalPlan, Projection};

/// Returns expressions with a name of its own for each.
pub(in crate::plan::substrait) fn unique(expressions: Vec<Expr>) -> Vec<Expr> {
    let mut seen = HashSet::with_capacity(expressions.len());
    let named = expressions.into_iter().map(|expression| {
        let (_, name) = expression.qualified_name();
        if seen.insert(name.clone()) {
            return expression;
        }
        let numbered = (1..).map(|number| format!("{name}__{number}"));
        let free = numbered.into_iter().find(|name| !seen.contains(name)).unwrap_or(name);
        seen.insert(free.clone());
        expression.alias(free)
    });
    named.collect()
}

/// Gives a relation some of its columns, by their indexes.
///
/// # Errors
/// There is no column with an index.
pub(in crate::plan::substrait) fn columns(
    plan: LogicalPlan,
    indexes: impl Iterator<Item = i32>,
) -> Result<LogicalPlan> {
    let fields = plan.schema().fields().len();
    let mut chosen = Vec::new();
    for index in indexes {
        let Some(at) = usize::try_from(index).ok().filter(|at| *at < fields) else {
            return plan_err!("column {index} of the plan is beyond its {fields} columns");
        };
        chosen.push(Expr::Column(Column::from(plan.schema().qualified_field(at))));
    }
    Ok(LogicalPlan::Projection(Projection::try_new(unique(chosen), Arc::new(plan))?))
}
