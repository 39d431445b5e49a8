//! Joins.
//!
//! The whole condition goes to the optimiser, which finds the keys in it. A comparison of two
//! columns is no key if both are of one side.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::{JoinType, Result, plan_err};
use datafusion::logical_expr::{
    Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, Projection, lit, requalify_sides_if_needed,
};
use datafusion_substrait::logical_plan::consumer::SubstraitConsumer;
use substrait::proto::JoinRel;
use substrait::proto::join_rel;

use super::context::Consumer;
use crate::plan::type_in_sql;

/// Name of the column that a mark join adds.
const MARK: &str = "mark";

/// Plans a join. Without a condition, all pairs of rows match.
///
/// # Errors
/// The kind of join is not supported.
pub(super) async fn plan(consumer: &Consumer<'_>, rel: &JoinRel) -> Result<LogicalPlan> {
    let (Some(left), Some(right)) = (&rel.left, &rel.right) else {
        return plan_err!("a join of the plan has one side");
    };
    let kind = kind(rel.r#type)?;
    let left = LogicalPlanBuilder::from(without_marks(consumer.consume_rel(left).await?)?);
    let right = LogicalPlanBuilder::from(without_marks(consumer.consume_rel(right).await?)?);
    let (left, right, _) = requalify_sides_if_needed(left, right)?;
    let condition = match &rel.expression {
        Some(condition) => {
            let columns = left.schema().join(right.schema())?;
            let condition = consumer.consume_expression(condition, &columns).await?;
            let found = condition.get_type(&columns)?;
            if ![DataType::Boolean, DataType::Null].contains(&found) {
                return plan_err!(
                    "the condition of a join of the plan is {}, not BOOLEAN",
                    type_in_sql(&found)
                );
            }
            condition
        }
        None => lit(true),
    };
    left.join_on(right.build()?, kind, Some(condition))?.build()
}

/// Gives columns with the name of a mark another name. A mark join adds a column of that name.
fn without_marks(plan: LogicalPlan) -> Result<LogicalPlan> {
    let is_mark = |name: &str| name == MARK;
    if !plan.schema().fields().iter().any(|field| is_mark(field.name())) {
        return Ok(plan);
    }
    let renamed = plan.schema().columns().into_iter().enumerate().map(|(at, column)| {
        let is_mark = is_mark(column.name());
        let column = Expr::Column(column);
        if is_mark { column.alias(format!("{MARK} of column {at}")) } else { column }
    });
    let renamed: Vec<Expr> = renamed.collect();
    Ok(LogicalPlan::Projection(Projection::try_new(renamed, Arc::new(plan))?))
}

fn kind(kind: i32) -> Result<JoinType> {
    Ok(match join_rel::JoinType::try_from(kind) {
        Ok(join_rel::JoinType::Inner) => JoinType::Inner,
        Ok(join_rel::JoinType::Left) => JoinType::Left,
        Ok(join_rel::JoinType::Right) => JoinType::Right,
        Ok(join_rel::JoinType::Outer) => JoinType::Full,
        Ok(join_rel::JoinType::LeftSemi) => JoinType::LeftSemi,
        Ok(join_rel::JoinType::RightSemi) => JoinType::RightSemi,
        Ok(join_rel::JoinType::LeftAnti) => JoinType::LeftAnti,
        Ok(join_rel::JoinType::RightAnti) => JoinType::RightAnti,
        Ok(join_rel::JoinType::LeftMark) => JoinType::LeftMark,
        Ok(join_rel::JoinType::RightMark) => JoinType::RightMark,
        Ok(other) => return plan_err!("joins of kind {} are not supported", other.as_str_name()),
        Err(_) => return plan_err!("there is no join of kind {kind}"),
    })
}
