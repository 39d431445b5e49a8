//! Order of lists and structs in comparisons, sorts, `min` and `max`.

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::{
    BinaryExpr, Expr, ExprSchemable, LogicalPlan, Operator, SortExpr, WindowFunctionDefinition, binary_expr,
    lit,
};
use datafusion::optimizer::AnalyzerRule;

use crate::plan::rules::expressions::{has, input_schema, rewrite_expressions};

use crate::functions::nested_order;
use crate::functions::{nested_greatest, nested_min_max};
use crate::tree::PlanTree;

/// Makes NULL inside of a list or struct greater than all values, as in sorts. In Arrow's
/// comparisons it is less.
#[derive(Debug)]
pub(in crate::plan::rules) struct NestedOrder;

impl AnalyzerRule for NestedOrder {
    fn name(&self) -> &str {
        "nested_order"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        plan.transform_all_up(|plan| {
            if !matches!(plan, LogicalPlan::Sort(_)) && !has(&plan, is_ordered)? {
                return Ok(Transformed::no(plan));
            }
            let schema = input_schema(&plan)?;
            let plan = rewrite_expressions(plan, |node| Ok(by_order(node, &schema)))?;
            plan.transform_data(|plan| match plan {
                LogicalPlan::Sort(mut sort) => {
                    let keys = std::mem::take(&mut sort.expr);
                    sort.expr = keys.into_iter().flat_map(|key| by_keys(key, &schema)).collect();
                    Ok(Transformed::yes(LogicalPlan::Sort(sort)))
                }
                other => Ok(Transformed::no(other)),
            })
        })
        .map(|transformed| transformed.data)
    }
}

/// Returns whether [`by_order`] may change an expression.
fn is_ordered(part: &Expr) -> bool {
    use Operator::{Gt, GtEq, Lt, LtEq};
    match part {
        Expr::BinaryExpr(BinaryExpr { op, .. }) => matches!(op, Lt | LtEq | Gt | GtEq),
        Expr::AggregateFunction(call) => nested_min_max(&call.func).is_some(),
        Expr::WindowFunction(_) => true,
        Expr::ScalarFunction(call) => nested_greatest(&call.func).is_some(),
        _ => false,
    }
}

fn by_order(node: Expr, schema: &DFSchema) -> Transformed<Expr> {
    use Operator::{Gt, GtEq, Lt, LtEq};
    match node {
        Expr::BinaryExpr(BinaryExpr { left, op: op @ (Lt | LtEq | Gt | GtEq), right })
            if left.get_type(schema).is_ok_and(|data_type| data_type.is_nested()) =>
        {
            Transformed::yes(binary_expr(nested_order(*left, *right), op, lit(0i8)))
        }
        Expr::AggregateFunction(mut call) if is_first_nested(&call.params.args, schema) => {
            let function = nested_min_max(&call.func);
            let is_changed = function.is_some();
            call.func = function.unwrap_or(call.func);
            Transformed::new_transformed(Expr::AggregateFunction(call), is_changed)
        }
        Expr::WindowFunction(mut call) if is_first_nested(&call.params.args, schema) => {
            let function = match &call.fun {
                WindowFunctionDefinition::AggregateUDF(function) => nested_min_max(function),
                WindowFunctionDefinition::WindowUDF(_) => None,
            };
            let is_changed = function.is_some();
            call.fun = function.map_or(call.fun, WindowFunctionDefinition::AggregateUDF);
            Transformed::new_transformed(Expr::WindowFunction(call), is_changed)
        }
        Expr::ScalarFunction(mut call) if is_first_nested(&call.args, schema) => {
            let function = nested_greatest(&call.func);
            let is_changed = function.is_some();
            call.func = function.unwrap_or(call.func);
            Transformed::new_transformed(Expr::ScalarFunction(call), is_changed)
        }
        other => Transformed::no(other),
    }
}

fn is_first_nested(arguments: &[Expr], schema: &DFSchema) -> bool {
    let first = arguments.first().and_then(|value| value.get_type(schema).ok());
    first.is_some_and(|data_type| data_type.is_nested())
}

/// Returns the keys of a sort by a list or struct. Arrow puts NULL inside of it on the side of NULL
/// itself: if that is not the side of the greatest values, a key of its own puts NULL there.
fn by_keys(key: SortExpr, schema: &DFSchema) -> Vec<SortExpr> {
    let is_nested = key.expr.get_type(schema).is_ok_and(|data_type| data_type.is_nested());
    if !is_nested || key.nulls_first != key.asc {
        return vec![key];
    }
    let first = match key.nulls_first {
        true => key.expr.clone().is_not_null(),
        false => key.expr.clone().is_null(),
    };
    vec![first.sort(true, false), SortExpr { nulls_first: !key.asc, ..key }]
}
