//! Comparisons of times of day in different units.

use std::sync::Arc;

use arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::{InList, InSubquery};
use datafusion::logical_expr::expr_rewriter::{FunctionRewrite, NamePreserver};
use datafusion::logical_expr::planner::{ExprPlanner, PlannerResult, RawBinaryExpr};
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{
    Between, BinaryExpr, Case, Cast, Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, Operator,
    binary_expr, lit,
};
use datafusion::optimizer::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};
use datafusion::sql::sqlparser::ast::BinaryOperator;

/// Compares times in the finer unit of both sides. DataFusion has no common type for them, though a
/// literal is in nanoseconds and files have milliseconds and microseconds.
#[derive(Debug)]
pub(in crate::plan) struct CommonTimes;

impl ExprPlanner for CommonTimes {
    fn plan_binary_op(&self, expr: RawBinaryExpr, schema: &DFSchema) -> Result<PlannerResult<RawBinaryExpr>> {
        let op = match expr.op {
            BinaryOperator::Eq => Operator::Eq,
            BinaryOperator::NotEq => Operator::NotEq,
            BinaryOperator::Lt => Operator::Lt,
            BinaryOperator::LtEq => Operator::LtEq,
            BinaryOperator::Gt => Operator::Gt,
            BinaryOperator::GtEq => Operator::GtEq,
            _ => return Ok(PlannerResult::Original(expr)),
        };
        match common([&expr.left, &expr.right].into_iter(), schema) {
            Some(common) => {
                let (left, right) = (cast(expr.left, &common, schema), cast(expr.right, &common, schema));
                Ok(PlannerResult::Planned(binary_expr(left, op, right)))
            }
            None => Ok(PlannerResult::Original(expr)),
        }
    }
}

impl FunctionRewrite for CommonTimes {
    fn name(&self) -> &str {
        "common_times"
    }

    fn rewrite(&self, expr: Expr, schema: &DFSchema, _: &ConfigOptions) -> Result<Transformed<Expr>> {
        match expr {
            Expr::Between(Between { expr, negated, low, high }) => {
                let Some(common) = common([&*expr, &*low, &*high].into_iter(), schema) else {
                    return Ok(Transformed::no(Expr::Between(Between { expr, negated, low, high })));
                };
                let [expr, low, high] = [expr, low, high].map(|part| Box::new(cast(*part, &common, schema)));
                Ok(Transformed::yes(Expr::Between(Between { expr, negated, low, high })))
            }
            Expr::InList(InList { expr, list, negated }) => {
                let Some(common) = common(std::iter::once(&*expr).chain(&list), schema) else {
                    return Ok(Transformed::no(Expr::InList(InList { expr, list, negated })));
                };
                let expr = Box::new(cast(*expr, &common, schema));
                let list = list.into_iter().map(|value| cast(value, &common, schema)).collect();
                Ok(Transformed::yes(Expr::InList(InList { expr, list, negated })))
            }
            Expr::InSubquery(InSubquery { expr, mut subquery, negated }) => {
                let own = expr.get_type(schema)?;
                let other =
                    subquery.subquery.schema().fields().first().map(|field| field.data_type().clone());
                let units = other.as_ref().and_then(unit).zip(unit(&own));
                let (expr, is_changed) = match (units, other) {
                    (Some((other, own)), Some(finer)) if other > own => {
                        (Box::new(cast(*expr, &finer, schema)), true)
                    }
                    (Some((other, finer)), _) if other < finer => {
                        subquery.subquery = Arc::new(cast_column(&subquery.subquery, &own)?);
                        (expr, true)
                    }
                    _ => (expr, false),
                };
                let whole = Expr::InSubquery(InSubquery { expr, subquery, negated });
                Ok(Transformed::new_transformed(whole, is_changed))
            }
            Expr::Case(Case { expr, when_then_expr, else_expr }) => {
                let thens = when_then_expr.iter().map(|(_, then)| &**then);
                let Some(common) = common(thens.chain(else_expr.as_deref()), schema) else {
                    return Ok(Transformed::no(Expr::Case(Case { expr, when_then_expr, else_expr })));
                };
                let fine = |part: Box<Expr>| Box::new(cast(*part, &common, schema));
                let when_then_expr =
                    when_then_expr.into_iter().map(|(when, then)| (when, fine(then))).collect();
                let else_expr = else_expr.map(fine);
                Ok(Transformed::yes(Expr::Case(Case { expr, when_then_expr, else_expr })))
            }
            other => Ok(Transformed::no(other)),
        }
    }
}

/// Returns a plan of one column with the column cast.
fn cast_column(plan: &LogicalPlan, wanted: &DataType) -> Result<LogicalPlan> {
    let columns = plan.schema().columns().into_iter();
    let columns = columns.map(|column| {
        let name = column.name.clone();
        Expr::Cast(Cast::new(Box::new(Expr::Column(column)), wanted.clone())).alias(name)
    });
    LogicalPlanBuilder::from(plan.clone()).project(columns)?.build()
}

/// Returns the finest type among times that differ.
fn common<'a>(parts: impl Iterator<Item = &'a Expr>, schema: &DFSchema) -> Option<DataType> {
    let mut finest: Option<DataType> = None;
    let mut differ = false;
    for part in parts {
        let data_type = part.get_type(schema).ok()?;
        if unit(&data_type).is_none() {
            continue;
        }
        differ |= finest.as_ref().is_some_and(|finest| *finest != data_type);
        if finest.as_ref().is_none_or(|finest| unit(finest) < unit(&data_type)) {
            finest = Some(data_type);
        }
    }
    finest.filter(|_| differ)
}

fn cast(expr: Expr, wanted: &DataType, schema: &DFSchema) -> Expr {
    match expr.get_type(schema) {
        Ok(found) if unit(&found).is_some() && found != *wanted => {
            Expr::Cast(Cast::new(Box::new(expr), wanted.clone()))
        }
        _ => expr,
    }
}

/// Returns how many parts a second has in a time's unit; `None` for another type.
fn unit(data_type: &DataType) -> Option<i64> {
    match data_type {
        DataType::Time32(unit) | DataType::Time64(unit) => Some(match unit {
            TimeUnit::Second => 1,
            TimeUnit::Millisecond => 1_000,
            TimeUnit::Microsecond => 1_000_000,
            TimeUnit::Nanosecond => 1_000_000_000,
        }),
        _ => None,
    }
}

/// Compares a column of times in its own unit with a constant, so that statistics can be held
/// against the condition.
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
        let mut schema = merge_schema(&plan.inputs());
        if let LogicalPlan::TableScan(scan) = &plan {
            let table = scan.source.schema();
            schema.merge(&DFSchema::try_from_qualified_schema(scan.table_name.clone(), &table)?);
        }
        let names = NamePreserver::new(&plan);
        plan.map_expressions(|expression| {
            let name = names.save(&expression);
            let changed = expression.transform_up(|node| Ok(bare(node, &schema)))?;
            Ok(changed.update_data(|expression| name.restore(expression)))
        })
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

/// Returns a constant in the unit of a column that is cast to a finer one, rounded down, and whether
/// it is the same.
fn rounded(cast: &Cast, value: &ScalarValue, schema: &DFSchema) -> Option<(ScalarValue, bool)> {
    let Expr::Column(_) = cast.expr.as_ref() else { return None };
    let data_type = cast.expr.get_type(schema).ok()?;
    let ratio = unit(cast.field.data_type())? / unit(&data_type)?;
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
