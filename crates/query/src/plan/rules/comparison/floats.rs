//! Computed floats with one NaN, and keys of floats with one zero.

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::{ScalarFunction, WindowFunction};
use datafusion::logical_expr::expr_rewriter::{FunctionRewrite, NamePreserver};
use datafusion::logical_expr::{
    BinaryExpr, Case, Cast, Expr, ExprSchemable, LogicalPlan, Operator, SortExpr, TryCast, binary_expr, lit,
    when,
};
use datafusion::optimizer::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};

use crate::floats::has_floats;
use crate::functions::{CANONICAL_FLOAT, CANONICAL_NAN, canonical_float, canonical_nan, min_max_of_floats};

/// Gives one bit pattern to the NaNs that a query computes. Those that a scan reads have it.
///
/// A processor's 0/0 is a NaN with a sign, and negation flips the sign. Arrow takes both for values
/// other than NaN, and the negative one for less than all numbers.
#[derive(Debug)]
pub(in crate::plan) struct ComputedFloats;

impl FunctionRewrite for ComputedFloats {
    fn name(&self) -> &str {
        "computed_floats"
    }

    fn rewrite(&self, expr: Expr, schema: &DFSchema, _: &ConfigOptions) -> Result<Transformed<Expr>> {
        if !computes(&expr) {
            return Ok(Transformed::no(expr));
        }
        match expr {
            Expr::WindowFunction(mut window) => {
                let is_changed = in_window(&mut window, schema);
                Ok(Transformed::new_transformed(Expr::WindowFunction(window), is_changed))
            }
            Expr::AggregateFunction(mut aggregate) => {
                let of_floats = aggregate.params.args.first().is_some_and(|value| is_float(value, schema));
                let function = min_max_of_floats(&aggregate.func).filter(|_| of_floats);
                let is_changed = function.is_some();
                aggregate.func = function.unwrap_or(aggregate.func);
                Ok(Transformed::new_transformed(Expr::AggregateFunction(aggregate), is_changed))
            }
            // it compares bits
            Expr::ScalarFunction(call) if call.name() == "nullif" && call.args.len() == 2 => {
                let [value, other] = [call.args[0].clone(), call.args[1].clone()];
                match is_float(&value, schema) {
                    true => {
                        let is_same = binary_expr(value.clone(), Operator::Eq, other);
                        Ok(Transformed::yes(when(is_same, lit(ScalarValue::Null)).otherwise(value)?))
                    }
                    false => Ok(Transformed::no(Expr::ScalarFunction(call))),
                }
            }
            // a CASE looks literals up by their bits
            Expr::Case(case) => in_case(case, schema),
            // a cast of a number makes no new NaN
            cast @ (Expr::Cast(_) | Expr::TryCast(_)) if !is_of_text(&cast, schema) => {
                Ok(Transformed::no(cast))
            }
            computed if is_float_result(&computed, schema) => {
                // the NaN of an operand is a NaN of the result
                let computed = match computed {
                    Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
                        let (left, right) = (Box::new(bare(*left)), Box::new(bare(*right)));
                        Expr::BinaryExpr(BinaryExpr { left, op, right })
                    }
                    Expr::Negative(operand) => Expr::Negative(Box::new(bare(*operand))),
                    other => other,
                };
                Ok(Transformed::yes(canonical_nan(computed)))
            }
            other => Ok(Transformed::no(other)),
        }
    }
}

/// Returns whether an expression may be a new NaN, or has floats for keys.
fn computes(expr: &Expr) -> bool {
    match expr {
        Expr::BinaryExpr(BinaryExpr { op, .. }) => matches!(
            op,
            Operator::Plus | Operator::Minus | Operator::Multiply | Operator::Divide | Operator::Modulo
        ),
        // text may name a NaN with a sign
        Expr::Cast(Cast { field, .. }) | Expr::TryCast(TryCast { field, .. }) => {
            field.data_type().is_floating()
        }
        Expr::ScalarFunction(function) => ![CANONICAL_FLOAT, CANONICAL_NAN].contains(&function.name()),
        Expr::Case(case) => case.expr.is_some(),
        Expr::Negative(_) | Expr::WindowFunction(_) | Expr::AggregateFunction(_) => true,
        _ => false,
    }
}

