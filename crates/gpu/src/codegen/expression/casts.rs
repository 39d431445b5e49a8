//! CAST, with the rounding and the limits of the CPU engine.

use crate::codegen::emitter::{Emitter, Value, strict};
use crate::codegen::literal::{float, wide};
use crate::ir::{Expr, Scalar};
use arrow::datatypes::DataType;

/// Emits `CAST(a AS …)` to the type of `whole`.
pub(super) fn cast(out: &mut Emitter, a: &Expr, inner: &Value, whole: &Expr) -> Value {
    let text = text(&inner.text, a, whole);
    strict(out, whole.scalar, &[inner], &text)
}

fn text(x: &str, a: &Expr, whole: &Expr) -> String {
    let (from, to) = (a.scalar, whole.scalar);
    match (&a.data_type, &whole.data_type) {
        (DataType::Decimal128(p1, s1), DataType::Decimal128(p2, s2)) => {
            let scaled = if s2 >= s1 {
                times(x, s2 - s1)
            } else {
                format!("decimal_round({x}, {})", wide(power(s1 - s2)))
            };
            // one more digit, for rounding up
            let digits = i16::from(*p1) + i16::from(s2 - s1) + i16::from(s2 < s1);
            fits(scaled, i16::from(*p2) < digits, *p2, to)
        }
        (_, DataType::Decimal128(digits, scale)) if from.is_float() => {
            let scaled = format!("{} * {x}", float(10f64.powi((*scale).into()), Scalar::F64));
            fits(format!("float_to_decimal({scaled}, p.status)"), true, *digits, to)
        }
        (_, DataType::Decimal128(digits, scale)) => fits(times(x, *scale), true, *digits, to),
        (DataType::Decimal128(_, scale), _) if to.is_float() => {
            let whole_number =
                if from == Scalar::I64 { format!("(f64){x}") } else { format!("decimal_to_float({x})") };
            format!("({})({whole_number} / {})", to.name(), float(10f64.powi((*scale).into()), Scalar::F64))
        }
        (DataType::Decimal128(_, scale), _) => {
            let rounded = match scale {
                0 => format!("(i128){x}"),
                _ => format!("decimal_round({x}, {})", wide(power(*scale))),
            };
            format!("integer_cast<{}>({rounded}, p.status)", to.name())
        }
        _ if from.is_float() && to.is_integer() => {
            let (least, beyond) = limits(to);
            // halves are rounded to the even number
            format!("float_to_integer<{}>(rint((f64){x}), {least}, {beyond}, p.status)", to.name())
        }
        _ if from.is_integer() && to.is_integer() && from != to => {
            format!("integer_cast<{}>({x}, p.status)", to.name())
        }
        _ => format!("({}){x}", to.name()),
    }
}

fn power(scale: i8) -> i128 {
    10i128.pow(scale.unsigned_abs().into())
}

fn times(x: &str, scale: i8) -> String {
    match scale {
        0 => format!("(i128){x}"),
        _ => format!("decimal_multiply({x}, {}, p.status)", wide(power(scale))),
    }
}

/// Returns a value that is checked against the digits of its type, if it can have more.
fn fits(text: String, check: bool, digits: u8, to: Scalar) -> String {
    let bound = wide(10i128.pow(digits.into()) - 1);
    let checked = if check { format!("decimal_fits({text}, {bound}, p.status)") } else { text };
    if to == Scalar::I64 { format!("(i64){checked}") } else { checked }
}

/// Returns the least value of an integer type, and the first above its greatest, as floats.
fn limits(scalar: Scalar) -> (&'static str, &'static str) {
    match scalar {
        Scalar::I8 => ("-128.0", "128.0"),
        Scalar::I16 => ("-32768.0", "32768.0"),
        Scalar::I32 => ("-2147483648.0", "2147483648.0"),
        Scalar::U8 => ("0.0", "256.0"),
        Scalar::U16 => ("0.0", "65536.0"),
        Scalar::U32 => ("0.0", "4294967296.0"),
        Scalar::U64 => ("0.0", "18446744073709551616.0"),
        _ => ("-9223372036854775808.0", "9223372036854775808.0"),
    }
}
