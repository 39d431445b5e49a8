//! UInt64 beside signed integers.

use arrow::datatypes::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::{BinaryExpr, Cast, Expr, ExprSchemable, Operator, binary_expr, lit};

use super::literal::cast;

/// Decimal with the digits of the greatest UInt64; every Int64 has fewer.
const DIGITS: DataType = DataType::Decimal128(20, 0);

/// Makes a quotient of such types an integer, as of other integers.
///
/// Their common type is a decimal, and DataFusion's quotients of decimals have four more decimal
/// places. A literal that is not negative becomes a UInt64. Otherwise the remainder is subtracted
/// before the division, so that the quotient is exact.
pub(super) fn whole_quotient(binary: BinaryExpr, schema: &DFSchema) -> Transformed<Expr> {
    let BinaryExpr { left, op, right } = binary;
    let is_unsigned = |expr: &Expr| matches!(expr.get_type(schema), Ok(DataType::UInt64));
    let is_signed = |expr: &Expr| expr.get_type(schema).is_ok_and(|found| found.is_signed_integer());
    let is_whole = |expr: &Expr| is_unsigned(expr) || is_signed(expr) || is_common(expr, schema);
    let has_common = is_common(&left, schema) || is_common(&right, schema);
    let is_mixed = match has_common {
        false => (is_unsigned(&left) && is_signed(&right)) || (is_signed(&left) && is_unsigned(&right)),
        true => is_whole(&left) && is_whole(&right),
    };
    if !is_mixed || left.is_volatile() || right.is_volatile() {
        return Transformed::no(Expr::BinaryExpr(BinaryExpr { left, op, right }));
    }
    if let (false, Some(left), Some(right)) =
        (has_common, as_unsigned(&left, schema), as_unsigned(&right, schema))
    {
        return Transformed::yes(binary_expr(left, op, right));
    }
    let (left, right) = (cast(*left, &DIGITS), cast(*right, &DIGITS));
    let rest = binary_expr(left.clone(), Operator::Modulo, right.clone());
    let quotient = binary_expr(binary_expr(left, Operator::Minus, rest), Operator::Divide, right);
    Transformed::yes(cast(quotient, &DIGITS))
}

/// Returns whether an expression has the common type of UInt64 and signed numbers, and is one of
/// both.
fn is_common(expr: &Expr, schema: &DFSchema) -> bool {
    let parts: Vec<&Expr> = match expr {
        Expr::ScalarFunction(call) if matches!(call.name(), "coalesce" | "greatest" | "least") => {
            call.args.iter().collect()
        }
        // its value is the first argument or NULL
        Expr::ScalarFunction(call) if call.name() == "nullif" => call.args.iter().take(1).collect(),
        Expr::Case(case) => {
            let arms = case.when_then_expr.iter().map(|(_, then)| then).chain(&case.else_expr);
            arms.map(|arm| arm.as_ref()).collect()
        }
        _ => return false,
    };
    let (mut has_unsigned, mut has_signed) = (false, false);
    // the arms of a CASE were cast already
    let inner = |part| match part {
        &Expr::Cast(Cast { ref expr, ref field }) if *field.data_type() == DIGITS => expr.as_ref(),
        other => other,
    };
    let all_are_whole = parts.into_iter().map(inner).all(|part| match part.get_type(schema) {
        _ if is_common(part, schema) => {
            (has_unsigned, has_signed) = (true, true);
            true
        }
        _ if matches!(part, Expr::Literal(value, _) if value.is_null()) => true,
        Ok(DataType::UInt64) => {
            has_unsigned = true;
            true
        }
        Ok(found) => {
            has_signed |= found.is_signed_integer();
            found.is_integer() || found.is_null()
        }
        Err(_) => false,
    });
    all_are_whole && has_unsigned && has_signed
}

/// Returns an expression as a UInt64, if it is one or a literal that is not negative.
fn as_unsigned(expr: &Expr, schema: &DFSchema) -> Option<Expr> {
    if matches!(expr.get_type(schema), Ok(DataType::UInt64)) {
        return Some(expr.clone());
    }
    let Expr::Literal(value, _) = expr else { return None };
    let Ok(ScalarValue::Int64(Some(value))) = value.cast_to(&DataType::Int64) else { return None };
    u64::try_from(value).ok().map(lit)
}

/// Turns the literals among some expressions into UInt64 where the common type would otherwise be a
/// decimal; `None` if these are not all UInt64 or fitting literals.
pub(super) fn make_unsigned(expressions: &mut [&mut Expr], types: &[DataType]) -> Option<bool> {
    let is_unsigned = types.contains(&DataType::UInt64);
    let literal = |expr: &Expr| match expr {
        Expr::Literal(ScalarValue::Int64(Some(value)), _) => u64::try_from(*value).ok(),
        _ => None,
    };
    let fits = |(expr, found): (&&mut Expr, &DataType)| {
        matches!(found, DataType::UInt64 | DataType::Null) || literal(expr).is_some()
    };
    if !is_unsigned || !expressions.iter().zip(types).all(fits) {
        return None;
    }
    let mut is_changed = false;
    for expr in expressions.iter_mut() {
        if let Some(value) = literal(expr) {
            **expr = lit(value);
            is_changed = true;
        }
    }
    Some(is_changed)
}
