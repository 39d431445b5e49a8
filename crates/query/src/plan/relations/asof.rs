//! ASOF joins: each row of the left side with the last row of the right side up to its time.

use datafusion::common::{Column, JoinType, Result};
use datafusion::logical_expr::expr::WindowFunction;
use datafusion::logical_expr::planner::{
    PlannedRelation, RelationPlanner, RelationPlannerContext, RelationPlanning,
};
use datafusion::logical_expr::utils::split_conjunction_owned;
use datafusion::logical_expr::{
    BinaryExpr, Expr, ExprFunctionExt, LogicalPlan, LogicalPlanBuilder, Operator, WindowFunctionDefinition,
};
use datafusion::sql::sqlparser::ast::{Join, JoinConstraint, JoinOperator, TableFactor};

use crate::error::{Error, wrap};
use crate::plan::sql::asof_columns;

/// Plans joins that are marked as ASOF joins.
///
/// Each row of the right side gets the time of the row behind it, of those with its key. It goes
/// with the rows of the left side from its own time until that one.
#[derive(Debug)]
pub(in crate::plan) struct AsOfJoins;

impl RelationPlanner for AsOfJoins {
    fn plan_relation(
        &self,
        relation: TableFactor,
        context: &mut dyn RelationPlannerContext,
    ) -> Result<RelationPlanning> {
        match &relation {
            TableFactor::NestedJoin { table_with_joins, alias: None } => {
                match table_with_joins.joins.as_slice() {
                    [join] if join.global => {
                        let plan = joined(table_with_joins.relation.clone(), join.clone(), context)?;
                        Ok(RelationPlanning::Planned(Box::new(PlannedRelation::new(plan, None))))
                    }
                    _ => Ok(RelationPlanning::Original(Box::new(relation))),
                }
            }
            _ => Ok(RelationPlanning::Original(Box::new(relation))),
        }
    }
}

/// Column with the time of the next row of the right side.
const NEXT: &str = "__pelton_next";

fn refused(what: &str) -> datafusion::error::DataFusionError {
    wrap(Error::Query(format!(
        "an ASOF JOIN {what}: write a ASOF JOIN b ON a.key = b.key AND a.time >= b.time"
    )))
}

fn joined(
    relation: TableFactor,
    join: Join,
    context: &mut dyn RelationPlannerContext,
) -> Result<LogicalPlan> {
    let left = context.plan(relation)?;
    let right = context.plan(join.relation)?;
    let (kind, constraint) = match join.join_operator {
        JoinOperator::Join(constraint) | JoinOperator::Inner(constraint) => (JoinType::Inner, constraint),
        JoinOperator::Left(constraint) | JoinOperator::LeftOuter(constraint) => (JoinType::Left, constraint),
        _ => return Err(refused("is an inner or a LEFT join")),
    };
    let JoinConstraint::On(condition) = constraint else { return Err(refused("needs a condition")) };
    let merged = asof_columns(&condition);
    let parts = match &merged {
        Some(names) => parts_of(&left, &right, names)?,
        None => {
            let schema = left.schema().join(right.schema())?;
            split_conjunction_owned(context.sql_to_expr(condition, &schema)?)
        }
    };
    let provider = context.context_provider();
    let (mut keys, mut times) = (Vec::new(), None);
    for part in parts {
        let part =
            oriented(part, &left, &right).ok_or_else(|| refused("compares the left side with the right"))?;
        match part.op {
            Operator::Eq => keys.push(part),
            Operator::Gt | Operator::GtEq | Operator::Lt | Operator::LtEq if times.is_none() => {
                times = Some(part)
            }
            _ => return Err(refused("has equalities and one inequality")),
        }
    }
    let times = times.ok_or_else(|| refused("needs an inequality"))?;
    let is_before = matches!(times.op, Operator::Gt | Operator::GtEq);
    let neighbour = provider.get_window_meta(if is_before { "lead" } else { "lag" });
    let neighbour = neighbour.ok_or_else(|| refused("needs the function lead"))?;
    let time = times.right.as_ref().clone();
    let next =
        Expr::from(WindowFunction::new(WindowFunctionDefinition::WindowUDF(neighbour), vec![time.clone()]))
            .partition_by(keys.iter().map(|key| key.right.as_ref().clone()).collect())
            .order_by(vec![time.clone().sort(true, false)])
            .build()?;
    let next_column = Expr::Column(Column::from_name(next.schema_name().to_string()));
    let columns =
        |plan: &LogicalPlan| plan.schema().columns().into_iter().map(Expr::Column).collect::<Vec<_>>();
    let (left_columns, mut right_columns) = (columns(&left), columns(&right));
    let right = LogicalPlanBuilder::from(right).filter(time.is_not_null())?.build()?;
    let right = LogicalPlanBuilder::from(LogicalPlanBuilder::window_plan(right, [next])?)
        .project(right_columns.iter().cloned().chain([next_column.alias(NEXT)]))?
        .build()?;
    let until = match times.op {
        Operator::GtEq => Operator::Lt,
        Operator::Gt => Operator::LtEq,
        Operator::LtEq => Operator::Gt,
        _ => Operator::GtEq,
    };
    let next = Expr::Column(Column::from_name(NEXT));
    let until = Expr::BinaryExpr(BinaryExpr::new(times.left.clone(), until, Box::new(next.clone())));
    let conditions = keys.into_iter().chain([times]).map(Expr::BinaryExpr).chain([next.is_null().or(until)]);
    let plan = LogicalPlanBuilder::from(left).join_on(right, kind, conditions)?;
    if let Some(names) = merged {
        right_columns
            .retain(|column| !matches!(column, Expr::Column(column) if names.contains(&column.name)));
    }
    plan.project(left_columns.into_iter().chain(right_columns))?.build()
}

/// Returns the conditions of USING: the last column is the time.
fn parts_of(left: &LogicalPlan, right: &LogicalPlan, names: &[String]) -> Result<Vec<Expr>> {
    let column = |plan: &LogicalPlan, name: &String| -> Result<Expr> {
        let (table, field) = plan.schema().qualified_field_with_unqualified_name(name)?;
        Ok(Expr::Column(Column::from((table, field))))
    };
    let mut parts = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let op = if at + 1 == names.len() { Operator::GtEq } else { Operator::Eq };
        let (left, right) = (column(left, name)?, column(right, name)?);
        parts.push(Expr::BinaryExpr(BinaryExpr::new(Box::new(left), op, Box::new(right))));
    }
    Ok(parts)
}

/// Returns a comparison with the left side's columns on its left.
fn oriented(part: Expr, left: &LogicalPlan, right: &LogicalPlan) -> Option<BinaryExpr> {
    let Expr::BinaryExpr(part) = part else { return None };
    let is_of = |expr: &Expr, plan: &LogicalPlan| {
        let columns = expr.column_refs();
        !columns.is_empty() && columns.into_iter().all(|column| plan.schema().has_column(column))
    };
    match () {
        () if is_of(&part.left, left) && is_of(&part.right, right) => Some(part),
        () if is_of(&part.left, right) && is_of(&part.right, left) => {
            Some(BinaryExpr::new(part.right, part.op.swap()?, part.left))
        }
        () => None,
    }
}
