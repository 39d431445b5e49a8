//! Common type of the operands of an expression.

use arrow::datatypes::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::{
    AggregateFunction, Case, InList, InSubquery, ScalarFunction, SetComparison,
};
use datafusion::logical_expr::type_coercion::binary::type_union_resolution;
use datafusion::logical_expr::{
    Between, BinaryExpr, Cast, Expr, ExprSchemable, LogicalPlanBuilder, Operator, Subquery, lit,
};

use super::dates::{common_instant, days_between, is_local, of_text, refuse_dates};
use super::literal::{self, cast};
use super::unsigned;
use crate::functions::{NumberCast, common_time, is_bytes, time_unit};

/// Returns the float type to which decimals are cast if some types are floats; `None` unless there
/// are both.
fn common_float(types: &[DataType]) -> Option<DataType> {
    let decimals = types.iter().any(DataType::is_decimal);
    let floats = types.iter().filter(|found| found.is_floating());
    let widest = floats.max_by_key(|float| float.primitive_width());
    widest.filter(|_| decimals).cloned()
}

/// Returns the common type of numbers or times; `None` if no cast is needed.
///
/// # Errors
/// Some are dates, and others integers.
pub(super) fn common(types: &[DataType]) -> Result<Option<DataType>> {
    refuse_dates(types)?;
    let time = || common_time(types.iter()).or_else(|| common_instant(types));
    Ok(common_float(types).or_else(time))
}

/// Returns whether a value of a type has to be cast to the common type of several.
pub(super) fn differs(found: &DataType, common: &DataType) -> bool {
    match common {
        DataType::Timestamp(..) => is_local(found),
        _ if common.is_floating() => found.is_decimal(),
        _ => time_unit(found).is_some() && found != common,
    }
}

/// Functions with arguments of one common type, the type of their result.
const UNIFYING: [&str; 24] = [
    "coalesce",
    "nvl",
    "nvl2",
    "ifnull",
    "nullif",
    "greatest",
    "least",
    "nanvl",
    "power",
    "pow",
    "log",
    "atan2",
    "make_array",
    "make_list",
    "array_has",
    "list_has",
    "list_contains",
    "array_contains",
    "array_append",
    "list_append",
    "array_position",
    "list_position",
    "array_remove",
    "list_remove",
];

/// Aggregate functions with shares as further arguments, which have to be doubles.
const PERCENTILES: [&str; 5] = [
    "approx_percentile_cont",
    "approx_percentile_cont_with_weight",
    "percentile_cont",
    "quantile_cont",
    "approx_median",
];

/// Returns whether [`unify`] may change an expression, or refuse it.
pub(super) fn has_operands(part: &Expr) -> bool {
    match part {
        Expr::BinaryExpr(BinaryExpr { op, .. }) => {
            is_comparison(*op) || matches!(op, Operator::Divide | Operator::Modulo | Operator::Minus)
        }
        Expr::ScalarFunction(call) => UNIFYING.contains(&call.name()),
        Expr::Between(_)
        | Expr::InList(_)
        | Expr::Case(_)
        | Expr::AggregateFunction(_)
        | Expr::InSubquery(_)
        | Expr::SetComparison(_)
        | Expr::IsTrue(_)
        | Expr::IsNotTrue(_)
        | Expr::IsFalse(_)
        | Expr::IsNotFalse(_)
        | Expr::IsUnknown(_)
        | Expr::IsNotUnknown(_) => true,
        _ => false,
    }
}

