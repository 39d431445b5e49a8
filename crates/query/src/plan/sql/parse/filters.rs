//! Filters of aggregates without WHERE: `sum(a) FILTER (a > 1)`.

use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Whitespace};

/// Puts WHERE into each FILTER behind a call that has none.
pub(super) fn complete(tokens: &mut Vec<TokenWithSpan>) {
    let words: Vec<usize> = (0..tokens.len())
        .filter(|index| tokens.get(*index).is_some_and(|token| !matches!(token.token, Token::Whitespace(_))))
        .collect();
    let keyword = |index: &usize| match tokens.get(*index).map(|token| &token.token) {
        Some(Token::Word(word)) if word.quote_style.is_none() => word.keyword,
        _ => Keyword::NoKeyword,
    };
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
