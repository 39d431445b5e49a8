//! Keys of joins and groups: their hashes, and whether they are equal.

use super::emitter::{Emitter, Value};
use super::expression::equality;
use crate::ir::Scalar;

/// Defines the hash of some keys; a null has one of its own, for those to whom nulls are equal.
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

/// Whether keys equal those that lie in a row of a table or of groups (`p.t1`, and its row's
/// variable); nulls are equal. `columns`: the key's column there, and whether that has valid flags.
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
