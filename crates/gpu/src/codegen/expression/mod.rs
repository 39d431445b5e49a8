//! Expressions as statements that define their value.

mod arithmetic;
mod casts;
mod strings;

use super::comparison::{comparison, equality};
use super::emitter::{Emitter, Origin, Row, Slot, Value, strict, zero};
use super::literal::literal;
use crate::ir::{DatePart, Expr, Kind, Scalar};
use arrow::datatypes::{DataType, TimeUnit};

/// Emits the computation of an expression over a row.
pub(super) fn value(out: &mut Emitter, expr: &Expr, row: &Row) -> Value {
    let scalar = expr.scalar;
    match &expr.kind {
        Kind::Column(index) => out.column(row[*index]),
        Kind::Literal(constant) => Value { text: literal(constant, scalar), null: None, scalar },
        Kind::Null => Value { text: zero(scalar), null: Some("true".to_owned()), scalar },
        Kind::Subquery { table, nullable } => subquery(out, *table, *nullable, expr),
        Kind::Arithmetic(op, a, b) => {
            let (left, right) = (value(out, a, row), value(out, b, row));
            arithmetic::binary(out, *op, expr, (a, &left), (b, &right))
        }
        Kind::Negate(a) => {
            let inner = value(out, a, row);
            arithmetic::negate(out, a.scalar, &inner)
        }
        Kind::Absolute(a) => {
            let inner = value(out, a, row);
            arithmetic::absolute(out, a.scalar, &inner)
        }
        Kind::Compare(op, a, b) => {
            let (a, b) = (value(out, a, row), value(out, b, row));
            comparison(out, *op, &a, &b)
        }
        Kind::And(a, b) => and(out, a, b, row),
        Kind::Or(a, b) => or(out, a, b, row),
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
        Kind::Case(whens, otherwise) => case(out, whens, otherwise.as_deref(), expr, row),
        Kind::Coalesce(all) => coalesce(out, all, expr, row),
        Kind::Cast(a) => {
            let inner = value(out, a, row);
            casts::cast(out, a, &inner, expr)
        }
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
        Kind::Like(a, pattern) => {
            let a = value(out, a, row);
            strings::like(out, &a, pattern)
        }
        Kind::StartsWith(a, b) | Kind::EndsWith(a, b) | Kind::Contains(a, b) => {
            let (a, b) = (value(out, a, row), value(out, b, row));
            strings::search(out, &expr.kind, &a, &b)
        }
        Kind::Substring(a, start, length) => {
            let (a, start) = (value(out, a, row), value(out, start, row));
            let length = length.as_ref().map(|e| value(out, e, row));
            strings::substring(out, &a, &start, length.as_ref())
        }
        Kind::CharacterLength(a) => {
            let a = value(out, a, row);
            strings::character_length(out, &a)
        }
        Kind::DatePart(part, a) => date_part(out, *part, a, row),
    }
}

/// Emits the only row of a table: null if there is none, an error if there are more.
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

/// Emits a condition where null counts as false, as the value of a null truth value is false.
pub(super) fn condition(out: &mut Emitter, expr: &Expr, row: &Row) -> String {
    value(out, expr, row).text
}

impl Emitter {
    /// Returns a column's value. It is computed at the first call.
    pub fn column(&mut self, slot: Slot) -> Value {
        if let Some((_, value)) = self.computed.iter().rev().find(|(s, _)| *s == slot) {
            return value.clone();
        }
        let (field, origin) = self.slots[slot].clone();
        let value = match origin {
            Origin::Ready(value) => return value,
            Origin::Computed(expr, row) => value(self, &expr, &row),
            Origin::Cursor(column) => self.cursor(column, &field),
            Origin::Cell { of, column, row, maybe, flags } => {
                let missing = maybe.then(|| format!("{row} == NO_ROW"));
                let invalid = flags.then(|| format!("!{of}.n{column}[{row}]"));
                let null = [missing, invalid].into_iter().flatten().collect::<Vec<_>>().join(" || ");
                self.cell(&format!("{of}.c{column}[{row}]"), field.scalar, &null)
            }
        };
        self.computed.push((slot, value.clone()));
        value
    }
}

/// Emits `a AND b`. The second operand is computed only where the first does not decide.
fn and(out: &mut Emitter, a: &Expr, b: &Expr, row: &Row) -> Value {
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

fn or(out: &mut Emitter, a: &Expr, b: &Expr, row: &Row) -> Value {
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

fn case(
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

fn coalesce(out: &mut Emitter, all: &[Expr], whole: &Expr, row: &Row) -> Value {
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
