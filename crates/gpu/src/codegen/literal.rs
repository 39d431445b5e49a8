//! Constants as C++.

use std::fmt::Write;

use crate::ir::{Literal, Scalar};

/// Returns a constant of a type.
pub(super) fn literal(value: &Literal, scalar: Scalar) -> String {
    match value {
        Literal::Bool(value) => value.to_string(),
        Literal::Integer(value) => match scalar {
            Scalar::I128 => wide(*value),
            Scalar::U64 => format!("{value}ull"),
            Scalar::I64 if *value == i128::from(i64::MIN) => "(-9223372036854775807ll - 1)".to_owned(),
            Scalar::I64 => format!("{value}ll"),
            _ => format!("({}){value}ll", scalar.name()),
        },
        Literal::Float(value) => float(*value, scalar),
        Literal::Text(text) => format!("str_of({}, {})", quoted(text), text.len()),
    }
}

/// Returns a float. Infinities and NaNs have no decimal form, and are given by their bits.
pub(super) fn float(value: f64, scalar: Scalar) -> String {
    let text = if value.is_finite() {
        format!("{value:?}")
    } else {
        format!("float_of_bits({:#x}ull)", value.to_bits())
    };
    if scalar == Scalar::F32 { format!("(f32){text}") } else { text }
}

/// Returns a 128-bit number, for which C++ has no literals.
pub(super) fn wide(value: i128) -> String {
    match i64::try_from(value) {
        Ok(i64::MIN) | Err(_) => {
            let (high, low) = ((value >> 64) as u64, value as u64);
            format!("(i128)(((u128){high:#x}ull << 64) | {low:#x}ull)")
        }
        Ok(value) => format!("(i128){value}ll"),
    }
}

/// Returns a string literal. Other bytes than plain characters are three octal digits each, so that
/// none runs into the next.
fn quoted(text: &[u8]) -> String {
    let mut out = String::from("\"");
    for &byte in text {
        match byte {
            b'"' | b'\\' | b'?' => {
                let _ = write!(out, "\\{byte:03o}");
            }
            b' '..=b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out.push('"');
    out
}
