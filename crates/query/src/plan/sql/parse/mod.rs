//! Parsing of SQL text: the dialect, and rewrites of tokens for forms that the parser lacks.

mod asof;
mod budget;
mod chains;
mod dialect;
mod filters;
mod from_first;
mod materialized;
mod pivots;
mod samples;
mod separators;
mod struct_types;

use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionState;
use datafusion::sql::parser::{DFParserBuilder, Statement};
use datafusion::sql::sqlparser::ast::{DataType, Expr, Statement as SqlStatement};
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::parser::{Parser, ParserError};
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

use crate::error::{Error, nesting, wrap};
use crate::plan::recursion_limit;
pub(in crate::plan) use dialect::PeltonDialect;
pub(super) use dialect::{PERCENT, POWER_CALL};
pub(super) use samples::sample_of;

/// Parses the text of one statement.
///
/// # Errors
/// The text does not parse, or holds several statements.
pub(in crate::plan) fn parse(state: &SessionState, sql: &str) -> Result<Statement> {
    statement(tokens(sql)?, state.config().options().sql_parser.recursion_limit.get())
}

/// Parses a text behind the beginning of a statement. No token goes from the one to the other, and
/// errors have places in the text.
///
/// # Errors
/// As [`parse`].
pub(in crate::plan) fn parse_behind(before: &str, text: &str, recursion_limit: usize) -> Result<Statement> {
    let mut all: Vec<_> = tokens(before)?.into_iter().map(|token| TokenWithSpan::wrap(token.token)).collect();
    all.extend(tokens(text)?);
    statement(all, recursion_limit)
}

/// Parses a type such as `INTEGER` or `STRUCT(a VARCHAR[])`; `None` for other texts.
pub(in crate::plan) fn parse_type(text: &str) -> Option<DataType> {
    // a type follows these two
    let mut all = tokens(&format!("NULL::{text}")).ok()?;
    struct_types::bracket(&mut all);
    let mut parser = Parser::new(&PeltonDialect).with_tokens_with_locations(all);
    match parser.parse_expr().ok()? {
        Expr::Cast { data_type, .. } if parser.peek_token().token == Token::EOF => Some(data_type),
        _ => None,
    }
}

fn tokens(sql: &str) -> Result<Vec<TokenWithSpan>> {
    Ok(Tokenizer::new(&PeltonDialect, sql).tokenize_with_location().map_err(ParserError::from)?)
}

fn statement(mut tokens: Vec<TokenWithSpan>, levels: usize) -> Result<Statement> {
    let count = tokens.len();
    separators::plain_numbers(&mut tokens);
    separators::drop_trailing_commas(&mut tokens);
    filters::complete(&mut tokens);
    materialized::drop(&mut tokens);
    struct_types::bracket(&mut tokens);
    pivots::write_out(&mut tokens).map_err(wrap)?;
    from_first::complete(&mut tokens);
    samples::normalize(&mut tokens).map_err(wrap)?;
    asof::mark(&mut tokens).map_err(wrap)?;
    let last = tokens
        .iter()
        .rev()
        .map(|token| &token.token)
        .find(|token| !matches!(token, Token::Whitespace(_) | Token::EOF | Token::SemiColon));
    let last = last.cloned();
    let parser = DFParserBuilder::new(tokens).with_dialect(&PeltonDialect);
    let mut parser = parser.with_recursion_limit(levels).build()?;
    let parsed = budget::within(count, || parser.parse_statements());
    let parsed = parsed.unwrap_or_else(|| Err(wrap(nesting::too_nested())));
    let mut statements = parsed.map_err(|error| at_end(&error, last.as_ref()).map_or(error, wrap))?;
    match (statements.pop_front(), statements.pop_front()) {
        (Some(mut statement), None) => {
            if let Some(statement) = sql_of(&mut statement) {
                chains::balance(statement);
                recursion_limit::check_subqueries(statement).map_err(wrap)?;
            }
            Ok(statement)
        }
        (None, _) => Err(wrap(Error::Query("the query is empty".to_owned()))),
        (Some(_), Some(_)) => {
            Err(wrap(Error::Query("this is more than one statement: run one at a time".to_owned())))
        }
    }
}

/// Returns the error of a statement that ends too soon, with its last word; `None` for other
/// errors.
fn at_end(error: &DataFusionError, last: Option<&Token>) -> Option<Error> {
    let DataFusionError::SQL(error, _) = error else { return None };
    let ParserError::ParserError(text) = error.as_ref() else { return None };
    let expected = text.strip_prefix("Expected: ")?.strip_suffix(", found: EOF")?;
    let shown = match last? {
        Token::Word(word) if word.keyword == Keyword::INTERVAL && word.quote_style.is_none() => {
            return Some(Error::Query("INTERVAL needs a length: write INTERVAL '1 day'".to_owned()));
        }
        // a text may be a secret
        Token::Word(word) => word.to_string(),
        Token::Number(..) => "a number".to_owned(),
        text if text.to_string().ends_with('\'') => "a text".to_owned(),
        other => other.to_string(),
    };
    Some(Error::Query(format!(
        "the query does not parse: it ends behind {shown}, and needs {expected} there"
    )))
}

/// Returns the statement of SQL in a statement, which is that of EXPLAIN too.
fn sql_of(statement: &mut Statement) -> Option<&mut SqlStatement> {
    match statement {
        Statement::Statement(statement) => Some(statement),
        Statement::Explain(explain) => sql_of(&mut explain.statement),
        Statement::CreateExternalTable(_) | Statement::CopyTo(_) | Statement::Reset(_) => None,
    }
}

/// Returns the places of the tokens that are no white space.
fn words(tokens: &[TokenWithSpan]) -> Vec<usize> {
    let is_word = |(_, token): &(usize, &TokenWithSpan)| !matches!(token.token, Token::Whitespace(_));
    tokens.iter().enumerate().filter(is_word).map(|(index, _)| index).collect()
}

/// Returns the keyword at a place; a quoted word is none.
fn keyword_at(tokens: &[TokenWithSpan], index: usize) -> Keyword {
    match tokens.get(index).map(|token| &token.token) {
        Some(Token::Word(word)) if word.quote_style.is_none() => word.keyword,
        _ => Keyword::NoKeyword,
    }
}
