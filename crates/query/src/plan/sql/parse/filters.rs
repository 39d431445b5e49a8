//! Filters of aggregates without WHERE: `sum(a) FILTER (a > 1)`.

use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Whitespace};

use super::{keyword_at, words};

/// Puts WHERE into each FILTER behind a call that has none.
pub(super) fn complete(tokens: &mut Vec<TokenWithSpan>) {
    let words = words(tokens);
    let keyword = |index: &usize| keyword_at(tokens, *index);
    let is = |index: &usize, token: &Token| tokens.get(*index).is_some_and(|found| found.token == *token);
    let places = words.windows(4).filter_map(|part| match part {
        [call, filter, bracket, condition]
            if is(call, &Token::RParen)
                && keyword(filter) == Keyword::FILTER
                && is(bracket, &Token::LParen)
                && keyword(condition) != Keyword::WHERE =>
        {
            Some(*condition)
        }
        _ => None,
    });
    for place in places.collect::<Vec<_>>().into_iter().rev() {
        let Some(span) = tokens.get(place).map(|token| token.span) else { continue };
        let added = [Token::make_keyword("WHERE"), Token::Whitespace(Whitespace::Space)];
        tokens.splice(place..place, added.map(|token| TokenWithSpan::new(token, span)));
    }
}
