//! Conditions that guard others from values for which these fail, such as a test for zero before a
//! division.
//!
//! DataFusion evaluates both sides of AND and OR for all rows, unless the first one decides for
//! nearly all of them ([#8927](https://github.com/apache/datafusion/issues/8927)).

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::DFSchema;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::error::Result;
use datafusion::logical_expr::utils::{conjunction, split_conjunction_owned};
use datafusion::logical_expr::{
    BinaryExpr, Case, Cast, Expr, ExprSchemable, LogicalPlan, Operator, lit, when,
};
use datafusion::optimizer::AnalyzerRule;
use datafusion::physical_expr::{conjunction as all_of, split_conjunction};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::filter::{FilterExec, FilterExecBuilder};

use crate::fallible::{can_fail, can_fail_logically};
use crate::plan::rules::expressions::{has, input_schema, rewrite_expressions};
use crate::tree::{PlanTree, Tree};

/// Turns AND and OR into a CASE if the second side can fail: CASE evaluates that side only for the
/// rows that need it. A CASE of booleans that can fail gets arms of numbers, since the optimizer
/// turns one of booleans into AND and OR. The top-level conjuncts of a filter stay, so that each
/// can be pushed down by itself.
#[derive(Debug)]
pub(in crate::plan::rules) struct Guards;

impl AnalyzerRule for Guards {
    fn name(&self) -> &str {
        "guards"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        plan.transform_all_up(|node| {
            if !has(&node, is_guarded)? {
                return Ok(Transformed::no(node));
            }
            let schema = input_schema(&node)?;
            match node {
                LogicalPlan::Filter(mut filter) => {
                    let parts = split_conjunction_owned(std::mem::take(&mut filter.predicate)).into_iter();
                    let guarded = parts.map(|part| part.transform_up(|part| guard(part, &schema)).data());
                    let guarded = guarded.collect::<Result<Vec<_>>>()?;
                    filter.predicate = conjunction(guarded).unwrap_or_else(|| lit(true));
                    Ok(Transformed::yes(LogicalPlan::Filter(filter)))
                }
                // its conjuncts may become keys, and its AND and OR see pairs of rows alone
                LogicalPlan::Join(mut join) => {
                    let arms = |part: Expr| match part {
                        Expr::Case(case) => guard_arms(case, &schema),
                        part => Ok(Transformed::no(part)),
                    };
                    let guarded = join.filter.take().map(|filter| filter.transform_up(arms).data());
                    join.filter = guarded.transpose()?;
                    for key in join.on.iter_mut().flat_map(|(left, right)| [left, right]) {
                        *key = std::mem::take(key).transform_up(arms)?.data;
                    }
                    Ok(Transformed::yes(LogicalPlan::Join(join)))
                }
                node => rewrite_expressions(node, |part| guard(part, &schema)),
            }
        })
        .data()
    }
}

/// Returns whether [`guard`] may change an expression.
fn is_guarded(part: &Expr) -> bool {
    match part {
        Expr::BinaryExpr(BinaryExpr { op, .. }) => matches!(op, Operator::And | Operator::Or),
        part => matches!(part, Expr::Case(_)),
    }
}

fn guard(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    if let Expr::Case(case) = expr {
        return guard_arms(case, schema);
    }
    let Expr::BinaryExpr(BinaryExpr { left, op, right }) = &expr else { return Ok(Transformed::no(expr)) };
    if !matches!(op, Operator::And | Operator::Or) || !can_fail_logically(right, schema) || left.is_volatile()
    {
        return Ok(Transformed::no(expr));
    }
    let decided = match op {
        Operator::And => left.clone().is_false(),
        _ => left.clone().is_true(),
    };
    // the optimizer turns a CASE of booleans back into AND and OR
    let decides = lit(i8::from(*op == Operator::Or));
    let value = when(decided, decides).otherwise(number(expr.clone()))?;
    Ok(Transformed::yes(value.eq(lit(1i8))))
}

/// Gives a CASE of booleans arms of numbers, if it can fail.
fn guard_arms(case: Case, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let expr = Expr::Case(case);
    if !can_fail_logically(&expr, schema) || expr.get_type(schema)? != DataType::Boolean {
        return Ok(Transformed::no(expr));
    }
    let Expr::Case(mut case) = expr else { return Ok(Transformed::no(expr)) };
    let arms = case.when_then_expr.iter_mut().map(|(_, then)| then).chain(&mut case.else_expr);
    for arm in arms {
        **arm = number(std::mem::take(&mut **arm));
    }
    // the optimizer would compare literal arms before it chooses one
    Ok(Transformed::yes(Expr::Cast(Cast::new(Box::new(Expr::Case(case)), DataType::Boolean))))
}

fn number(condition: Expr) -> Expr {
    Expr::Cast(Cast::new(Box::new(condition), DataType::Int8))
}

/// Filters rows by the conditions that can't fail first, and then by each of the others.
#[derive(Debug)]
pub(in crate::plan) struct GuardedFilters;

impl PhysicalOptimizerRule for GuardedFilters {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| match node.downcast_ref::<FilterExec>() {
            Some(filter) => {
                split(filter).map(|split| split.map_or_else(|| Transformed::no(node), Transformed::yes))
            }
            None => Ok(Transformed::no(node)),
        })
        .data()
    }

    fn name(&self) -> &str {
        "guarded_filters"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

fn split(filter: &FilterExec) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let parts = split_conjunction(filter.predicate()).into_iter().cloned();
    let (fallible, mut safe): (Vec<_>, Vec<_>) = parts.partition(can_fail);
    let mut later = fallible.into_iter();
    if safe.is_empty() {
        safe.extend(later.next());
    }
    if later.len() == 0 {
        return Ok(None);
    }
    let mut plan = filter.input().clone();
    let mut condition = all_of(safe);
    for next in later {
        plan = Arc::new(FilterExec::try_new(std::mem::replace(&mut condition, next), plan)?);
    }
    let last = FilterExecBuilder::from(filter).with_predicate(condition).with_input(plan).build()?;
    Ok(Some(Arc::new(last)))
}
