//! Joins.
//!
//! The whole condition goes to the optimiser, which finds the keys in it. A comparison of two
//! columns is no key if both are of one side.

use datafusion::common::{JoinType, Result, plan_err};
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, requalify_sides_if_needed};
use datafusion_substrait::logical_plan::consumer::SubstraitConsumer;
use substrait::proto::JoinRel;
use substrait::proto::join_rel;

use super::context::Consumer;

/// Plans a join.
///
/// # Errors
/// The kind of join is not supported.
pub(super) async fn plan(consumer: &Consumer<'_>, rel: &JoinRel) -> Result<LogicalPlan> {
    let (Some(left), Some(right)) = (&rel.left, &rel.right) else {
        return plan_err!("a join of the plan has one side");
    };
    let kind = kind(rel.r#type)?;
    let left = LogicalPlanBuilder::from(consumer.consume_rel(left).await?);
    let right = LogicalPlanBuilder::from(consumer.consume_rel(right).await?);
    let (left, right, _) = requalify_sides_if_needed(left, right)?;
    let condition = match &rel.expression {
        Some(condition) => {
            let columns = left.schema().join(right.schema())?;
            Some(consumer.consume_expression(condition, &columns).await?)
        }
        None => None,
    };
    left.join_on(right.build()?, kind, condition)?.build()
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
