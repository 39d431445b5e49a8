//! Statements of Pelton's own: CACHE, UNCACHE and EXPLAIN CUDA.

mod rows;
pub(super) mod secret;

use datafusion::common::TableReference;
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer};

use super::accelerator::CachePlace;
use crate::error::{Error, Result};
pub(super) use rows::RowsExec;

/// A statement of Pelton's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Statement<'a> {
    /// `CACHE TABLE t IN host|gpu`
    Cache(TableReference, CachePlace),
    /// `UNCACHE TABLE t`
    Uncache(TableReference),
    /// `EXPLAIN CUDA query`
    Source(&'a str),
}

impl<'a> Statement<'a> {
    /// Reads a statement; `None` if it is one for DataFusion.
    ///
    /// # Errors
    /// It begins as one of these and continues differently.
    pub fn parse(sql: &'a str) -> Result<Option<Self>> {
        let Some(tokens) = tokens(sql) else { return Ok(None) };
        let keywords = [keyword(tokens.first()), keyword(tokens.get(1))];
        match keywords.each_ref().map(|word| word.as_deref()) {
            [Some("CACHE"), Some("TABLE")] => cache(&tokens[2..]).map(Some),
            [Some("UNCACHE"), Some("TABLE")] => uncache(&tokens[2..]).map(Some),
            [Some("EXPLAIN"), Some("CUDA")] => {
                let rest = tokens.get(2).map_or(sql.len(), |token| offset(sql, token.span.start));
                Ok(Some(Statement::Source(&sql[rest..])))
            }
            _ => Ok(None),
        }
    }

    /// Returns the message for sessions without an accelerator.
    pub fn without_accelerator(&self) -> &'static str {
        match self {
            Statement::Cache(..) => {
                "CACHE TABLE keeps a table for a GPU, and none is in use: choose one with --device cuda, or the host \
                 build of its kernels with --device cuda-host"
            }
            Statement::Uncache(_) => {
                "nothing is cached: tables are cached for a GPU, and none is in use; choose one with --device cuda, or \
                 the host build of its kernels with --device cuda-host"
            }
            Statement::Source(_) => {
                "EXPLAIN CUDA prints what is generated for a GPU, and none is in use: choose one with --device cuda, or \
                 the host build of its kernels, which needs no GPU, with --device cuda-host"
            }
        }
    }
}

/// Returns the tokens of a statement without spaces; `None` for text that the lexer can't read,
/// which DataFusion's parser reports.
fn tokens(sql: &str) -> Option<Vec<TokenWithSpan>> {
    let mut tokens: Vec<TokenWithSpan> =
        Tokenizer::new(&GenericDialect {}, sql).tokenize_with_location().ok()?;
    tokens.retain(|token| !matches!(token.token, Token::Whitespace(_) | Token::SemiColon | Token::EOF));
    Some(tokens)
}

fn keyword(token: Option<&TokenWithSpan>) -> Option<String> {
    match &token?.token {
        Token::Word(word) if word.quote_style.is_none() => Some(word.value.to_ascii_uppercase()),
        _ => None,
    }
}

fn cache(tokens: &[TokenWithSpan]) -> Result<Statement<'static>> {
    let is_in = |token: &TokenWithSpan| keyword(Some(token)).as_deref() == Some("IN");
    let Some(split) = tokens.iter().position(is_in) else {
        return Err(expected("CACHE TABLE needs a place: CACHE TABLE name IN host, or IN gpu"));
    };
    let table = name(&tokens[..split])?;
    let place = match (keyword(tokens.get(split + 1)).as_deref(), tokens.len() - split) {
        (Some("HOST"), 2) => CachePlace::Host,
        (Some("GPU"), 2) => CachePlace::Gpu,
        _ => {
            let found: String = tokens[split + 1..].iter().map(|token| token.token.to_string()).collect();
            return Err(expected(&format!(
                "CACHE TABLE {table} IN {found}: a table is kept IN host or IN gpu"
            )));
        }
    };
    Ok(Statement::Cache(table, place))
}

fn uncache(tokens: &[TokenWithSpan]) -> Result<Statement<'static>> {
    name(tokens).map(Statement::Uncache)
}

/// Returns a table's name, or the location of files in quotes.
fn name(tokens: &[TokenWithSpan]) -> Result<TableReference> {
    match tokens {
        [TokenWithSpan { token: Token::SingleQuotedString(place), .. }] => {
            Ok(TableReference::bare(place.as_str()))
        }
        [TokenWithSpan { token: Token::Word(_), .. }, ..] => {
            let is_part = |(index, token): (usize, &TokenWithSpan)| match &token.token {
                Token::Word(_) => index % 2 == 0,
                other => index % 2 == 1 && *other == Token::Period,
            };
            let text: String = tokens.iter().map(|token| token.token.to_string()).collect();
            match tokens.len() % 2 == 1 && tokens.iter().enumerate().all(is_part) {
                true => Ok(TableReference::parse_str(&text)),
                false => Err(expected(&format!("{text}: this is no table's name"))),
            }
        }
        [] => Err(expected("a table's name is missing: CACHE TABLE name IN gpu, UNCACHE TABLE name")),
        [other, ..] => Err(expected(&format!("{}: this is no table's name", other.token))),
    }
}

fn expected(what: &str) -> Error {
    Error::Query(what.to_owned())
}

/// Returns the byte offset of the lexer's line and column, both from 1, columns in characters.
fn offset(text: &str, location: Location) -> usize {
    let (line, column) = (location.line.saturating_sub(1), location.column.saturating_sub(1));
    let before: usize = text.split_inclusive('\n').take(line as usize).map(str::len).sum();
    let in_line = text[before..].char_indices().nth(column as usize);
    before + in_line.map_or(text.len() - before, |(offset, _)| offset)
}

#[cfg(test)]
mod tests;
