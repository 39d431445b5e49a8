//! ASOF joins in DuckDB's form: `a ASOF JOIN b ON a.key = b.key AND a.time >= b.time`; positional
//! joins are refused.

use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::error::{Error, Result};

/// Writes GLOBAL for each ASOF in front of a join. The parser reads ASOF with other clauses
/// behind the table, and keeps GLOBAL, which has no meaning in Pelton, as a flag of the join.
///
/// # Errors
/// There is a POSITIONAL JOIN, which the parser takes for a table of that name.
pub(super) fn mark(tokens: &mut [TokenWithSpan]) -> Result<()> {
    let mut words = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match &token.token {
            Token::Whitespace(_) => {}
            Token::Word(word) if word.quote_style.is_none() => words.push((index, word.keyword)),
            _ => words.push((index, Keyword::NoKeyword)),
        }
    }
    for pair in words.windows(2) {
        if let [(index, _), (_, Keyword::JOIN)] = pair
            && let Some(Token::Word(word)) = tokens.get(*index).map(|token| &token.token)
            && word.quote_style.is_none()
            && word.value.eq_ignore_ascii_case("positional")
        {
            return Err(Error::Query(
                "POSITIONAL JOIN is not supported: number the rows of both tables with row_number() OVER () and join \
                 them by the numbers"
                    .to_owned(),
            ));
        }
        if let [(index, Keyword::ASOF), (_, Keyword::JOIN | Keyword::LEFT | Keyword::INNER)] = pair
            && let Some(token) = tokens.get_mut(*index)
        {
            token.token = Token::make_keyword("GLOBAL");
        }
    }
    Ok(())
}
