//! Functions of strings.

use crate::codegen::emitter::{Emitter, Value, strict};
use crate::codegen::literal::literal;
use crate::ir::{Kind, Literal, Scalar};

/// Emits `a LIKE pattern`.
pub(super) fn like(out: &mut Emitter, a: &Value, pattern: &[u8]) -> Value {
    let text = match_pattern(&a.text, pattern);
    strict(out, Scalar::Bool, &[a], &text)
}

/// Emits a search of `b` in `a`, of the kind `StartsWith`, `EndsWith` or `Contains`.
pub(super) fn search(out: &mut Emitter, kind: &Kind, a: &Value, b: &Value) -> Value {
    let name = match kind {
        Kind::StartsWith(..) => "str_starts_with",
        Kind::EndsWith(..) => "str_ends_with",
        _ => "str_contains",
    };
    let text = format!("{name}({}, {})", a.text, b.text);
    strict(out, Scalar::Bool, &[a, b], &text)
}

/// Emits `substr(a, start, length)`.
pub(super) fn substring(out: &mut Emitter, a: &Value, start: &Value, length: Option<&Value>) -> Value {
    let count = length.map_or("0x7fffffffffffffffll", |value| value.text.as_str());
    let text = format!("str_substr({}, {}, {count})", a.text, start.text);
    let operands: Vec<&Value> = [Some(a), Some(start), length].into_iter().flatten().collect();
    strict(out, Scalar::Str, &operands, &text)
}

/// Emits `character_length(a)`.
pub(super) fn character_length(out: &mut Emitter, a: &Value) -> Value {
    let text = format!("str_characters({})", a.text);
    strict(out, Scalar::I32, &[a], &text)
}

/// Returns the match with a pattern. One with `%` only at its ends, or without wildcards, needs no
/// loop over the pattern.
fn match_pattern(s: &str, pattern: &[u8]) -> String {
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
