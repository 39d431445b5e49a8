//! Types and literals that Substrait has replaced, in their present form.
//!
//! A timestamp or time without a precision counts microseconds. DataFusion takes a timestamp
//! without a type variation for seconds.

use prost_reflect::{DynamicMessage, ReflectMessage, Value};

/// Precision of microseconds, in digits behind the second.
const MICROS: i32 = 6;

/// DataFusion's type variation of times with 64 bits.
const TIME_64: u32 = 1;

/// Types and literals, with those that replace them.
const REPLACED: [(&str, &str); 3] = [
    ("timestamp", "precision_timestamp"),
    ("timestamp_tz", "precision_timestamp_tz"),
    ("time", "precision_time"),
];

/// Replaces old forms in a message. Its decoder has limited the depth.
pub(super) fn renew(message: &mut DynamicMessage) {
    match message.descriptor().full_name() {
        "substrait.Type" => renew_type(message),
        "substrait.Expression.Literal" => renew_literal(message),
        _ => {}
    }
    for (_, value) in message.fields_mut() {
        match value {
            Value::Message(inner) => renew(inner),
            Value::List(values) => {
                for value in values {
                    if let Value::Message(inner) = value {
                        renew(inner);
                    }
                }
            }
            _ => {}
        }
    }
}

fn renew_type(message: &mut DynamicMessage) {
    for (old, new) in REPLACED {
        let Some(Value::Message(before)) = message.take_field_by_name(old) else { continue };
        let Some(mut after) = inner(message, new) else { continue };
        after.set_field_by_name("precision", Value::I32(old_precision(old, &before)));
        if let Some(nullability) = before.get_field_by_name("nullability") {
            after.set_field_by_name("nullability", nullability.into_owned());
        }
        message.set_field_by_name(new, Value::Message(after));
    }
    if message.has_field_by_name("precision_time")
        && let Some(Value::Message(time)) = message.get_field_by_name_mut("precision_time")
        && precision(time) >= MICROS
    {
        time.set_field_by_name("type_variation_reference", Value::U32(TIME_64));
    }
}

fn renew_literal(message: &mut DynamicMessage) {
    for (old, new) in REPLACED {
        let Some(value) = message.take_field_by_name(old) else { continue };
        let Some(mut after) = inner(message, new) else { continue };
        after.set_field_by_name("precision", Value::I32(old_precision(old, message)));
        after.set_field_by_name("value", value);
        message.clear_field_by_name("type_variation_reference");
        message.set_field_by_name(new, Value::Message(after));
    }
    let is_long = |time: &Value| time.as_message().is_some_and(|time| precision(time) >= MICROS);
    let time = message.get_field_by_name("precision_time");
    if message.has_field_by_name("precision_time") && time.is_some_and(|time| is_long(&time)) {
        message.set_field_by_name("type_variation_reference", Value::U32(TIME_64));
    }
}

/// Returns the precision of an old form. DataFusion's older producers have others than microseconds
/// as variations of the type.
fn old_precision(form: &str, message: &DynamicMessage) -> i32 {
    let variation = message.get_field_by_name("type_variation_reference");
    match variation.and_then(|value| value.as_u32()) {
        Some(1) if form == "timestamp" => 3,
        Some(3) if form == "timestamp" => 9,
        _ => MICROS,
    }
}

fn precision(time: &DynamicMessage) -> i32 {
    time.get_field_by_name("precision").and_then(|value| value.as_i32()).unwrap_or_default()
}

/// Returns an empty message for a field.
fn inner(message: &DynamicMessage, field: &str) -> Option<DynamicMessage> {
    let field = message.descriptor().get_field_by_name(field)?;
    Some(DynamicMessage::new(field.kind().as_message()?.clone()))
}
