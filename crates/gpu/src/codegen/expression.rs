//! Expressions as statements that define their value.

use super::emitter::{Emitter, Row, Value};
use super::literal::literal;
use super::{arithmetic, casts, logic, strings};
use crate::ir::{DatePart, Expr, Kind, Scalar};
use arrow::datatypes::{DataType, TimeUnit};

/// Emits what computes an expression over a row.
pub(super) fn value(out: &mut Emitter, expr: &Expr, row: &Row) -> Value {
    let scalar = expr.scalar;
    match &expr.kind {
        Kind::Column(index) => out.column(row[*index]),
        Kind::Literal(constant) => Value { text: literal(constant, scalar), null: None, scalar },
        Kind::Null => Value { text: zero(scalar), null: Some("true".to_owned()), scalar },
        Kind::Subquery { table, nullable } => subquery(out, *table, *nullable, expr),
        Kind::Arithmetic(op, a, b) => arithmetic::binary(out, *op, expr, a, b, row),
        Kind::Negate(a) => arithmetic::negate(out, a, row),
        Kind::Absolute(a) => arithmetic::absolute(out, a, row),
        Kind::Compare(op, a, b) => logic::comparison(out, *op, a, b, row),
        Kind::And(a, b) => logic::and(out, a, b, row),
        Kind::Or(a, b) => logic::or(out, a, b, row),
        Kind::Not(a) => {
            let a = value(out, a, row);
            let text = match &a.null {
                Some(null) => format!("!{} && !{null}", a.text),
                None => format!("!{}", a.text),
            };
            Value { text: out.define(Scalar::Bool, &text), null: a.null, scalar }
        }
        Kind::IsNull(a) => {
            let a = value(out, a, row);
            Value { text: a.is_null().to_owned(), null: None, scalar }
        }
        Kind::Is(truth, a) => {
            let a = value(out, a, row);
            let text = if *truth { a.text.clone() } else { format!("(!{} && !{})", a.text, a.is_null()) };
            Value { text, null: None, scalar }
        }
        Kind::Case(whens, otherwise) => logic::case(out, whens, otherwise.as_deref(), expr, row),
        Kind::Coalesce(all) => logic::coalesce(out, all, expr, row),
        Kind::Cast(a) => casts::cast(out, a, expr, row),
        Kind::InList { value: a, list, has_null } => {
            let a = value(out, a, row);
            let equal = list.iter().map(|item| equality(&a.text, &literal(item, a.scalar), a.scalar));
            let found = equal.collect::<Vec<_>>().join(" || ");
            let found = if found.is_empty() { "false".to_owned() } else { found };
            let found = out.define(Scalar::Bool, &format!("!{} && ({found})", a.is_null()));
            let null = match (has_null, &a.null) {
                (true, _) => Some(format!("!{found}")),
                (false, null) => null.clone(),
            };
            Value { text: found, null, scalar }
        }
        Kind::Like(..)
        | Kind::StartsWith(..)
        | Kind::EndsWith(..)
        | Kind::Contains(..)
        | Kind::Substring(..)
        | Kind::CharacterLength(_) => strings::value(out, expr, row),
        Kind::DatePart(part, a) => date_part(out, *part, a, row),
    }
}

/// The value of a type that stands for none.
pub(super) fn zero(scalar: Scalar) -> String {
    format!("{}()", scalar.name())
}

/// What is null where one of the values is.
pub(super) fn any_null(values: &[&Value]) -> Option<String> {
    let nulls: Vec<&str> = values.iter().filter_map(|value| value.null.as_deref()).collect();
    match nulls.as_slice() {
        [] => None,
        [one] => Some((*one).to_owned()),
        several => Some(format!("({})", several.join(" || "))),
    }
}

/// A strict function: null if an operand is, and not called then.
pub(super) fn strict(out: &mut Emitter, scalar: Scalar, operands: &[&Value], text: &str) -> Value {
    match any_null(operands) {
        None => Value { text: out.define(scalar, text), null: None, scalar },
        Some(null) => {
            let name = out.name("n");
            out.line(format!("const bool {name} = {null};"));
            let text = format!("{name} ? {} : {text}", zero(scalar));
            Value { text: out.define(scalar, &text), null: Some(name), scalar }
        }
    }
}

/// Whether two values that are not null are the same.
pub(super) fn equality(a: &str, b: &str, scalar: Scalar) -> String {
    match scalar {
        Scalar::Str => format!("str_equal({a}, {b})"),
        Scalar::F32 | Scalar::F64 => format!("float_compare({a}, {b}) == 0"),
        _ => format!("{a} == {b}"),
    }
}

/// The only row of a table: null if there is none, an error if there are more.
fn subquery(out: &mut Emitter, table: usize, flags: bool, expr: &Expr) -> Value {
    out.tables.insert(table);
    let of = format!("p.t{table}");
    out.line(format!("if (table_rows({of}.t) > 1) query_fail(p.status, QUERY_MANY_ROWS);"));
    let null = out.name("n");
    let flag = if flags { format!(" || !{of}.n0[0]") } else { String::new() };
    out.line(format!("const bool {null} = table_rows({of}.t) == 0{flag};"));
    let text = format!("{null} ? {} : {of}.c0[0]", zero(expr.scalar));
    Value { text: out.define(expr.scalar, &text), null: Some(null), scalar: expr.scalar }
}

fn date_part(out: &mut Emitter, part: DatePart, a: &Expr, row: &Row) -> Value {
    let inner = value(out, a, row);
    let days = match &a.data_type {
        DataType::Timestamp(unit, _) => {
            let second: i64 = match unit {
                TimeUnit::Second => 1,
                TimeUnit::Millisecond => 1_000,
                TimeUnit::Microsecond => 1_000_000,
                TimeUnit::Nanosecond => 1_000_000_000,
            };
            format!("days_of({}, {}ll)", inner.text, 86_400 * second)
        }
        _ => inner.text.clone(),
    };
    let text = match part {
        DatePart::Year => format!("civil_of({days}).year"),
        DatePart::Quarter => format!("(civil_of({days}).month + 2) / 3"),
        DatePart::Month => format!("civil_of({days}).month"),
        DatePart::Day => format!("civil_of({days}).day"),
    };
    strict(out, Scalar::I32, &[&inner], &text)
}
