//! Scalar functions.

use arrow::datatypes::{DataType, TimeUnit};

use super::types::{Result, same_type};
use crate::ir::{Arithmetic, DatePart, Expr, Kind, Literal, Scalar};

/// Returns a call of a function.
///
/// # Errors
/// The GPU has no such function, or not for these arguments.
pub(super) fn call(name: &str, mut arguments: Vec<Expr>, data_type: &DataType) -> Result<Expr> {
    let nullable = arguments.iter().any(|e| e.nullable);
    let scalar = Scalar::of(data_type)?;
    let text = |e: &Expr| {
        e.scalar == Scalar::Str
            && !matches!(e.data_type, DataType::Binary | DataType::LargeBinary | DataType::BinaryView)
    };
    let count = arguments.len();
    let unsupported = || Err(format!("{name}() is not supported for these arguments"));
    match (name, count) {
        // every comparison of the kernels treats NaNs as one value
        ("canonical_nan", 1) => return Ok(arguments.remove(0)),
        ("canonical_float", 1) => return Ok(without_sign_of_zero(arguments.remove(0))),
        _ => {}
    }
    let mut next = || Box::new(arguments.remove(0));
    let (kind, nullable) = match (name, count) {
        ("date_part" | "datepart", 2) => {
            let part = next();
            let value = next();
            let Some(part) = date_part(&part.kind) else { return unsupported() };
            let dated = matches!(
                value.data_type,
                DataType::Date32
                    | DataType::Timestamp(
                        TimeUnit::Second
                            | TimeUnit::Millisecond
                            | TimeUnit::Microsecond
                            | TimeUnit::Nanosecond,
                        None
                    )
            );
            if !dated || *data_type != DataType::Int32 {
                return unsupported();
            }
            (Kind::DatePart(part, value), nullable)
        }
        ("substr" | "substring", 2 | 3) => {
            let (value, start) = (next(), next());
            let length = (count == 3).then(&mut next);
            if !text(&value)
                || start.data_type != DataType::Int64
                || length.as_ref().is_some_and(|e| e.data_type != DataType::Int64)
            {
                return unsupported();
            }
            // a negative length is an error on the CPU; only a constant rules it out
            if let Some(length) = &length
                && !matches!(length.kind, Kind::Literal(Literal::Integer(0..)))
            {
                return Err("substr() with a length that is no constant is not supported".to_owned());
            }
            (Kind::Substring(value, start, length), nullable)
        }
        ("starts_with", 2) => {
            let (value, part) = (next(), next());
            if !text(&value) || !text(&part) {
                return unsupported();
            }
            (Kind::StartsWith(value, part), nullable)
        }
        ("ends_with", 2) => {
            let (value, part) = (next(), next());
            if !text(&value) || !text(&part) {
                return unsupported();
            }
            (Kind::EndsWith(value, part), nullable)
        }
        ("contains", 2) => {
            let (value, part) = (next(), next());
            if !text(&value) || !text(&part) {
                return unsupported();
            }
            (Kind::Contains(value, part), nullable)
        }
        ("character_length" | "length" | "char_length", 1) => {
            let value = next();
            if !text(&value) || *data_type != DataType::Int32 {
                return unsupported();
            }
            (Kind::CharacterLength(value), nullable)
        }
        ("abs", 1) => {
            let value = next();
            if value.data_type != *data_type || matches!(value.scalar, Scalar::Bool | Scalar::Str) {
                return unsupported();
            }
            (Kind::Absolute(value), nullable)
        }
        ("coalesce", 1..) => {
            let all = arguments.into_iter().map(|e| same_type(e, data_type)).collect::<Result<Vec<_>>>()?;
            let nullable = all.iter().all(|e| e.nullable);
            (Kind::Coalesce(all), nullable)
        }
        _ => return Err(format!("function {name}() is not supported")),
    };
    Ok(Expr { kind, data_type: data_type.clone(), scalar, nullable })
}

/// Adds 0.0, which turns -0.0 into 0.0.
fn without_sign_of_zero(value: Expr) -> Expr {
    let zero = Expr {
        kind: Kind::Literal(Literal::Float(0.0)),
        data_type: value.data_type.clone(),
        scalar: value.scalar,
        nullable: false,
    };
    Expr {
        data_type: value.data_type.clone(),
        scalar: value.scalar,
        nullable: value.nullable,
        kind: Kind::Arithmetic(Arithmetic::Add, Box::new(value), Box::new(zero)),
    }
}

fn date_part(kind: &Kind) -> Option<DatePart> {
    let Kind::Literal(Literal::Text(name)) = kind else { return None };
    Some(match name.to_ascii_lowercase().as_slice() {
        b"year" => DatePart::Year,
        b"quarter" => DatePart::Quarter,
        b"month" => DatePart::Month,
        b"day" => DatePart::Day,
        _ => return None,
    })
}
