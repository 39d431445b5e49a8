//! Checked arithmetic on integers and decimals, with the scales of decimals; arithmetic on floats.

use crate::codegen::emitter::{Emitter, Value, strict};
use crate::codegen::literal::wide;
use crate::ir::{Arithmetic, Expr, Scalar};
use arrow::datatypes::DataType;

/// Emits `a op b`.
pub(super) fn binary(
    out: &mut Emitter,
    op: Arithmetic,
    whole: &Expr,
    (a, left): (&Expr, &Value),
    (b, right): (&Expr, &Value),
) -> Value {
    let scalar = whole.scalar;
    let text = match (&whole.data_type, &a.data_type, &b.data_type) {
        (&DataType::Decimal128(digits, scale), DataType::Decimal128(_, s1), DataType::Decimal128(_, s2)) => {
            let (left, right) = (Operand::new(left, *s1), Operand::new(right, *s2));
            decimal(op, (digits, scale), &left, &right, scalar)
        }
        _ if scalar.is_float() => floats(op, &left.text, &right.text, scalar),
        _ => integers(op, &left.text, &right.text, scalar),
    };
    strict(out, scalar, &[left, right], &text)
}

fn floats(op: Arithmetic, a: &str, b: &str, scalar: Scalar) -> String {
    match op {
        Arithmetic::Add => format!("{a} + {b}"),
        Arithmetic::Subtract => format!("{a} - {b}"),
        Arithmetic::Multiply => format!("{a} * {b}"),
        Arithmetic::Divide => format!("{a} / {b}"),
        Arithmetic::Remainder => format!("({})fmod((f64){a}, (f64){b})", scalar.name()),
    }
}

/// Emits checked arithmetic: a result outside its type is an error.
fn integers(op: Arithmetic, a: &str, b: &str, scalar: Scalar) -> String {
    let name = scalar.name();
    match op {
        Arithmetic::Add => format!("integer_add<{name}>({a}, {b}, p.status)"),
        Arithmetic::Subtract => format!("integer_subtract<{name}>({a}, {b}, p.status)"),
        Arithmetic::Multiply => format!("integer_multiply<{name}>({a}, {b}, p.status)"),
        Arithmetic::Divide => format!("integer_divide<{name}>({a}, {b}, p.status)"),
        Arithmetic::Remainder => format!("integer_remainder<{name}>({a}, {b}, p.status)"),
    }
}

/// Digits of the widest decimal.
const MAX_DIGITS: u8 = 38;

struct Operand<'a> {
    text: &'a str,
    is_narrow: bool,
    scale: i8,
}

impl<'a> Operand<'a> {
    fn new(value: &'a Value, scale: i8) -> Self {
        Self { text: &value.text, is_narrow: value.scalar == Scalar::I64, scale }
    }

    /// Returns the operand at another scale, in 128 bits.
    fn scaled(&self, by: i8) -> String {
        match by {
            0 => format!("(i128){}", self.text),
            _ => format!(
                "decimal_multiply({}, {}, p.status)",
                self.text,
                wide(10i128.pow(by.unsigned_abs().into()))
            ),
        }
    }
}

/// As arrow's `decimal_op`: sums at the larger scale, products at the sum of scales, quotients at
/// the result's.
///
/// Decimals of up to 18 digits are in 64 bits. A result that can't exceed them is computed there:
/// its type has the digits for any such operands.
fn decimal(
    op: Arithmetic,
    (digits, scale): (u8, i8),
    a: &Operand<'_>,
    b: &Operand<'_>,
    scalar: Scalar,
) -> String {
    let narrow = scalar == Scalar::I64;
    let both_narrow = a.is_narrow && b.is_narrow;
    let common = a.scale.max(b.scale);
    let (x, y) = (a.text, b.text);
    let text = match op {
        Arithmetic::Add | Arithmetic::Subtract => {
            let sign = if op == Arithmetic::Add { "+" } else { "-" };
            if both_narrow && a.scale == b.scale {
                return if narrow { format!("{x} {sign} {y}") } else { format!("(i128){x} {sign} {y}") };
            }
            let function = if op == Arithmetic::Add { "decimal_add" } else { "decimal_subtract" };
            format!("{function}({}, {}, p.status)", a.scaled(common - a.scale), b.scaled(common - b.scale))
        }
        Arithmetic::Multiply if both_narrow && narrow => return format!("{x} * {y}"),
        Arithmetic::Multiply if both_narrow => return format!("(i128){x} * {y}"),
        Arithmetic::Multiply => format!("decimal_multiply({x}, {y}, p.status)"),
        Arithmetic::Divide => {
            let by = scale - a.scale + b.scale;
            let (dividend, divisor) =
                if by >= 0 { (a.scaled(by), b.scaled(0)) } else { (a.scaled(0), b.scaled(by)) };
            format!("decimal_quotient({dividend}, {divisor}, p.status)")
        }
        Arithmetic::Remainder => {
            format!(
                "decimal_remainder({}, {}, p.status)",
                a.scaled(common - a.scale),
                b.scaled(common - b.scale)
            )
        }
    };
    // 128 bits hold some numbers of 39 digits
    let text = match digits {
        MAX_DIGITS => format!("decimal_fits({text}, {}, p.status)", wide(10i128.pow(MAX_DIGITS.into()) - 1)),
        _ => text,
    };
    if narrow { format!("(i64){text}") } else { text }
}

/// Emits `-a`.
pub(super) fn negate(out: &mut Emitter, scalar: Scalar, a: &Value) -> Value {
    let text = negated(scalar, &a.text);
    strict(out, scalar, &[a], &text)
}

fn negated(scalar: Scalar, text: &str) -> String {
    match scalar {
        Scalar::I128 => format!("decimal_subtract(0, {text}, p.status)"),
        Scalar::F32 | Scalar::F64 => format!("-{text}"),
        integer => format!("integer_subtract<{}>(0, {text}, p.status)", integer.name()),
    }
}

/// Emits `abs(a)`. The least integer has no counterpart, and is an error.
pub(super) fn absolute(out: &mut Emitter, scalar: Scalar, a: &Value) -> Value {
    let text = &a.text;
    let text = match scalar {
        Scalar::F32 | Scalar::F64 => format!("({})fabs((f64){text})", scalar.name()),
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => text.clone(),
        Scalar::I128 => format!("({text} < 0 ? {} : {text})", negated(scalar, text)),
        integer => format!("integer_absolute<{}>({text}, p.status)", integer.name()),
    };
    strict(out, scalar, &[a], &text)
}
