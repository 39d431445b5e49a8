//! Texts of statements as they are shown: without the query strings of addresses, which may be
//! signatures.

use std::slice::from_ref;

use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::tokenizer::{Token, Tokenizer, Whitespace};
use pelton_pages::listing::shown_in;

use super::tokens::{offset, slice};

/// Returns the text of a statement with the addresses in it as they are shown.
pub(in crate::plan) fn shown(sql: &str) -> String {
    if !sql.contains("://") {
        return sql.to_owned();
    }
    let Ok(tokens) = Tokenizer::new(&GenericDialect {}, sql).tokenize_with_location() else {
        return shown_in(sql, ends_address).into_owned();
    };
    let (mut text, mut copied) = (String::new(), 0);
    for token in &tokens {
        let written = slice(sql, from_ref(token));
        if !written.contains("://") {
            continue;
        }
        let start = offset(sql, token);
        text.push_str(&sql[copied..start]);
        text.push_str(&shown_token(&token.token, written));
        copied = start + written.len();
    }
    text + &sql[copied..]
}

/// Returns whether an address outside of quotes ends at a character.
fn ends_address(c: char) -> bool {
    c == '\'' || c == '"' || c.is_whitespace()
}

fn shown_token(token: &Token, written: &str) -> String {
    match (token, written.char_indices().next_back()) {
        (Token::Whitespace(Whitespace::SingleLineComment { .. } | Whitespace::MultiLineComment(_)), _) => {
            shown_in(written, ends_address).into_owned()
        }
        // a text or a name in quotes is one address up to the closing quote
        (_, Some((last, quote))) => format!("{}{quote}", shown_in(&written[..last], |_| false)),
        (_, None) => String::new(),
    }
}

#[cfg(test)]
mod tests;
