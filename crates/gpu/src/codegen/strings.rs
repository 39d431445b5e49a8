//! Functions of strings.

use super::emitter::{Emitter, Row, Value};
use super::expression::{self, strict};
use super::literal::literal;
use crate::ir::{Expr, Kind, Literal, Scalar};

/// Emits a function of strings.
pub(super) fn value(out: &mut Emitter, expr: &Expr, row: &Row) -> Value {
    let mut of = |e: &Expr| expression::value(out, e, row);
    match &expr.kind {
        Kind::Like(a, pattern) => {
            let a = of(a);
            let text = like(&a.text, pattern);
            strict(out, Scalar::Bool, &[&a], &text)
        }
        Kind::StartsWith(a, b) | Kind::EndsWith(a, b) | Kind::Contains(a, b) => {
            let (a, b) = (of(a), of(b));
            let name = match expr.kind {
                Kind::StartsWith(..) => "str_starts_with",
                Kind::EndsWith(..) => "str_ends_with",
                _ => "str_contains",
            };
            let text = format!("{name}({}, {})", a.text, b.text);
            strict(out, Scalar::Bool, &[&a, &b], &text)
        }
        Kind::Substring(a, start, length) => {
            let (a, start) = (of(a), of(start));
            let length = length.as_ref().map(|e| of(e));
            let count = length.as_ref().map_or("0x7fffffffffffffffll", |value| value.text.as_str());
            let text = format!("str_substr({}, {}, {count})", a.text, start.text);
            let operands = [Some(&a), Some(&start), length.as_ref()];
            let operands: Vec<&Value> = operands.into_iter().flatten().collect();
            strict(out, Scalar::Str, &operands, &text)
        }
        Kind::CharacterLength(a) => {
            let a = of(a);
            let text = format!("str_characters({})", a.text);
            strict(out, Scalar::I32, &[&a], &text)
        }
        _ => expression::value(out, expr, row),
    }
}

/// A pattern whose only wildcards are `%` at its ends, or nowhere, needs no walk.
fn like(s: &str, pattern: &[u8]) -> String {
    let text = |part: &[u8]| literal(&Literal::Text(part.to_vec()), Scalar::Str);
    let plain = |part: &[u8]| !part.iter().any(|byte| matches!(byte, b'%' | b'_' | b'\\'));
    match pattern {
        whole if plain(whole) => format!("str_equal({s}, {})", text(whole)),
        [b'%', middle @ .., b'%'] if plain(middle) => format!("str_contains({s}, {})", text(middle)),
        [b'%', end @ ..] if plain(end) => format!("str_ends_with({s}, {})", text(end)),
        [start @ .., b'%'] if plain(start) => format!("str_starts_with({s}, {})", text(start)),
        _ => format!("str_like({s}, {})", text(pattern)),
    }
}
