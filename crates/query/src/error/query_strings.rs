//! Query strings of addresses in messages and names, which may be signatures.

use std::borrow::Cow;

use pelton_pages::listing::shown_in;

/// Sign of a query string that is not shown.
pub(crate) const QUERY_SIGN: &str = "?…";

/// Returns a message with a sign in place of the query strings of addresses. They end at a quote or
/// a blank.
pub(crate) fn without_queries(message: &str) -> Cow<'_, str> {
    shown_in(message, |c| c == '\'' || c == '"' || c.is_whitespace())
}

/// Returns where the first query string or fragment of an address begins, with its mark, and ends.
/// An address ends at some characters, or with the text.
pub(crate) fn query_string(text: &str, is_end: impl Fn(char) -> bool) -> Option<(usize, usize)> {
    let mut from = 0;
    loop {
        let at = ["http://", "https://"].iter().filter_map(|scheme| text[from..].find(scheme)).min()? + from;
        let end = text[at..].find(&is_end).map_or(text.len(), |quote| at + quote);
        match text[at..end].find(['?', '#']) {
            Some(start) if !text[at + start..].starts_with(QUERY_SIGN) => return Some((at + start, end)),
            _ => from = end,
        }
    }
}

#[cfg(test)]
mod tests;
