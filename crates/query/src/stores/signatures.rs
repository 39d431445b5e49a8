//! Query strings and fragments of addresses, which may be signatures, under numbers that plans show
//! in their place.

use std::borrow::Cow;
use std::collections::BTreeMap;

use parking_lot::Mutex;

use crate::error::query_strings::{QUERY_SIGN, query_string};

/// Query strings that are kept: those of the last statements.
const MAX_KEPT: usize = 4096;

/// Query strings of a session by number, with their mark.
#[derive(Debug, Default)]
pub(super) struct Signatures {
    kept: Mutex<Kept>,
}

#[derive(Default, Clone)]
struct Kept {
    next: u64,
    by_number: BTreeMap<u64, String>,
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Kept")
    }
}

impl Clone for Signatures {
    fn clone(&self) -> Self {
        Self { kept: Mutex::new(self.kept.lock().clone()) }
    }
}

impl Signatures {
    /// Returns a name, a place or a call with places, with numbers in place of query strings.
    pub fn hide<'a>(&self, name: &'a str) -> Cow<'a, str> {
        let mut hidden = String::new();
        let mut rest = name;
        while let Some((start, end)) = query_string(rest, |c| c == '\'') {
            hidden.push_str(&rest[..start]);
            hidden.push_str(QUERY_SIGN);
            hidden.push_str(&self.number(&rest[start..end]).to_string());
            rest = &rest[end..];
        }
        match hidden.is_empty() {
            true => Cow::Borrowed(name),
            false => Cow::Owned(hidden + rest),
        }
    }

    fn number(&self, query: &str) -> u64 {
        let mut kept = self.kept.lock();
        if let Some((number, _)) = kept.by_number.iter().find(|(_, known)| *known == query) {
            return *number;
        }
        kept.next += 1;
        let number = kept.next;
        kept.by_number.insert(number, query.to_owned());
        if kept.by_number.len() > MAX_KEPT {
            kept.by_number.pop_first();
        }
        number
    }

    /// Returns a name with its query strings again.
    pub fn reveal<'a>(&self, name: &'a str) -> Cow<'a, str> {
        let mut revealed = String::new();
        let mut rest = name;
        while let Some((before, after)) = rest.split_once(QUERY_SIGN) {
            let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let (number, after) = after.split_at(digits);
            revealed.push_str(before);
            match number.parse().ok().and_then(|number: u64| self.kept.lock().by_number.get(&number).cloned())
            {
                Some(query) => revealed.push_str(&query),
                None => {
                    revealed.push_str(QUERY_SIGN);
                    revealed.push_str(number);
                }
            }
            rest = after;
        }
        match revealed.is_empty() {
            true => Cow::Borrowed(name),
            false => Cow::Owned(revealed + rest),
        }
    }
}

#[cfg(test)]
mod tests;
