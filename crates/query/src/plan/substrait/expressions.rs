//! Expressions over a table: an `ExtendedExpression`, which has no relations.

use std::sync::Arc;

use datafusion::common::TableReference;
use datafusion::logical_expr::{Aggregate, Expr, LogicalPlan, Projection};
use datafusion_substrait::logical_plan::consumer::{SubstraitConsumer, from_substrait_named_struct};
use substrait::proto::ExtendedExpression;
use substrait::proto::expression_reference::ExprType;

use super::planner::context::Consumer;
use super::planner::names::unique;
use super::planner::{aggregate, read};
use crate::error::{Error, Result};

/// Plans expressions as the columns of a query over a table, or aggregates as its only row.
///
/// # Errors
/// The table is not there or lacks a column, or expressions are mixed with aggregates.
pub(super) async fn plan(
    consumer: &Consumer<'_>,
    message: &ExtendedExpression,
    table: &str,
) -> Result<LogicalPlan> {
    let Some(base) = &message.base_schema else {
        return Err(Error::Query("the Substrait expressions have no columns to compute with".to_owned()));
    };
    let schema = from_substrait_named_struct(consumer, base)?;
    let name = TableReference::bare(table);
    let provider = consumer.resolve_table_ref(&name).await?;
    let provider = provider.ok_or_else(|| Error::Query(format!("table '{table}' not found")))?;
    let input = read::over(provider, name, &schema)?;
    let (mut rows, mut measures) = (Vec::new(), Vec::new());
    for (at, one) in message.referred_expr.iter().enumerate() {
        let name = one.output_names.first().cloned().unwrap_or_else(|| format!("c{at}"));
        match &one.expr_type {
            Some(ExprType::Expression(expression)) => {
                rows.push(consumer.consume_expression(expression, input.schema()).await?.alias(name));
            }
            Some(ExprType::Measure(measure)) => {
                measures.push(aggregate::call(consumer, measure, None, input.schema()).await?.alias(name));
            }
            None => return Err(Error::Query(format!("Substrait expression {at} is empty"))),
        }
    }
    let has = |expressions: &[Expr]| !expressions.is_empty();
    match (has(&rows), has(&measures)) {
        (true, false) => Ok(LogicalPlan::Projection(Projection::try_new(unique(rows), Arc::new(input))?)),
        (false, true) => {
            Ok(LogicalPlan::Aggregate(Aggregate::try_new(Arc::new(input), Vec::new(), unique(measures))?))
        }
        (false, false) => Err(Error::Query("there are no Substrait expressions to compute".to_owned())),
        (true, true) => Err(Error::Query(
            "not supported: Substrait expressions of which some are aggregates; give these alone".to_owned(),
        )),
    }
}
