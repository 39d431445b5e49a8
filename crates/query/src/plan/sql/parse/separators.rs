//! Separators without meaning: those in numbers, as in `1_000_000`, and commas behind the last
//! element of a list, as in `SELECT a, b, FROM t`.

use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

/// Takes the separators out of numbers.
pub(super) fn join_numbers(tokens: &mut [TokenWithSpan]) {
    for token in tokens {
        if let Token::Number(digits, _) = &mut token.token {
            digits.retain(|digit| digit != '_');
        }
    }
}

/// Takes out each comma that the end of a list follows: a closing bracket, the end of the
/// statement, or a keyword that begins a clause and is no name of a column.
pub(super) fn drop_trailing_commas(tokens: &mut Vec<TokenWithSpan>) {
    let mut ends = true;
    let mut kept = Vec::with_capacity(tokens.len());
    for token in std::mem::take(tokens).into_iter().rev() {
        match &token.token {
            Token::Whitespace(_) => {}
            Token::Comma if ends => continue,
            token => ends = is_end(token),
        }
        kept.push(token);
    }
    kept.reverse();
    *tokens = kept;
}

fn is_end(token: &Token) -> bool {
    match token {
        Token::EOF | Token::SemiColon | Token::RParen | Token::RBracket | Token::RBrace => true,
        Token::Word(word) if word.quote_style.is_none() => matches!(
            word.keyword,
            Keyword::FROM
                | Keyword::WHERE
                | Keyword::GROUP
                | Keyword::HAVING
                | Keyword::QUALIFY
                | Keyword::ORDER
                | Keyword::LIMIT
                | Keyword::UNION
                | Keyword::EXCEPT
                | Keyword::INTERSECT
        ),
        _ => false,
    }
}
