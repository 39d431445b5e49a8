//! Literals: exact decimals, doubles with an exponent, and other notations of text.
//!
//! DataFusion's `parse_float_as_decimal` turns literals with a point into decimals, and literals
//! with an exponent too. The latter are handed over as casts of their text to DOUBLE.

use std::ops::ControlFlow;

use datafusion::sql::parser::{CopyToSource, Statement};
use datafusion::sql::sqlparser::ast::{
    CastKind, DataType, ExactNumberInfo, Expr, Query, SetExpr, UnaryOperator, Value, ValueWithSpan, VisitMut,
    VisitorMut,
};

use crate::error::{Error, Result};
use crate::plan::sql::walk::WalkMut;

/// Digits of the widest decimal.
const MAX_DIGITS: usize = 38;

/// Gives the number literals of a statement their types: with an exponent DOUBLE, with a point and
/// no exponent DECIMAL, BIGINT else. Makes plain text of texts such as `N'a'`.
///
/// # Errors
/// A literal has more digits than a decimal, or is one of bits.
pub(super) fn type_literals(statement: &mut Statement) -> Result<()> {
    match statement {
        Statement::Statement(statement) => visit(statement.as_mut()),
        Statement::Explain(explain) => type_literals(&mut explain.statement),
        Statement::CopyTo(copy) => match &mut copy.source {
            CopyToSource::Query(query) => visit(query.as_mut()),
            CopyToSource::Relation(_) => Ok(()),
        },
        Statement::CreateExternalTable(_) | Statement::Reset(_) => Ok(()),
    }
}

fn visit(node: &mut impl VisitMut) -> Result<()> {
    match node.walk_mut(&mut Numbers) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(error) => Err(*error),
    }
}

struct Numbers;

impl VisitorMut for Numbers {
    type Break = Box<Error>;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Self::Break> {
        if let SetExpr::Values(values) = query.body.as_mut() {
            let rows = values.rows.iter_mut().map(|row| &mut row.content);
            unify_columns(&mut rows.collect::<Vec<_>>());
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_value(&mut self, value: &mut ValueWithSpan) -> ControlFlow<Self::Break> {
        if is_of_bits(&value.value) {
            return ControlFlow::Break(Box::new(Error::Query(format!(
                "{} is a text of bits, and no column has them: write a number, or bytes as X'0F'",
                value.value
            ))));
        }
        if is_other_text(&value.value)
            && let Some(text) = value.value.clone().into_string()
        {
            value.value = Value::SingleQuotedString(text);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Self::Break> {
        if let Expr::Interval(_) = expr {
            return ControlFlow::Continue(());
        }
        let Some(number) = number(expr).map(str::to_owned) else { return ControlFlow::Continue(()) };
        match Number::of(&number) {
            Number::Integer => ControlFlow::Continue(()),
            Number::Double => {
                *expr = double(&number);
                ControlFlow::Continue(())
            }
            Number::Decimal(digits) if digits <= MAX_DIGITS => ControlFlow::Continue(()),
            Number::Decimal(digits) => ControlFlow::Break(Box::new(Error::Query(format!(
                "the number {number} has {digits} digits, and a DECIMAL has at most {MAX_DIGITS}: write it \
                 with fewer, or with an exponent, as in 1.5e0, for a DOUBLE"
            )))),
        }
    }
}

fn is_of_bits(value: &Value) -> bool {
    matches!(
        value,
        Value::SingleQuotedByteStringLiteral(_)
            | Value::DoubleQuotedByteStringLiteral(_)
            | Value::TripleSingleQuotedByteStringLiteral(_)
            | Value::TripleDoubleQuotedByteStringLiteral(_)
    )
}

/// Returns whether a value is text in a notation that DataFusion's planner lacks.
fn is_other_text(value: &Value) -> bool {
    matches!(
        value,
        Value::NationalStringLiteral(_)
            | Value::UnicodeStringLiteral(_)
            | Value::QuoteDelimitedStringLiteral(_)
            | Value::NationalQuoteDelimitedStringLiteral(_)
            | Value::SingleQuotedRawStringLiteral(_)
            | Value::DoubleQuotedRawStringLiteral(_)
            | Value::TripleSingleQuotedRawStringLiteral(_)
            | Value::TripleDoubleQuotedRawStringLiteral(_)
            | Value::TripleSingleQuotedString(_)
            | Value::TripleDoubleQuotedString(_)
    )
}

/// The kinds of number literals.
enum Number {
    /// At most 19 digits without a point.
    Integer,
    /// With a point, or longer than an integer can be; its digits.
    Decimal(usize),
    /// With an exponent.
    Double,
}

impl Number {
    fn of(text: &str) -> Self {
        if text.contains(['e', 'E']) {
            return Self::Double;
        }
        let text = text.replace('_', "");
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let whole = whole.trim_start_matches('0');
        match whole.len() + fraction.len() {
            0..=19 if !text.contains('.') => Self::Integer,
            // a fraction's leading zeros count only where they make the scale
            digits if whole.is_empty() => Self::Decimal(fraction.len().max(digits)),
            digits => Self::Decimal(digits),
        }
    }
}

fn number(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Value(ValueWithSpan { value: Value::Number(number, _), .. }) => Some(number),
        _ => None,
    }
}

/// Writes a number as a cast: `CAST('1e3' AS DOUBLE)`.
pub(super) fn double(number: &str) -> Expr {
    Expr::Cast {
        kind: CastKind::Cast,
        expr: Box::new(Expr::value(Value::SingleQuotedString(number.replace('_', "")))),
        data_type: DataType::Double(ExactNumberInfo::None),
        array: false,
        format: None,
    }
}

/// Turns decimals into doubles in columns of VALUES that hold a double. DataFusion takes the
/// decimal for the common type, into which few doubles fit.
fn unify_columns(rows: &mut [&mut Vec<Expr>]) {
    let columns = rows.iter().map(|row| row.len()).max().unwrap_or_default();
    for column in 0..columns {
        if !rows.iter().any(|row| row.get(column).is_some_and(is_double)) {
            continue;
        }
        for cell in rows.iter_mut().filter_map(|row| row.get_mut(column)) {
            let cell = literal(cell);
            let decimal = number(cell).filter(|number| matches!(Number::of(number), Number::Decimal(_)));
            if let Some(decimal) = decimal.map(str::to_owned) {
                *cell = double(&decimal);
            }
        }
    }
}

/// Returns the number behind signs and parentheses.
fn literal(expr: &mut Expr) -> &mut Expr {
    match expr {
        Expr::Nested(inner)
        | Expr::UnaryOp { op: UnaryOperator::Minus | UnaryOperator::Plus, expr: inner } => literal(inner),
        other => other,
    }
}

fn is_double(expr: &Expr) -> bool {
    match expr {
        Expr::Nested(inner) | Expr::UnaryOp { expr: inner, .. } => is_double(inner),
        Expr::Cast { data_type, .. } => matches!(
            data_type,
            DataType::Double(_)
                | DataType::DoublePrecision
                | DataType::Real
                | DataType::Float(_)
                | DataType::Float4
                | DataType::Float8
                | DataType::Float32
                | DataType::Float64
        ),
        other => number(other).is_some_and(|number| matches!(Number::of(number), Number::Double)),
    }
}

#[cfg(test)]
mod tests;
