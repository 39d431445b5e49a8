//! Checks of types and literals that DataFusion's consumer takes as they come.

use prost_reflect::{DynamicMessage, ReflectMessage, Value};

use crate::error::{Error, Result};

/// Most digits of a decimal.
const DIGITS: i32 = 38;

/// Longest value of a type of fixed length, in bytes. A NULL of the type takes this memory.
const MAX_FIXED: i32 = 1 << 16;

/// Checks a message's own fields.
///
/// # Errors
/// A type has values that it can't have, or a literal contradicts its type.
pub(super) fn check(message: &DynamicMessage) -> Result<()> {
    let wrong = |what: &str| Err(Error::Query(format!("this Substrait plan contradicts itself: {what}")));
    match message.descriptor().full_name() {
        "substrait.Type.Decimal" | "substrait.Expression.Literal.Decimal" => {
            let (precision, scale) = (number(message, "precision"), number(message, "scale"));
            if !(1..=DIGITS).contains(&precision) || !(0..=precision).contains(&scale) {
                return wrong(&format!("a decimal of {precision} digits, {scale} of them behind the point"));
            }
        }
        "substrait.Type.FixedBinary" if !(0..=MAX_FIXED).contains(&number(message, "length")) => {
            return wrong(&format!("values of {} bytes each", number(message, "length")));
        }
        "substrait.Type.PrecisionTime"
        | "substrait.Type.PrecisionTimestamp"
        | "substrait.Type.PrecisionTimestampTZ"
        | "substrait.Expression.Literal.PrecisionTime"
        | "substrait.Expression.Literal.PrecisionTimestamp" => {
            let precision = number(message, "precision");
            if ![0, 3, 6, 9].contains(&precision) {
                return Err(Error::Query(format!(
                    "not supported: a time with {precision} digits behind the second; there are 0, 3, 6 and 9"
                )));
            }
        }
        "substrait.Expression.Literal.IntervalDayToSecond" => {
            let millis = i64::from(number(message, "seconds")) * 1000;
            if i32::try_from(millis.abs() + 1000).is_err() {
                return wrong(&format!("an interval of {} seconds is beyond its type", millis / 1000));
            }
            let subseconds = message.get_field_by_name("subseconds").and_then(|value| value.as_i64());
            let precision = u32::try_from(number(message, "precision")).unwrap_or(0).min(9);
            if subseconds.is_some_and(|value| value.unsigned_abs() >= 10_u64.pow(precision.max(1))) {
                return wrong("an interval has a second or more behind the second");
            }
        }
        "substrait.Expression.Literal.IntervalYearToMonth" => {
            let (years, months) = (i64::from(number(message, "years")), i64::from(number(message, "months")));
            if i32::try_from(years * 12 + months).is_err() {
                return wrong(&format!("an interval of {years} years is beyond its type"));
            }
        }
        "substrait.Expression.Literal" => return literal(message),
        "substrait.Expression.Literal.List" => return alike(message, "values", kind),
        "substrait.Expression.Literal.Map" => {
            let of = |field: &'static str| {
                move |entry: &DynamicMessage| entry.get_field_by_name(field)?.as_message().map(kind)?
            };
            alike(message, "key_values", of("key"))?;
            return alike(message, "key_values", of("value"));
        }
        _ => {}
    }
    Ok(())
}

fn literal(message: &DynamicMessage) -> Result<()> {
    let Some((field, value)) = message.fields().find(|(field, _)| field.containing_oneof().is_some()) else {
        return Err(Error::Query("this Substrait plan is not whole: a literal has no type".to_owned()));
    };
    // one type with and without a sign, by its variation
    let is_unsigned =
        message.get_field_by_name("type_variation_reference").and_then(|v| v.as_u32()) == Some(1);
    let range = match (field.name(), is_unsigned) {
        ("i8", false) => i64::from(i8::MIN)..=i64::from(i8::MAX),
        ("i8", true) => 0..=i64::from(u8::MAX),
        ("i16", false) => i64::from(i16::MIN)..=i64::from(i16::MAX),
        ("i16", true) => 0..=i64::from(u16::MAX),
        _ => return Ok(()),
    };
    match value.as_i32() {
        Some(number) if !range.contains(&i64::from(number)) => Err(Error::Query(format!(
            "this Substrait plan contradicts itself: {number} is no {}",
            field.name()
        ))),
        _ => Ok(()),
    }
}

/// Returns the type of a literal: the field that has its value or its type, the variation, and the
/// digits.
fn kind(literal: &DynamicMessage) -> Option<String> {
    let (field, value) = literal.fields().find(|(field, _)| field.containing_oneof().is_some())?;
    let (field, value, typed) = match (field.name(), value.as_message()) {
        ("null", Some(of_type)) => {
            let (field, value) = of_type.fields().next()?;
            (field, value, value.as_message()?)
        }
        _ => (field, value, literal),
    };
    let name = if field.name() == "bool" { "boolean" } else { field.name() };
    let variation = typed.get_field_by_name("type_variation_reference").and_then(|v| v.as_u32());
    let mut kind = format!("{name}/{}", variation.unwrap_or_default());
    for part in ["precision", "scale"] {
        let digits = value.as_message().map_or(0, |inner| number(inner, part));
        kind.push_str(&format!("/{digits}"));
    }
    Some(kind)
}

/// Checks that the values of a list have one type. DataFusion makes arrays of them.
fn alike(
    message: &DynamicMessage,
    field: &str,
    kind: impl Fn(&DynamicMessage) -> Option<String>,
) -> Result<()> {
    let Some(values) = message.get_field_by_name(field) else { return Ok(()) };
    let mut kinds = values.as_list().unwrap_or_default().iter().filter_map(Value::as_message).map(kind);
    let first = kinds.next();
    match first.is_some_and(|first| kinds.any(|kind| kind != first)) {
        true => Err(Error::Query(
            "not supported: a list or map of a Substrait plan with values of several types".to_owned(),
        )),
        false => Ok(()),
    }
}

fn number(message: &DynamicMessage, field: &str) -> i32 {
    message.get_field_by_name(field).and_then(|value| value.as_i32()).unwrap_or_default()
}
