//! Common tables with a hint: `WITH t AS MATERIALIZED (…)`.

use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{keyword_at, words};

/// Takes out `[NOT] MATERIALIZED` between AS and a parenthesis. It never changes rows.
pub(super) fn drop(tokens: &mut Vec<TokenWithSpan>) {
    let words = words(tokens);
    let keyword = |index: &usize| keyword_at(tokens, *index);
    let opens = |index: &usize| tokens.get(*index).is_some_and(|token| token.token == Token::LParen);
    let mut hints = Vec::new();
    for (at, place) in words.iter().enumerate() {
        let is_hint = keyword(place) == Keyword::MATERIALIZED && words.get(at + 1).is_some_and(opens);
        let before = |back: usize| at.checked_sub(back).and_then(|at| words.get(at));
        match (before(1).map(keyword), before(2).map(keyword)) {
            (Some(Keyword::AS), _) if is_hint => hints.push(*place),
            (Some(Keyword::NOT), Some(Keyword::AS)) if is_hint => {
                hints.extend([before(1), Some(place)].into_iter().flatten().copied());
            }
            _ => {}
        }
    }
    for place in hints.into_iter().rev() {
        tokens.remove(place);
    }
}
