//! Tokens of statements that DataFusion's parser does not read.

use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer};

/// Returns the tokens of a statement, without blanks, comments and semicolons. Text that the lexer
/// can't read has none: the parser reports it.
pub(super) fn of(sql: &str) -> Vec<TokenWithSpan> {
    let tokens = Tokenizer::new(&GenericDialect {}, sql).tokenize_with_location();
    let mut tokens = tokens.unwrap_or_default();
    tokens.retain(|token| !matches!(token.token, Token::Whitespace(_) | Token::SemiColon | Token::EOF));
    tokens
}

/// Returns an unquoted word in capitals.
pub(super) fn keyword(token: Option<&TokenWithSpan>) -> Option<String> {
    match &token?.token {
        Token::Word(word) if word.quote_style.is_none() => Some(word.value.to_ascii_uppercase()),
        _ => None,
    }
}

/// Returns the index of the parenthesis or bracket that closes the first one.
pub(super) fn closing(tokens: &[TokenWithSpan]) -> Option<usize> {
    let mut depth = 0usize;
    for (index, token) in tokens.iter().enumerate() {
        match token.token {
            Token::LParen | Token::LBracket | Token::LBrace => depth += 1,
            Token::RParen | Token::RBracket | Token::RBrace => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(index);
        }
    }
    None
}

/// Returns the byte offset at which a token begins.
pub(super) fn offset(text: &str, token: &TokenWithSpan) -> usize {
    at(text, token.span.start)
}

/// Returns the text from the first of some tokens to the last one.
pub(super) fn slice<'a>(text: &'a str, tokens: &[TokenWithSpan]) -> &'a str {
    match (tokens.first(), tokens.last()) {
        (Some(first), Some(last)) => &text[offset(text, first)..at(text, last.span.end)],
        _ => "",
    }
}

fn at(text: &str, location: Location) -> usize {
    // the lexer counts lines and columns from 1, and columns in characters
    let (line, column) = (location.line.saturating_sub(1), location.column.saturating_sub(1));
    let before: usize = text.split_inclusive('\n').take(line as usize).map(str::len).sum();
    let in_line = text[before..].char_indices().nth(column as usize);
    before + in_line.map_or(text.len() - before, |(offset, _)| offset)
}

/// Returns a text with other words in place of a token, which is a word.
pub(super) fn replaced(text: &str, token: &TokenWithSpan, by: &str) -> String {
    let (start, length) = (offset(text, token), token.token.to_string().len());
    format!("{}{by}{}", &text[..start], &text[start + length..])
}
