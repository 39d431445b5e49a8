//! Comparisons of values, and equality and hashes of keys.

use super::emitter::{Emitter, Value, strict};
use crate::ir::{Comparison, Scalar};

/// Emits a comparison of two values.
pub(super) fn comparison(out: &mut Emitter, op: Comparison, a: &Value, b: &Value) -> Value {
    // a bare NULL has a type of its own; a comparison with it reads no value
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
        _ => strict(out, Scalar::Bool, &[a, b], &text),
    }
}

/// Returns the condition that two values are equal, neither of them null.
pub(super) fn equality(a: &str, b: &str, scalar: Scalar) -> String {
    match scalar {
        Scalar::Str => format!("str_equal({a}, {b})"),
        Scalar::F32 | Scalar::F64 => format!("float_compare({a}, {b}) == 0"),
        _ => format!("{a} == {b}"),
    }
}

/// Defines the hash of some keys. A null has a hash of its own, for joins and groups where nulls
/// are equal.
pub(super) fn hash(out: &mut Emitter, keys: &[Value]) -> String {
    let one = |key: &Value| {
        let hash = match key.scalar {
            Scalar::F32 | Scalar::F64 => format!("hash_of(float_key({}))", key.text),
            _ => format!("hash_of({})", key.text),
        };
        match &key.null {
            Some(null) => format!("({null} ? 0 : {hash})"),
            None => hash,
        }
    };
    let text = keys.iter().map(one).reduce(|all, next| format!("hash_combine({all}, {next})"));
    out.define(Scalar::U64, &text.unwrap_or_else(|| "0".to_owned()))
}

/// Returns the condition that keys equal those in a row of a table or of groups (`p.t1`, and its
/// row's variable); nulls are equal. `columns`: the key's column there, and whether it has valid
/// flags.
pub(super) fn equal(keys: &[Value], of: &str, columns: &[(usize, bool)], row: &str) -> String {
    let one = |(key, (column, flags)): (&Value, &(usize, bool))| {
        let same = equality(&key.text, &format!("{of}.c{column}[{row}]"), key.scalar);
        match (&key.null, flags) {
            (None, false) => format!("({same})"),
            (None, true) => format!("({of}.n{column}[{row}] && {same})"),
            (Some(null), false) => format!("(!{null} && {same})"),
            (Some(null), true) => {
                format!("({null} ? !{of}.n{column}[{row}] : {of}.n{column}[{row}] && {same})")
            }
        }
    };
    let all: Vec<String> = keys.iter().zip(columns).map(one).collect();
    if all.is_empty() { "true".to_owned() } else { all.join(" && ") }
}
