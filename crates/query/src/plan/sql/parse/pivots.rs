//! PIVOT and UNPIVOT as statements: `PIVOT t ON year USING sum(n)`.

use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

use super::dialect::PeltonDialect;
use crate::error::{Error, Result};

/// Writes each PIVOT and UNPIVOT that begins a query as a SELECT of a table with that clause.
///
/// # Errors
/// A PIVOT has no ON.
pub(super) fn write_out(tokens: &mut Vec<TokenWithSpan>) -> Result<()> {
    // from the end, so that inner ones come first
    let mut index = tokens.len();
    while index > 0 {
        index -= 1;
        let is_start = || match before(tokens, index) {
            None => true,
            Some(Token::LParen | Token::SemiColon) => true,
            Some(token) => {
                ["EXPLAIN", "ANALYZE", "DESCRIBE", "SUMMARIZE", "AS"].iter().any(|word| is_word(token, word))
            }
        };
        let Some(token) = tokens.get(index).map(|token| &token.token) else { continue };
        let is_pivot = is_word(token, "PIVOT");
        if (is_pivot || is_word(token, "UNPIVOT")) && is_start() {
            rewrite(tokens, index, is_pivot)?;
        }
    }
    Ok(())
}

fn is_word(token: &Token, expected: &str) -> bool {
    matches!(token, Token::Word(word) if word.quote_style.is_none() && word.value.eq_ignore_ascii_case(expected))
}

/// Returns the token in front of another that is no white space.
fn before(tokens: &[TokenWithSpan], index: usize) -> Option<&Token> {
    let before = tokens.get(..index)?.iter().rev().map(|token| &token.token);
    before.into_iter().find(|token| !matches!(token, Token::Whitespace(_)))
}

/// The clauses of the statement, in their order.
const CLAUSES: [&str; 7] = ["ON", "INTO", "USING", "GROUP", "ORDER", "LIMIT", "UNION"];

fn rewrite(tokens: &mut Vec<TokenWithSpan>, start: usize, is_pivot: bool) -> Result<()> {
    let mut depth = 0_usize;
    let mut clauses: Vec<(&str, usize)> = Vec::new();
    let mut end = tokens.len();
    for (index, token) in tokens.iter().enumerate().skip(start + 1) {
        match &token.token {
            Token::LParen | Token::LBracket | Token::LBrace => depth += 1,
            Token::RParen | Token::RBracket | Token::RBrace if depth > 0 => depth -= 1,
            Token::RParen | Token::SemiColon | Token::EOF => {
                end = index;
                break;
            }
            token if depth == 0 => {
                if let Some(clause) = CLAUSES.into_iter().find(|clause| is_word(token, clause)) {
                    let is_known = clauses.iter().any(|(known, _)| *known == clause);
                    if !is_known {
                        clauses.push((clause, index));
                    }
                }
            }
            _ => {}
        }
    }
    let text = |from: usize, to: usize| -> String {
        tokens.get(from..to).unwrap_or_default().iter().map(|token| token.token.to_string()).collect()
    };
    let clause = |name: &str| {
        let at = clauses.iter().position(|(clause, _)| *clause == name)?;
        let from = clauses.get(at)?.1;
        let to = clauses.get(at + 1).map_or(end, |(_, next)| *next);
        Some((from, to))
    };
    let Some((on, on_end)) = clause("ON") else {
        return Err(Error::Query(match is_pivot {
            true => "PIVOT needs a column: write PIVOT t ON column USING sum(value)".to_owned(),
            false => "UNPIVOT needs columns: write UNPIVOT t ON a, b INTO NAME name VALUE value".to_owned(),
        }));
    };
    let table = text(start + 1, on);
    let columns = text(on + 1, on_end);
    let rest = clauses.iter().find(|(name, _)| ["GROUP", "ORDER", "LIMIT", "UNION"].contains(name));
    let rest = rest.map_or(end, |(_, index)| *index);
    let written = if is_pivot {
        let using = clause("USING").map_or_else(|| "count(*)".to_owned(), |(from, to)| text(from + 1, to));
        let (column, values) = match split_in(&columns) {
            Some((column, values)) => (column, values),
            None => (columns, "(ANY)".to_owned()),
        };
        format!("SELECT * FROM {table} PIVOT ({using} FOR ({column}) IN {values}) ")
    } else {
        let (name, value) = match clause("INTO") {
            Some((from, to)) => {
                let words: Vec<String> = tokens[from + 1..to]
                    .iter()
                    .filter(|token| !matches!(token.token, Token::Whitespace(_)))
                    .map(|token| token.token.to_string())
                    .collect();
                match words.as_slice() {
                    [keyword, name, other, value]
                        if keyword.eq_ignore_ascii_case("name") && other.eq_ignore_ascii_case("value") =>
                    {
                        (name.clone(), value.clone())
                    }
                    _ => {
                        return Err(Error::Query(
                            "UNPIVOT gives two columns: write INTO NAME a VALUE b".to_owned(),
                        ));
                    }
                }
            }
            None => ("name".to_owned(), "value".to_owned()),
        };
        format!("SELECT * FROM {table} UNPIVOT ({value} FOR {name} IN ({columns})) ")
    };
    let span = tokens[start].span;
    let parsed = Tokenizer::new(&PeltonDialect, &written).tokenize();
    let parsed = parsed.map_err(|error| Error::Query(error.to_string()))?;
    tokens.splice(start..rest, parsed.into_iter().map(|token| TokenWithSpan::new(token, span)));
    Ok(())
}

/// Splits `column IN (values)`.
fn split_in(columns: &str) -> Option<(String, String)> {
    let upper = columns.to_uppercase();
    let at = upper.find(" IN ").or_else(|| upper.find(" IN("))?;
    Some((columns.get(..at)?.to_owned(), columns.get(at + 3..)?.to_owned()))
}
