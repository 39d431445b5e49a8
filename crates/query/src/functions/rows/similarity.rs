//! Distances and similarities of texts.

use std::collections::HashSet;

use super::{Cell, Entry, Kind, Outcome, Value, form};

const TEXTS: &[Kind] = &[Kind::Text, Kind::Text];

pub(super) const TABLE: &[Entry] = &[
    (&["hamming", "mismatches"], &[form(TEXTS, Kind::Int, hamming)]),
    (
        &["damerau_levenshtein"],
        &[form(TEXTS, Kind::Int, |cells| {
            both(cells, |a, b| {
                let distance = strsim::generic_damerau_levenshtein(a.as_bytes(), b.as_bytes());
                i64::try_from(distance).map_or(Value::Null, Value::Int)
            })
        })],
    ),
    (
        &["jaro_similarity"],
        &[form(TEXTS, Kind::Double, |cells| both(cells, |a, b| Value::Double(jaro(a, b))))],
    ),
    (
        &["jaro_winkler_similarity"],
        &[form(TEXTS, Kind::Double, |cells| both(cells, |a, b| Value::Double(jaro_winkler(a, b))))],
    ),
    (&["jaccard"], &[form(TEXTS, Kind::Double, jaccard)]),
];

fn both(cells: &[Cell<'_>], of: fn(&str, &str) -> Value) -> Outcome {
    match cells {
        [Cell::Text(a), Cell::Text(b)] => Ok(of(a, b)),
        _ => Ok(Value::Null),
    }
}

fn jaro(a: &str, b: &str) -> f64 {
    strsim::generic_jaro(&Bytes(a), &Bytes(b))
}

/// Returns the similarity with a bonus for up to four equal letters at the beginning, which similar
/// texts alone get.
fn jaro_winkler(a: &str, b: &str) -> f64 {
    let similarity = jaro(a, b);
    if similarity <= 0.7 {
        return similarity;
    }
    let equal = a.bytes().zip(b.bytes()).take(4).take_while(|(a, b)| a == b).count();
    similarity + equal as f64 * 0.1 * (1.0 - similarity)
}

/// The bytes of a text, as the crate takes collections.
struct Bytes<'a>(&'a str);

impl<'a> IntoIterator for &Bytes<'a> {
    type Item = u8;
    type IntoIter = std::str::Bytes<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.bytes()
    }
}

fn hamming(cells: &[Cell<'_>]) -> Outcome {
    let [Cell::Text(a), Cell::Text(b)] = cells else { return Ok(Value::Null) };
    if a.is_empty() || b.is_empty() || a.len() != b.len() {
        return Err("the texts need one length, which is not zero".to_owned());
    }
    let differing = a.bytes().zip(b.bytes()).filter(|(a, b)| a != b).count();
    Ok(i64::try_from(differing).map_or(Value::Null, Value::Int))
}

fn jaccard(cells: &[Cell<'_>]) -> Outcome {
    let [Cell::Text(a), Cell::Text(b)] = cells else { return Ok(Value::Null) };
    if a.is_empty() || b.is_empty() {
        return Err("the similarity of an empty text is not known".to_owned());
    }
    let a: HashSet<u8> = a.bytes().collect();
    let b: HashSet<u8> = b.bytes().collect();
    Ok(Value::Double(a.intersection(&b).count() as f64 / a.union(&b).count() as f64))
}
