//! Comparisons, three-valued logic, and expressions that choose.

use super::emitter::{Emitter, Row, Value};
use super::expression::{strict, value, zero};
use crate::ir::{Comparison, Expr, Scalar};

pub(super) fn comparison(out: &mut Emitter, op: Comparison, a: &Expr, b: &Expr, row: &Row) -> Value {
    let (a, b) = (value(out, a, row), value(out, b, row));
    // a bare NULL has a type of its own; compared with it, nothing is looked at
    let comparable = a.scalar == b.scalar;
    let sign = match op {
        Comparison::Equal | Comparison::NotDistinct => "==",
        Comparison::NotEqual | Comparison::Distinct => "!=",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
    };
    let text = match (comparable, a.scalar) {
        (false, _) => "false".to_owned(),
        (true, Scalar::Str) if sign == "==" => format!("str_equal({}, {})", a.text, b.text),
        (true, Scalar::Str) if sign == "!=" => format!("!str_equal({}, {})", a.text, b.text),
        (true, Scalar::Str) => format!("str_compare({}, {}) {sign} 0", a.text, b.text),
        (true, Scalar::F32 | Scalar::F64) => format!("float_compare({}, {}) {sign} 0", a.text, b.text),
        (true, _) => format!("{} {sign} {}", a.text, b.text),
    };
    match op {
        Comparison::Distinct | Comparison::NotDistinct => {
            let (left, right) = (a.is_null(), b.is_null());
            let apart = op == Comparison::Distinct;
            let nulls = if apart { format!("{left} != {right}") } else { format!("{left} == {right}") };
            let text = format!("{left} || {right} ? {nulls} : {text}");
            Value { text: out.define(Scalar::Bool, &text), null: None, scalar: Scalar::Bool }
        }
        _ => strict(out, Scalar::Bool, &[&a, &b], &text),
    }
}

/// The second operand is computed only where the first does not decide.
pub(super) fn and(out: &mut Emitter, a: &Expr, b: &Expr, row: &Row) -> Value {
    let a = value(out, a, row);
    let (result, null) = (out.name("v"), out.name("n"));
    out.line(format!("bool {result} = false, {null} = false;"));
    let undecided = match &a.null {
        Some(is_null) => format!("{} || {is_null}", a.text),
        None => a.text.clone(),
    };
    let scope = out.open(format!("if ({undecided}) {{"));
    let b = value(out, b, row);
    out.line(format!("{result} = {} && {};", a.text, b.text));
    if a.null.is_some() || b.null.is_some() {
        out.line(format!("{null} = {} ? {} || {} : {};", a.is_null(), b.is_null(), b.text, b.is_null()));
    }
    out.close(scope, "}");
    let nullable = a.null.is_some() || b.null.is_some();
    Value { text: result, null: nullable.then_some(null), scalar: Scalar::Bool }
}

pub(super) fn or(out: &mut Emitter, a: &Expr, b: &Expr, row: &Row) -> Value {
    let a = value(out, a, row);
    let (result, null) = (out.name("v"), out.name("n"));
    out.line(format!("bool {result} = {}, {null} = false;", a.text));
    let scope = out.open(format!("if (!{result}) {{"));
    let b = value(out, b, row);
    out.line(format!("{result} = {};", b.text));
    let nullable = a.null.is_some() || b.null.is_some();
    if nullable {
        out.line(format!("{null} = !{result} && ({} || {});", a.is_null(), b.is_null()));
    }
    out.close(scope, "}");
    Value { text: result, null: nullable.then_some(null), scalar: Scalar::Bool }
}

pub(super) fn case(
    out: &mut Emitter,
    whens: &[(Expr, Expr)],
    otherwise: Option<&Expr>,
    whole: &Expr,
    row: &Row,
) -> Value {
    let (result, null) = (out.name("v"), out.name("n"));
    out.line(format!("{} {result} = {};", whole.scalar.name(), zero(whole.scalar)));
    out.line(format!("bool {null} = true;"));
    let scope = out.open("do {");
    for (when, then) in whens {
        let condition = value(out, when, row);
        let branch = out.open(format!("if ({}) {{", condition.text));
        give(out, then, row, &result, &null);
        out.line("break;");
        out.close(branch, "}");
    }
    if let Some(otherwise) = otherwise {
        give(out, otherwise, row, &result, &null);
    }
    out.close(scope, "} while (false);");
    Value { text: result, null: whole.nullable.then_some(null), scalar: whole.scalar }
}

pub(super) fn coalesce(out: &mut Emitter, all: &[Expr], whole: &Expr, row: &Row) -> Value {
    let (result, null) = (out.name("v"), out.name("n"));
    out.line(format!("{} {result} = {};", whole.scalar.name(), zero(whole.scalar)));
    out.line(format!("bool {null} = true;"));
    let scope = out.open("do {");
    for expr in all {
        give(out, expr, row, &result, &null);
        out.line(format!("if (!{null}) break;"));
    }
    out.close(scope, "} while (false);");
    Value { text: result, null: whole.nullable.then_some(null), scalar: whole.scalar }
}

fn give(out: &mut Emitter, expr: &Expr, row: &Row, result: &str, null: &str) {
    let value = value(out, expr, row);
    out.line(format!("{result} = {};", value.text));
    out.line(format!("{null} = {};", value.is_null()));
}
