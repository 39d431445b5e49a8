//! Dispatch of a statement to the file that plans its kind.
//!
//! Statements that DataFusion's parser does not read are known by their first words. The others are
//! parsed once. Each kind has a file with an entry `plan`. A statement takes effect when its plan
//! is executed, never while it is planned, so that EXPLAIN shows it without running it.

mod describe;
mod device;
mod explain;
mod prepare;
mod rows;
mod tables;
mod unsupported;

use std::borrow::Cow;

use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::{Ident, Statement as SqlStatement};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};
use futures::FutureExt;
use futures::future::BoxFuture;

use super::executable::Plan;
use super::session::Session;
use super::sql;
use crate::error::Result;
pub use device::SOURCE_COLUMN;
pub use prepare::{Parameters, Prepared};
pub(super) use rows::RowsExec;
pub(super) use tables::view::View;
use tables::{create, insert, remove, rename, view};

/// Plans one statement, with values for its parameters.
///
/// # Errors
/// It does not parse, names a missing object, is not supported, or a parameter has no value.
pub(super) async fn plan(session: &Session, sql: &str, parameters: &Parameters) -> Result<Plan> {
    let tokens = tokens(sql);
    let words: Vec<String> = tokens.iter().map_while(|token| keyword(Some(token))).take(2).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["CACHE" | "UNCACHE", "TABLE"] | ["EXPLAIN", "CUDA"] => return device::plan(session, sql).await,
        ["SUMMARIZE", ..] => return describe::summarize(session, sql, &tokens, parameters).await,
        _ => {}
    }
    let sql = match words.as_slice() {
        ["ALTER", "VIEW"] => rename::of_view(sql, &tokens),
        ["EXPLAIN", ..] => explain::with_formats(sql, &tokens),
        _ => Cow::Borrowed(sql),
    };
    let mut statement = sql::parse(&session.context.state(), &sql)?;
    parameters.bind(&mut statement)?;
    parsed(session, &sql, statement).await
}

/// Plans a parsed statement, whose parameters have values, with the text that it was parsed from.
///
/// # Errors
/// As [`plan`].
pub(super) fn parsed<'a>(
    session: &'a Session,
    sql: &'a str,
    statement: Statement,
) -> BoxFuture<'a, Result<Plan>> {
    async move {
        match statement {
            Statement::Statement(statement) => of_sql(session, sql, *statement).await,
            Statement::Explain(explain) => explain::plan(session, sql, explain).await,
            other => Err(unsupported::extension(&other)),
        }
    }
    .boxed()
}

async fn of_sql(session: &Session, sql: &str, statement: SqlStatement) -> Result<Plan> {
    match statement {
        SqlStatement::CreateView(view) => view::plan(session, sql, view).await,
        SqlStatement::CreateTable(table) => create::plan(session, sql, table).await,
        SqlStatement::Insert(insert) => insert::plan(session, sql, insert).await,
        SqlStatement::Drop { .. } => remove::plan(session, statement),
        SqlStatement::AlterTable(alter) => rename::plan(session, alter).await,
        SqlStatement::Prepare { .. } | SqlStatement::Execute { .. } | SqlStatement::Deallocate { .. } => {
            prepare::plan(session, sql, statement).await
        }
        SqlStatement::ExplainTable { .. }
        | SqlStatement::Explain { .. }
        | SqlStatement::ShowTables { .. } => describe::plan(session, sql, statement).await,
        SqlStatement::ShowVariable { variable } if is_all_tables(&variable) => {
            describe::all_tables(session).await
        }
        SqlStatement::Query(_)
        | SqlStatement::ShowColumns { .. }
        | SqlStatement::ShowCreate { .. }
        | SqlStatement::ShowFunctions { .. }
        | SqlStatement::ShowVariable { .. } => session.query(sql, statement).await,
        other => Err(unsupported::error(&other)),
    }
}

/// Returns whether SHOW is followed by ALL TABLES.
fn is_all_tables(variable: &[Ident]) -> bool {
    let words = variable.iter().map(|word| word.value.to_ascii_uppercase());
    words.eq(["ALL", "TABLES"].map(str::to_owned))
}

/// Returns the tokens of a statement, without blanks, comments and semicolons. Text that the lexer
/// can't read has none: the parser reports it.
fn tokens(sql: &str) -> Vec<TokenWithSpan> {
    let tokens = Tokenizer::new(&GenericDialect {}, sql).tokenize_with_location();
    let mut tokens = tokens.unwrap_or_default();
    tokens.retain(|token| !matches!(token.token, Token::Whitespace(_) | Token::SemiColon | Token::EOF));
    tokens
}

/// Returns an unquoted word in capitals.
fn keyword(token: Option<&TokenWithSpan>) -> Option<String> {
    match &token?.token {
        Token::Word(word) if word.quote_style.is_none() => Some(word.value.to_ascii_uppercase()),
        _ => None,
    }
}

/// Returns the byte offset at which a token begins.
fn offset(text: &str, token: &TokenWithSpan) -> usize {
    let start = token.span.start;
    let (line, column) = (start.line.saturating_sub(1), start.column.saturating_sub(1));
    let before: usize = text.split_inclusive('\n').take(line as usize).map(str::len).sum();
    let in_line = text[before..].char_indices().nth(column as usize);
    before + in_line.map_or(text.len() - before, |(offset, _)| offset)
}

#[cfg(test)]
mod tests;
