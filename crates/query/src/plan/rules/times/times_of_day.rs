//! Comparisons of times of day in different units.

use arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::planner::{ExprPlanner, PlannerResult, RawBinaryExpr};
use datafusion::logical_expr::{
    BinaryExpr, Cast, Expr, ExprSchemable, LogicalPlan, Operator, binary_expr, lit,
};
use datafusion::optimizer::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};
use datafusion::sql::sqlparser::ast::BinaryOperator;

use crate::plan::rules::expressions::{has, input_schema, rewrite_expressions};

use crate::functions::{common_bytes, common_time, is_bytes, time_unit};
use crate::plan::sql::IS_DISTINCT;

/// Compares times in the finer unit of both sides, and gives bytes in an array one layout.
/// DataFusion has no common type for them, and needs one for operators in planning. The rule for
/// mixed numbers does the rest.
#[derive(Debug)]
pub(in crate::plan) struct CommonTimes;

impl ExprPlanner for CommonTimes {
    fn plan_binary_op(&self, expr: RawBinaryExpr, schema: &DFSchema) -> Result<PlannerResult<RawBinaryExpr>> {
        let is_distinct = IS_DISTINCT.iter().find(|(written, _)| match &expr.op {
            BinaryOperator::Custom(found) => found == written,
            _ => false,
        });
        let op = match expr.op {
            BinaryOperator::Eq => Operator::Eq,
            BinaryOperator::NotEq => Operator::NotEq,
            BinaryOperator::Lt => Operator::Lt,
            BinaryOperator::LtEq => Operator::LtEq,
            BinaryOperator::Gt => Operator::Gt,
            BinaryOperator::GtEq => Operator::GtEq,
            _ if is_distinct.is_some() => is_distinct.map_or(Operator::Eq, |(_, op)| *op),
            _ => return Ok(PlannerResult::Original(expr)),
        };
        let common = common([&expr.left, &expr.right].into_iter(), schema);
        if common.is_none() && is_distinct.is_none() {
            return Ok(PlannerResult::Original(expr));
        }
        let [left, right] = [expr.left, expr.right].map(|side| cast(side, common.as_ref(), schema));
        Ok(PlannerResult::Planned(binary_expr(left, op, right)))
    }

    fn plan_array_literal(&self, values: Vec<Expr>, schema: &DFSchema) -> Result<PlannerResult<Vec<Expr>>> {
        let common = common(values.iter(), schema);
        let alike = values.into_iter().map(|value| cast(value, common.as_ref(), schema));
        Ok(PlannerResult::Original(alike.collect()))
    }
}

/// Returns the finest type among times that differ, or the layout for bytes that do.
fn common<'a>(parts: impl Iterator<Item = &'a Expr>, schema: &DFSchema) -> Option<DataType> {
    let types: Vec<_> = parts.map(|part| part.get_type(schema)).collect::<Result<_>>().ok()?;
    common_time(types.iter()).or_else(|| common_bytes(types.iter()))
}

/// Casts a time or bytes of another type than the common one.
fn cast(expr: Expr, common: Option<&DataType>, schema: &DFSchema) -> Expr {
    match (expr.get_type(schema), common) {
        (Ok(found), Some(common))
            if (time_unit(&found).is_some() || is_bytes(&found)) && found != *common =>
        {
            Expr::Cast(Cast::new(Box::new(expr), common.clone()))
        }
        _ => expr,
    }
}

/// Compares a column of times with a constant in the column's own unit, so that statistics can
/// prune.
#[derive(Debug)]
pub(in crate::plan) struct BareTimes;

impl OptimizerRule for BareTimes {
    fn name(&self) -> &str {
        "bare_times"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn supports_rewrite(&self) -> bool {
        true
    }

    fn rewrite(&self, plan: LogicalPlan, _: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        let to_time =
            |part: &Expr| matches!(part, Expr::Cast(cast) if time_unit(cast.field.data_type()).is_some());
        if !has(&plan, to_time)? {
            return Ok(Transformed::no(plan));
        }
        let schema = input_schema(&plan)?;
        rewrite_expressions(plan, |node| Ok(bare(node, &schema)))
    }
}

fn bare(node: Expr, schema: &DFSchema) -> Transformed<Expr> {
    let found = match &node {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => match (left.as_ref(), right.as_ref()) {
            (Expr::Cast(cast), Expr::Literal(value, _)) => compared(cast, *op, value, schema),
            (Expr::Literal(value, _), Expr::Cast(cast)) => {
                op.swap().and_then(|op| compared(cast, op, value, schema))
            }
            _ => None,
        },
        Expr::InList(list) => listed(list, schema),
        _ => None,
    };
    found.map_or_else(|| Transformed::no(node), Transformed::yes)
}

/// Returns a comparison of a cast column with a constant as one of the column.
fn compared(cast: &Cast, op: Operator, value: &ScalarValue, schema: &DFSchema) -> Option<Expr> {
    let (value, is_whole) = rounded(cast, value, schema)?;
    // a constant between two values of the unit lies above the lower one
    let op = match op {
        Operator::LtEq | Operator::Gt => op,
        Operator::Eq | Operator::NotEq | Operator::Lt | Operator::GtEq if is_whole => op,
        Operator::Lt => Operator::LtEq,
        Operator::GtEq => Operator::Gt,
        _ => return None,
    };
    Some(binary_expr((*cast.expr).clone(), op, lit(value)))
}

/// Returns a list of constants for a cast column as one for the column.
fn listed(list: &InList, schema: &DFSchema) -> Option<Expr> {
    let Expr::Cast(cast) = list.expr.as_ref() else { return None };
    let value = |value: &Expr| match value {
        Expr::Literal(value, _) => {
            rounded(cast, value, schema).filter(|(_, whole)| *whole).map(|(value, _)| lit(value))
        }
        _ => None,
    };
    let values = list.list.iter().map(value).collect::<Option<Vec<_>>>()?;
    Some(Expr::InList(InList { expr: cast.expr.clone(), list: values, negated: list.negated }))
}

/// Returns a constant in the unit of a column that is cast to a finer one, rounded down, and
/// whether it is the same.
fn rounded(cast: &Cast, value: &ScalarValue, schema: &DFSchema) -> Option<(ScalarValue, bool)> {
    let Expr::Column(_) = cast.expr.as_ref() else { return None };
    let data_type = cast.expr.get_type(schema).ok()?;
    let ratio = time_unit(cast.field.data_type())? / time_unit(&data_type)?;
    if ratio < 1 {
        return None;
    }
    let value = match value {
        ScalarValue::Time32Second(Some(value)) | ScalarValue::Time32Millisecond(Some(value)) => {
            i64::from(*value)
        }
        ScalarValue::Time64Microsecond(Some(value)) | ScalarValue::Time64Nanosecond(Some(value)) => *value,
        _ => return None,
    };
    let lower = value.div_euclid(ratio);
    let lower = match data_type {
        DataType::Time32(TimeUnit::Second) => ScalarValue::Time32Second(Some(i32::try_from(lower).ok()?)),
        DataType::Time32(_) => ScalarValue::Time32Millisecond(Some(i32::try_from(lower).ok()?)),
        DataType::Time64(TimeUnit::Microsecond) => ScalarValue::Time64Microsecond(Some(lower)),
        _ => ScalarValue::Time64Nanosecond(Some(lower)),
    };
    Some((lower, value.rem_euclid(ratio) == 0))
}
