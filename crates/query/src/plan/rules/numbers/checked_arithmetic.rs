//! Replacement of arithmetic by functions that fail on overflow, and of casts of and to text.

use arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{BinaryExpr, Cast, Expr, ExprSchemable, LogicalPlan, Operator, TryCast};
use datafusion::optimizer::AnalyzerRule;

use crate::plan::rules::expressions::{rewrite_expressions, rewrite_wanted};

use crate::functions::checked;
use crate::functions::{Arithmetic, Chain, Checked, NumberCast};
use crate::tree::PlanTree;

/// Puts [`Arithmetic`] in place of operators on integers and decimals, and [`NumberCast`] in that
/// of casts to text and of text to timestamps. The rule runs after type coercion, and before
/// constants are folded.
#[derive(Debug)]
pub(in crate::plan::rules) struct CheckedArithmetic;

impl AnalyzerRule for CheckedArithmetic {
    fn name(&self) -> &str {
        "checked_arithmetic"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        rewrite_wanted(plan, is_checked, |part, schema| Ok(check(part, schema)))
            .map(|transformed| transformed.data)
    }
}

/// Returns whether an expression may get a function in its place.
fn is_checked(expression: &Expr) -> bool {
    match expression {
        Expr::BinaryExpr(BinaryExpr { op, .. }) => is_arithmetic(*op),
        Expr::Negative(_) | Expr::Cast(_) => true,
        _ => false,
    }
}

fn check(expression: Expr, schema: &DFSchema) -> Transformed<Expr> {
    let function = match &expression {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if is_arithmetic(*op) => {
            match (type_of(left, schema), type_of(right, schema)) {
                (Some(left), Some(right)) => Arithmetic::of(&left, *op, &right),
                _ => None,
            }
        }
        Expr::Negative(value) => type_of(value, schema).and_then(|found| Arithmetic::negate(&found)),
        Expr::Cast(Cast { expr, field }) => {
            let from = type_of(expr, schema).filter(|from| is_of_text(from, field.data_type()));
            let cast = from.and_then(|from| NumberCast::of(&from, field.data_type(), false));
            return match (cast, expression) {
                (Some(cast), Expr::Cast(Cast { expr, .. })) => Transformed::yes(cast.call(vec![*expr])),
                (_, expression) => Transformed::no(expression),
            };
        }
        _ => None,
    };
    match (function, expression) {
        (Some(function), Expr::BinaryExpr(BinaryExpr { left, right, .. })) => {
            Transformed::yes(Chain::appended(function, *left, *right))
        }
        (Some(function), Expr::Negative(value)) => Transformed::yes(function.call(vec![*value])),
        (_, expression) => Transformed::no(expression),
    }
}

/// Returns whether a cast writes text, or reads timestamps from it.
fn is_of_text(from: &DataType, to: &DataType) -> bool {
    to.is_string() || (from.is_string() && matches!(to, DataType::Timestamp(..)))
}

fn is_arithmetic(op: Operator) -> bool {
    matches!(op, Operator::Plus | Operator::Minus | Operator::Multiply | Operator::Divide)
}

/// Returns the type of an expression. A replaced operator stores its type, so a long chain of
/// operators is not walked again for each of them.
fn type_of(expression: &Expr, schema: &DFSchema) -> Option<DataType> {
    if let Expr::ScalarFunction(call) = expression {
        let function = call.func.inner();
        if let Some(arithmetic) = function.downcast_ref::<Arithmetic>() {
            return Some(arithmetic.result().clone());
        }
        if let Some(result) = function.downcast_ref::<Chain>().and_then(Chain::result) {
            return Some(result.clone());
        }
    }
    expression.get_type(schema).ok()
}

/// Returns a plan with operators and casts in place of the functions that stand for them, for
/// engines that do not have these.
///
/// # Errors
/// A node can't be made of its new expressions.
pub(in crate::plan) fn as_operators(plan: LogicalPlan) -> Result<LogicalPlan> {
    let plan = plan.transform_all_up(|node| rewrite_expressions(node, |node| Ok(operator(node))));
    plan.map(|transformed| transformed.data)
}

fn operator(expression: Expr) -> Transformed<Expr> {
    let Expr::ScalarFunction(call) = expression else { return Transformed::no(expression) };
    let chain = call.func.inner().downcast_ref::<Chain>();
    if let Some(operators) = chain.and_then(|chain| chain.as_operators(&call.args)) {
        return Transformed::yes(operators);
    }
    let new = match (checked(&call), call.args.as_slice()) {
        (Some(Checked::Binary(op)), [left, right]) => {
            let (left, right) = (Box::new(left.clone()), Box::new(right.clone()));
            Expr::BinaryExpr(BinaryExpr::new(left, op, right))
        }
        (Some(Checked::Negate), [value]) => Expr::Negative(Box::new(value.clone())),
        (Some(Checked::Cast(to)), [value]) => Expr::Cast(Cast::new(Box::new(value.clone()), to.clone())),
        (Some(Checked::TryCast(to)), [value]) => {
            Expr::TryCast(TryCast::new(Box::new(value.clone()), to.clone()))
        }
        _ => {
            let ScalarFunction { func, args } = call;
            return Transformed::no(Expr::ScalarFunction(ScalarFunction::new_udf(func, args)));
        }
    };
    Transformed::yes(new)
}