/// Returns an expression with operands of a common type. The operands were rewritten before.
pub(super) fn unify(expression: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    Ok(match expression {
        Expr::BinaryExpr(binary) if is_comparison(binary.op) => comparison(binary, schema)?,
        Expr::BinaryExpr(binary) if binary.op == Operator::Divide => unsigned::whole_quotient(binary, schema),
        Expr::BinaryExpr(binary) if binary.op == Operator::Modulo => remainder(binary, schema),
        Expr::BinaryExpr(binary) if binary.op == Operator::Minus => days_between(binary, schema),
        Expr::Between(between) => in_between(between, schema)?,
        Expr::InList(list) => in_list(list, schema)?,
        Expr::Case(case) => in_case(case, schema)?,
        Expr::ScalarFunction(mut call) if UNIFYING.contains(&call.name()) => {
            let is_changed = unify_types(&mut call.args.iter_mut().collect::<Vec<_>>(), schema)?;
            Transformed::new_transformed(Expr::ScalarFunction(call), is_changed)
        }
        Expr::ScalarFunction(ScalarFunction { .. }) => Transformed::no(expression),
        Expr::AggregateFunction(call) => in_aggregate(call),
        Expr::InSubquery(InSubquery { mut expr, subquery, negated }) => {
            let (subquery, is_changed) = in_subquery(&mut expr, subquery, schema)?;
            let changed = Expr::InSubquery(InSubquery::new(expr, subquery, negated));
            Transformed::new_transformed(changed, is_changed)
        }
        Expr::SetComparison(SetComparison { mut expr, subquery, op, quantifier }) => {
            let (subquery, is_changed) = in_subquery(&mut expr, subquery, schema)?;
            let changed = Expr::SetComparison(SetComparison::new(expr, subquery, op, quantifier));
            Transformed::new_transformed(changed, is_changed)
        }
        Expr::IsTrue(value) => truth(value, schema, Expr::IsTrue),
        Expr::IsNotTrue(value) => truth(value, schema, Expr::IsNotTrue),
        Expr::IsFalse(value) => truth(value, schema, Expr::IsFalse),
        Expr::IsNotFalse(value) => truth(value, schema, Expr::IsNotFalse),
        Expr::IsUnknown(value) => truth(value, schema, Expr::IsUnknown),
        Expr::IsNotUnknown(value) => truth(value, schema, Expr::IsNotUnknown),
        other => Transformed::no(other),
    })
}

/// Casts the operand of IS TRUE and the like to a truth value, as DuckDB does.
fn truth(mut value: Box<Expr>, schema: &DFSchema, test: fn(Box<Expr>) -> Expr) -> Transformed<Expr> {
    let found = type_of(&value, schema);
    let has_truth = found.is_numeric() || found.is_string();
    if has_truth {
        // Arrow casts doubles to booleans, but not decimals
        let number = if found.is_decimal() { cast(*value, &DataType::Float64) } else { *value };
        value = Box::new(Expr::Cast(Cast::new(Box::new(number), DataType::Boolean)));
    }
    Transformed::new_transformed(test(value), has_truth)
}

/// Replaces a decimal's remainder by 1 with the one by -1, which is equal. DataFusion simplifies
/// the former to 0, as for an integer.
fn remainder(mut binary: BinaryExpr, schema: &DFSchema) -> Transformed<Expr> {
    let is_one = matches!(&*binary.right, Expr::Literal(ScalarValue::Int64(Some(1)), _));
    let is_changed = is_one && type_of(&binary.left, schema).is_decimal();
    if is_changed {
        binary.right = Box::new(lit(-1i64));
    }
    Transformed::new_transformed(Expr::BinaryExpr(binary), is_changed)
}

fn is_comparison(op: Operator) -> bool {
    use Operator as O;
    matches!(
        op,
        O::Eq | O::NotEq | O::Lt | O::LtEq | O::Gt | O::GtEq | O::IsDistinctFrom | O::IsNotDistinctFrom
    )
}

/// Casts decimals to floats if other expressions are floats, and decimal literals if others are
/// text; gives times of day one unit.
fn unify_types(expressions: &mut [&mut Expr], schema: &DFSchema) -> Result<bool> {
    let types: Vec<_> = expressions.iter().map(|expression| type_of(expression, schema)).collect();
    if let Some(is_changed) = unsigned::make_unsigned(expressions, &types) {
        return Ok(is_changed);
    }
    let is_column_of_text = |(expression, found): (&&mut Expr, &DataType)| {
        found.is_string() && !matches!(**expression, Expr::Literal(..))
    };
    let has_text = expressions.iter().zip(&types).any(is_column_of_text);
    let common = match common(&types)? {
        Some(common) => common,
        None if has_text => DataType::Float64,
        None => return Ok(false),
    };
    let mut is_changed = false;
    for (expression, found) in expressions.iter_mut().zip(&types) {
        let is_literal = matches!(**expression, Expr::Literal(..));
        if differs(found, &common) && (is_literal || !has_text) {
            **expression = cast(std::mem::take(*expression), &common);
            is_changed = true;
        }
    }
    Ok(is_changed)
}

