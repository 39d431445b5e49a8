//! Literals of TIMESTAMP and TIME, texts of intervals, and AT TIME ZONE.

use std::mem::replace;
use std::ops::ControlFlow;

use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, CastKind, DataType as SqlType, DateTimeField, ExactNumberInfo, Expr, Interval,
    TypedString, UnaryOperator, Value, ValueWithSpan, VisitorMut,
};

use super::syntax::{call, sql_statement};
use crate::error::{Error, Result};
use crate::plan::sql::walk::WalkMut;

/// Digits behind the point of a second that TIMESTAMP and TIME have.
const DIGITS: usize = 6;

/// Turns literals with more decimal places than TIMESTAMP and TIME have into nanoseconds, writes
/// units for times of day in intervals, makes products of intervals of a computed count, and turns
/// AT TIME ZONE into a function.
///
/// # Errors
/// An interval has a fraction of a unit: PostgreSQL and DuckDB cut it off.
pub(super) fn prepare(statement: &mut Statement) -> Result<()> {
    match sql_statement(statement).map(|statement| statement.walk_mut(&mut Prepare)) {
        Some(ControlFlow::Break(error)) => Err(error),
        _ => Ok(()),
    }
}

struct Prepare;

impl VisitorMut for Prepare {
    type Break = Error;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Error> {
        match expr {
            Expr::TypedString(TypedString { data_type, value, .. }) => refined(data_type, value),
            Expr::Cast { expr, data_type, .. } => {
                if let Expr::Value(value) = expr.as_mut() {
                    match data_type {
                        SqlType::Interval { .. } => write_units(value),
                        _ => refined(data_type, value),
                    }
                }
            }
            Expr::Interval(interval) => {
                if let Some(computed) = computed(interval) {
                    *expr = computed;
                    return ControlFlow::Continue(());
                }
                if let (Expr::Value(value), None) = (interval.value.as_mut(), &interval.leading_field) {
                    write_units(value);
                }
                if let Some(error) = fraction(interval) {
                    return ControlFlow::Break(error);
                }
            }
            // DataFusion puts the sign in front of the text, where it is that of the first part
            // alone
            Expr::UnaryOp { op: UnaryOperator::Minus, expr } if matches!(**expr, Expr::Interval(_)) => {
                let interval = replace(&mut **expr, nothing());
                **expr = Expr::Nested(Box::new(interval));
            }
            Expr::AtTimeZone { .. } => {
                let Expr::AtTimeZone { timestamp, time_zone } = replace(expr, nothing()) else {
                    return ControlFlow::Continue(());
                };
                *expr = call("timezone", vec![*time_zone, *timestamp]);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// Returns the product that an interval of a computed count is: `INTERVAL (x) DAY`, whole days.
/// Only seconds have fractions, as in DuckDB. A constant in parentheses takes their place.
fn computed(interval: &mut Interval) -> Option<Expr> {
    while let Expr::Nested(inner) = interval.value.as_ref()
        && let Expr::Value(_) | Expr::Nested(_) = inner.as_ref()
    {
        interval.value = inner.clone();
    }
    let is_quarter = interval.leading_field == Some(DateTimeField::Quarter);
    let count = match interval.value.as_ref() {
        Expr::Nested(count) => (**count).clone(),
        count @ Expr::Value(_) if is_quarter => count.clone(),
        count @ (Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Function(_)) => count.clone(),
        _ => return None,
    };
    let cast = |expr: Expr, data_type: SqlType| Expr::Cast {
        kind: CastKind::Cast,
        expr: Box::new(expr),
        data_type,
        array: false,
        format: None,
    };
    let Some(unit) = interval.leading_field.clone() else {
        return Some(cast(count, SqlType::Interval { fields: None, precision: None }));
    };
    let has_fraction = unit.to_string().to_lowercase().contains("second");
    let count = cast(count, SqlType::Double(ExactNumberInfo::None));
    let count = match has_fraction {
        true => count,
        false => cast(call("trunc", vec![count]), SqlType::BigInt(None)),
    };
    // Arrow has no quarters
    let (one, unit) = if is_quarter { ("3", DateTimeField::Month) } else { ("1", unit) };
    let one = Expr::Interval(Interval {
        value: Box::new(Expr::value(Value::SingleQuotedString(one.to_owned()))),
        leading_field: Some(unit),
        ..interval.clone()
    });
    Some(Expr::Nested(Box::new(Expr::BinaryOp {
        left: Box::new(one),
        op: BinaryOperator::Multiply,
        right: Box::new(count),
    })))
}

/// Writes units for the time of day in the text of an interval.
fn write_units(value: &mut ValueWithSpan) {
    if let Value::SingleQuotedString(text) = &mut value.value
        && let Some(written) = in_units(text)
    {
        *text = written;
    }
}

/// Returns an error for an interval that has a fraction in front of a unit longer than a second.
fn fraction(interval: &Interval) -> Option<Error> {
    let unit = interval.leading_field.as_ref()?.to_string().to_lowercase();
    if unit.contains("second") {
        return None;
    }
    let Expr::Value(value) = interval.value.as_ref() else { return None };
    let (Value::SingleQuotedString(number) | Value::Number(number, _)) = &value.value else { return None };
    let is_fraction = number.contains('.') && number.parse::<f64>().is_ok_and(|value| value.fract() != 0.0);
    is_fraction.then(|| {
        let number = number.trim();
        Error::Query(format!(
            "INTERVAL '{number}' {unit} takes whole numbers: write INTERVAL '{number} {unit}'"
        ))
    })
}

fn nothing() -> Expr {
    Expr::Value(Value::Null.with_empty_span())
}

fn refined(data_type: &mut SqlType, value: &ValueWithSpan) {
    let Value::SingleQuotedString(text) = &value.value else { return };
    let fraction = text.rsplit_once('.').map_or("", |(_, fraction)| fraction);
    if fraction.bytes().take_while(u8::is_ascii_digit).count() <= DIGITS {
        return;
    }
    match data_type {
        SqlType::Timestamp(digits @ None, _) | SqlType::Time(digits @ None, _) => *digits = Some(9),
        _ => {}
    }
}

/// Returns the text of an interval with units for its time of day, which DataFusion requires;
/// `None` if it has no time of day. A sign in front of the time applies to all its parts.
///
/// PostgreSQL and DuckDB write intervals with such times.
pub(super) fn in_units(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_number = |word: &&str| word.parse::<f64>().is_ok();
    let mut is_changed = false;
    let mut written = Vec::with_capacity(words.len());
    for (index, word) in words.iter().enumerate() {
        // after a number without a unit it is SQL's DAY TO SECOND form
        let follows_number = index.checked_sub(1).is_some_and(|before| is_number(&words[before]));
        match clock(word).filter(|_| !follows_number) {
            Some(units) if !is_changed => {
                written.push(units);
                is_changed = true;
            }
            _ => written.push((*word).to_owned()),
        }
    }
    is_changed.then(|| written.join(" "))
}

/// Returns a time of day in units: hours and minutes, or these and seconds.
fn clock(word: &str) -> Option<String> {
    let (sign, parts) = match word.strip_prefix('-') {
        Some(parts) => ("-", parts),
        None => ("", word.strip_prefix('+').unwrap_or(word)),
    };
    let (hours, rest) = parts.split_once(':')?;
    let (minutes, seconds) = rest.split_once(':').unwrap_or((rest, "0"));
    let (whole, fraction) = seconds.split_once('.').unwrap_or((seconds, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_sixtieth = |part: &str| is_digits(part) && part.len() <= 2 && part < "60";
    let is_clock = is_digits(hours) && is_sixtieth(minutes) && is_sixtieth(whole) && is_digits(fraction);
    is_clock.then(|| format!("{sign}{hours} hours {sign}{minutes} minutes {sign}{whole}.{fraction} seconds"))
}

#[cfg(test)]
mod tests;
