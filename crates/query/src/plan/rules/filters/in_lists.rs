//! IN lists that DataFusion simplifies without regard to NULL.
//!
//! It takes pairs of lists below AND and OR for sets. Two lists without a common value become
//! false, which should be NULL where `x` is NULL. Lists with columns `a` and `b` become their
//! common literals, though `a` and `b` may be equal. `array_has` of a list with NULL becomes an IN
//! list, which is NULL in place of false.

use arrow::array::Array;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::functions::expr_fn::coalesce;
use datafusion::logical_expr::expr::{Case, InList};
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, LogicalPlan, Operator, lit};
use datafusion::optimizer::AnalyzerRule;

use crate::plan::rules::expressions::rewrite_wanted;

/// Keeps pairs of IN lists from being simplified to the lists' intersection or difference, and
/// makes `array_has` false for values outside of a list with NULL.
#[derive(Debug)]
pub(in crate::plan::rules) struct ListsWithNull;

impl AnalyzerRule for ListsWithNull {
    fn name(&self) -> &str {
        "lists_with_null"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        rewrite_wanted(plan, is_kept, |part, _| Ok(keep(part))).map(|transformed| transformed.data)
    }
}

/// Returns whether [`keep`] may change an expression.
fn is_kept(expr: &Expr) -> bool {
    match expr {
        Expr::BinaryExpr(BinaryExpr { op, .. }) => matches!(op, Operator::And | Operator::Or),
        Expr::ScalarFunction(call) => call.name().starts_with("array_has"),
        _ => false,
    }
}

fn keep(node: Expr) -> Transformed<Expr> {
    match node {
        Expr::BinaryExpr(BinaryExpr { left, op: op @ (Operator::And | Operator::Or), right }) => {
            keep_apart(left, op, right)
        }
        Expr::ScalarFunction(call) if call.name() == "array_has" && call.args.len() == 2 => {
            let [list, value] = [&call.args[0], &call.args[1]];
            if !may_hold_null(list) || value.is_volatile() {
                return Transformed::no(Expr::ScalarFunction(call));
            }
            let otherwise = value.clone().is_null().and(unknown());
            Transformed::yes(coalesce(vec![Expr::ScalarFunction(call), otherwise]))
        }
        // false where one of the lists is NULL, depending on other rows
        Expr::ScalarFunction(call)
            if matches!(call.name(), "array_has_any" | "array_has_all") && call.args.len() == 2 =>
        {
            let [left, right] = [call.args[0].clone(), call.args[1].clone()];
            if left.is_volatile() || right.is_volatile() {
                return Transformed::no(Expr::ScalarFunction(call));
            }
            let is_unknown = (Box::new(left.is_null().or(right.is_null())), Box::new(unknown()));
            let otherwise = Some(Box::new(Expr::ScalarFunction(call)));
            Transformed::yes(Expr::Case(Case::new(None, vec![is_unknown], otherwise)))
        }
        other => Transformed::no(other),
    }
}

fn keep_apart(left: Box<Expr>, op: Operator, right: Box<Expr>) -> Transformed<Expr> {
    let value = match (listed(&left), listed(&right)) {
        (Some(other), Some(value)) if bare(value) == bare(other) && !value.is_volatile() => value.clone(),
        _ => return Transformed::no(Expr::BinaryExpr(BinaryExpr { left, op, right })),
    };
    let right = split(*right).or(value.is_null().and(unknown()));
    let pair = BinaryExpr { left: Box::new(split(*left)), op, right: Box::new(right) };
    Transformed::yes(Expr::BinaryExpr(pair))
}

/// Returns the value that an expression looks up in a list, or compares with one constant after the
/// other.
fn listed(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::InList(list) => Some(&list.expr),
        Expr::Not(inner) => listed(inner),
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
            listed(left).filter(|value| listed(right).is_some_and(|other| bare(other) == bare(value)))
        }
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) => {
            match (left.column_refs().is_empty(), right.column_refs().is_empty()) {
                (false, true) => Some(left),
                (true, false) => Some(right),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns an expression without the conversions around it, which simplification may take away.
fn bare(expr: &Expr) -> &Expr {
    match expr {
        Expr::Cast(cast) => bare(&cast.expr),
        other => other,
    }
}

/// Moves NULL and expressions other than constants out of a list, into comparisons of their own.
fn split(expr: Expr) -> Expr {
    match expr {
        Expr::InList(InList { expr, list, negated }) => {
            let is_plain = |item: &Expr| item.column_refs().is_empty() && !may_be_null(item);
            let (plain, other): (Vec<Expr>, Vec<Expr>) = list.into_iter().partition(is_plain);
            let value = expr.as_ref().clone();
            let list = Expr::InList(InList { expr, list: plain, negated });
            other.into_iter().fold(list, |list, item| match negated {
                true => list.and(value.clone().not_eq(item)),
                false => list.or(value.clone().eq(item)),
            })
        }
        Expr::Not(inner) => Expr::Not(Box::new(split(*inner))),
        other => other,
    }
}

/// Returns whether a list that is written out may have NULL in it. DataFusion takes such a list for
/// an IN list.
fn may_hold_null(list: &Expr) -> bool {
    match list {
        Expr::ScalarFunction(call) if call.name() == "make_array" => call.args.iter().any(may_be_null),
        Expr::Cast(cast) => may_hold_null(&cast.expr),
        Expr::Literal(ScalarValue::List(list), _) => list.values().null_count() > 0,
        Expr::Literal(ScalarValue::LargeList(list), _) => list.values().null_count() > 0,
        _ => false,
    }
}

fn unknown() -> Expr {
    lit(ScalarValue::Boolean(None))
}

/// Returns whether an item of a list may be NULL; columns may.
fn may_be_null(item: &Expr) -> bool {
    item.nullable(&DFSchema::empty()).unwrap_or(true)
}