/// Gives the sides of a comparison a common type. Texts beside timestamps in a zone are read in the
/// session's zone, and those beside bytes as bytes, with their escapes.
fn make_comparable(expressions: &mut [&mut Expr], schema: &DFSchema) -> Result<bool> {
    let types: Vec<_> = expressions.iter().map(|expression| type_of(expression, schema)).collect();
    let mut is_changed = false;
    if types.iter().any(is_bytes) {
        for (expression, found) in expressions.iter_mut().zip(&types) {
            if let Some(read) = NumberCast::of(found, &DataType::Binary, false).filter(|_| found.is_string())
            {
                **expression = read.call(vec![std::mem::take(*expression)]);
                is_changed = true;
            }
        }
    }
    if let Some(instant) = of_text(&types) {
        for (expression, found) in expressions.iter_mut().zip(&types) {
            if found.is_string() {
                **expression = cast(std::mem::take(*expression), &instant);
                is_changed = true;
            }
        }
    }
    Ok(unify_types(expressions, schema)? || is_changed)
}

/// Makes expressions comparable; if all are rows with the same number of fields, makes their fields
/// comparable.
fn unify_rows(expressions: &mut [&mut Expr], schema: &DFSchema) -> Result<bool> {
    let width = |expression: &&mut Expr| match &**expression {
        Expr::ScalarFunction(call) if matches!(call.name(), "struct" | "row") => Some(call.args.len()),
        _ => None,
    };
    let widths: Vec<_> = expressions.iter().map(width).collect();
    let Some(Some(width)) = widths.first() else { return make_comparable(expressions, schema) };
    if widths.iter().any(|other| *other != Some(*width)) {
        return Ok(false);
    }
    let mut is_changed = false;
    for field in 0..*width {
        let mut fields: Vec<&mut Expr> = Vec::with_capacity(expressions.len());
        for expression in expressions.iter_mut() {
            if let Expr::ScalarFunction(call) = &mut **expression {
                fields.extend(call.args.get_mut(field));
            }
        }
        is_changed |= make_comparable(&mut fields, schema)?;
    }
    Ok(is_changed)
}

/// Returns the type of an expression for this rule: for a list of floats, its element type.
fn type_of(expression: &Expr, schema: &DFSchema) -> DataType {
    let found = expression.get_type(schema).unwrap_or(DataType::Null);
    match found {
        DataType::List(field) if field.data_type().is_floating() => field.data_type().clone(),
        other => other,
    }
}

fn comparison(mut binary: BinaryExpr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    if unify_rows(&mut [&mut binary.left, &mut binary.right], schema)? {
        return Ok(Transformed::yes(Expr::BinaryExpr(binary)));
    }
    let types = [type_of(&binary.left, schema), type_of(&binary.right, schema)];
    let changed = match (&*binary.left, &*binary.right) {
        (_, Expr::Literal(value, _)) => literal::comparison(&binary.left, &types[0], binary.op, value),
        (Expr::Literal(value, _), _) => {
            let op = binary.op.swap();
            op.and_then(|op| literal::comparison(&binary.right, &types[1], op, value))
        }
        _ => None,
    };
    Ok(match changed {
        Some(changed) => Transformed::yes(changed),
        None => Transformed::no(Expr::BinaryExpr(binary)),
    })
}

