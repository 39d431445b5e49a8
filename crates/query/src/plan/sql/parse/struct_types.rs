//! Types of structs in parentheses: `STRUCT(a INTEGER, b VARCHAR)`.

use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

/// A parenthesis that is open at the reading position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    /// Fields of a STRUCT.
    Struct,
    /// Types of a MAP.
    Map,
    Other,
}

/// Writes the fields of each STRUCT that is a type in angle brackets, which the parser reads.
pub(super) fn bracket(tokens: &mut [TokenWithSpan]) {
    let mut open = Vec::new();
    // the last two tokens that are not white space
    let (mut before, mut last): (Option<Token>, Option<Token>) = (None, None);
    for token in tokens {
        match &token.token {
            Token::Whitespace(_) => continue,
            Token::LParen => {
                let of_type = match &last {
                    Some(Token::Word(word)) if word.quote_style.is_none() => match word.keyword {
                        Keyword::STRUCT => Open::Struct,
                        Keyword::MAP => Open::Map,
                        _ => Open::Other,
                    },
                    _ => Open::Other,
                };
                let is_type = precedes_type(before.as_ref(), open.last().copied());
                open.push(if is_type { of_type } else { Open::Other });
                if open.last() == Some(&Open::Struct) {
                    token.token = Token::Lt;
                }
            }
            Token::RParen => match open.pop() {
                Some(Open::Struct) => token.token = Token::Gt,
                Some(Open::Map | Open::Other) | None => {}
            },
            _ => {}
        }
        before = last.replace(token.token.clone());
    }
}

/// Returns whether a type can follow a token: a name of a column or field, AS, `::`, or the
/// beginning of the types of a MAP.
fn precedes_type(token: Option<&Token>, open: Option<Open>) -> bool {
    match token {
        Some(Token::DoubleColon) => true,
        Some(Token::LParen | Token::Comma) => open == Some(Open::Map),
        Some(Token::Word(word)) if word.quote_style.is_some() => true,
        Some(Token::Word(word)) => !matches!(
            word.keyword,
            Keyword::ALL
                | Keyword::AND
                | Keyword::BETWEEN
                | Keyword::BY
                | Keyword::CASE
                | Keyword::DISTINCT
                | Keyword::ELSE
                | Keyword::EXCEPT
                | Keyword::FROM
                | Keyword::HAVING
                | Keyword::IN
                | Keyword::INTERSECT
                | Keyword::IS
                | Keyword::JOIN
                | Keyword::LIKE
                | Keyword::LIMIT
                | Keyword::NOT
                | Keyword::OFFSET
                | Keyword::ON
                | Keyword::OR
                | Keyword::QUALIFY
                | Keyword::RETURNING
                | Keyword::SELECT
                | Keyword::THEN
                | Keyword::UNION
                | Keyword::VALUES
                | Keyword::WHEN
                | Keyword::WHERE
        ),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