fn in_case(case: Case, schema: &DFSchema) -> Result<Transformed<Expr>> {
    match case {
        Case { expr: Some(subject), when_then_expr, else_expr } if is_float(&subject, schema) => {
            let arms = when_then_expr.into_iter();
            let arms = arms.map(|(when, then)| (Box::new(canonical_float(*when)), then)).collect();
            let subject = Some(Box::new(canonical_float(*subject)));
            Ok(Transformed::yes(Expr::Case(Case { expr: subject, when_then_expr: arms, else_expr })))
        }
        other => Ok(Transformed::no(Expr::Case(other))),
    }
}

fn in_window(window: &mut WindowFunction, schema: &DFSchema) -> bool {
    let mut is_changed = false;
    for key in &mut window.params.partition_by {
        is_changed |= in_key(key, schema);
    }
    for key in &mut window.params.order_by {
        is_changed |= in_key(&mut key.expr, schema);
    }
    is_changed
}

/// Makes sorts, of rows and of an aggregate's arguments, treat -0.0 as 0.0 in float keys. The last
/// key stays unchanged, since no later key depends on ties in it.
#[derive(Debug)]
pub(in crate::plan) struct FloatKeys;

impl OptimizerRule for FloatKeys {
    fn name(&self) -> &str {
        "float_keys"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn supports_rewrite(&self) -> bool {
        true
    }

    fn rewrite(&self, plan: LogicalPlan, _: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        let mut is_changed = false;
        let plan = match plan {
            LogicalPlan::Sort(mut sort) => {
                is_changed |= in_sort(&mut sort.expr, sort.input.schema());
                LogicalPlan::Sort(sort)
            }
            LogicalPlan::Aggregate(mut aggregate) => {
                for value in &mut aggregate.aggr_expr {
                    let name = NamePreserver::new_for_projection().save(value);
                    is_changed |= in_aggregate(value, aggregate.input.schema());
                    *value = name.restore(std::mem::take(value));
                }
                LogicalPlan::Aggregate(aggregate)
            }
            other => other,
        };
        Ok(Transformed::new_transformed(plan, is_changed))
    }
}

fn in_aggregate(value: &mut Expr, schema: &DFSchema) -> bool {
    match value {
        Expr::Alias(alias) => in_aggregate(&mut alias.expr, schema),
        Expr::AggregateFunction(call) => in_sort(&mut call.params.order_by, schema),
        _ => false,
    }
}

/// Makes all keys of a sort but the last canonical.
fn in_sort(keys: &mut [SortExpr], schema: &DFSchema) -> bool {
    let last = keys.len().saturating_sub(1);
    keys[..last].iter_mut().fold(false, |is_changed, key| is_changed | in_key(&mut key.expr, schema))
}

fn in_key(key: &mut Expr, schema: &DFSchema) -> bool {
    let is_done = matches!(key, Expr::ScalarFunction(function) if function.name() == CANONICAL_FLOAT);
    let is_changed = !is_done && key.get_type(schema).is_ok_and(|data_type| has_floats(&data_type));
    if is_changed {
        *key = canonical_float(std::mem::take(key));
    }
    is_changed
}

/// Removes the function from an operand.
fn bare(expr: Expr) -> Expr {
    match expr {
        Expr::ScalarFunction(ScalarFunction { func, mut args })
            if func.name() == CANONICAL_NAN && args.len() == 1 =>
        {
            args.remove(0)
        }
        other => other,
    }
}

/// Returns whether an expression is a cast of text, or of a type that is not known.
fn is_of_text(expr: &Expr, schema: &DFSchema) -> bool {
    let (Expr::Cast(Cast { expr, .. }) | Expr::TryCast(TryCast { expr, .. })) = expr else { return false };
    expr.get_type(schema).map_or(true, |data_type| !data_type.is_numeric())
}

/// Returns whether an expression with operands that were visited already is a float.
fn is_float_result(expr: &Expr, schema: &DFSchema) -> bool {
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, right, .. }) => {
            is_float_operand(left, schema) || is_float_operand(right, schema)
        }
        Expr::Negative(operand) => is_float_operand(operand, schema),
        other => is_float(other, schema),
    }
}

/// Returns whether an operand is a float. Float arithmetic is a call of the function by now, which
/// saves a walk down a long chain of operators.
fn is_float_operand(operand: &Expr, schema: &DFSchema) -> bool {
    match operand {
        Expr::BinaryExpr(_) | Expr::Negative(_) => false,
        other => is_float(other, schema),
    }
}

fn is_float(expr: &Expr, schema: &DFSchema) -> bool {
    match expr {
        Expr::ScalarFunction(function) if function.name() == CANONICAL_NAN => true,
        other => other.get_type(schema).is_ok_and(|data_type| data_type.is_floating()),
    }
}