fn in_between(mut between: Between, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let Between { expr, low, high, .. } = &mut between;
    let mut is_changed = make_comparable(&mut [expr, low, high], schema)?;
    let found = type_of(&between.expr, schema);
    if !is_changed {
        is_changed |= literal::bound(&mut between.low, &found, literal::Side::Low);
        is_changed |= literal::bound(&mut between.high, &found, literal::Side::High);
    }
    Ok(Transformed::new_transformed(Expr::Between(between), is_changed))
}

fn in_list(mut list: InList, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let mut all: Vec<&mut Expr> = vec![&mut list.expr];
    all.extend(&mut list.list);
    if unify_rows(&mut all, schema)? {
        return Ok(Transformed::yes(Expr::InList(list)));
    }
    let found = type_of(&list.expr, schema);
    Ok(literal::list(list, &found))
}

fn in_case(mut case: Case, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let mut is_changed = false;
    if let Some(subject) = &mut case.expr {
        let mut all: Vec<&mut Expr> = vec![subject];
        all.extend(case.when_then_expr.iter_mut().map(|(when, _)| &mut **when));
        is_changed |= make_comparable(&mut all, schema)?;
    }
    let mut results: Vec<&mut Expr> = case.when_then_expr.iter_mut().map(|(_, then)| &mut **then).collect();
    results.extend(case.else_expr.iter_mut().map(|otherwise| &mut **otherwise));
    is_changed |= unify_types(&mut results, schema)?;
    is_changed |= unify_results(&mut results, schema);
    Ok(Transformed::new_transformed(Expr::Case(case), is_changed))
}

/// Casts the results of a CASE to their common type, before an expression above it is planned with
/// the type of the first.
fn unify_results(results: &mut [&mut Expr], schema: &DFSchema) -> bool {
    let types: Result<Vec<DataType>> = results.iter().map(|result| result.get_type(schema)).collect();
    let Ok(types) = types else { return false };
    let Some(common) = with_dates(&types).or_else(|| type_union_resolution(&types)) else { return false };
    let mut is_changed = false;
    for (result, found) in results.iter_mut().zip(&types) {
        if *found != common && !found.is_null() {
            **result = cast(std::mem::take(*result), &common);
            is_changed = true;
        }
    }
    is_changed
}

/// Returns the type of timestamps that stand beside dates: their own, which may hold years that
/// nanoseconds, DataFusion's choice, do not.
fn with_dates(types: &[DataType]) -> Option<DataType> {
    let is_date = |found: &&DataType| matches!(found, DataType::Date32 | DataType::Date64);
    let mut others = types.iter().filter(|found| !is_date(found) && !found.is_null());
    let first = others.next()?;
    let is_one_type = matches!(first, DataType::Timestamp(..)) && others.all(|other| other == first);
    (is_one_type && types.iter().any(|found| is_date(&found))).then(|| first.clone())
}

fn in_aggregate(mut call: AggregateFunction) -> Transformed<Expr> {
    let mut is_changed = false;
    if PERCENTILES.contains(&call.func.name()) {
        for argument in &mut call.params.args {
            if let Expr::Literal(ScalarValue::Decimal128(..), _) = argument {
                *argument = cast(std::mem::take(argument), &DataType::Float64);
                is_changed = true;
            }
        }
    }
    Transformed::new_transformed(Expr::AggregateFunction(call), is_changed)
}

/// Gives an expression and the column of a subquery a common type.
fn in_subquery(expression: &mut Expr, subquery: Subquery, schema: &DFSchema) -> Result<(Subquery, bool)> {
    let field = subquery.subquery.schema().qualified_field(0);
    let types = [type_of(expression, schema), field.1.data_type().clone()];
    let Some(common) = common(&types)? else { return Ok((subquery, false)) };
    if differs(&types[0], &common) {
        *expression = cast(std::mem::take(expression), &common);
        return Ok((subquery, true));
    }
    let column = cast(Expr::Column(Column::from(field)), &common).alias(field.1.name());
    let plan = LogicalPlanBuilder::from(subquery.subquery.clone()).project([column])?.build()?;
    Ok((subquery.with_plan(plan.into()), true))
}
