//! Statements for an accelerator: CACHE, UNCACHE and EXPLAIN CUDA.

use std::any::Any;
use std::future::ready;
use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::common::TableReference;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use super::tokens::{self, keyword, offset};
use crate::error::{Error, Result, wrap};
use crate::plan::accelerator::{CachePlace, open_tables, planning};
use crate::plan::executable::Plan;
use crate::plan::rows::RowsExec;
use crate::plan::rules::without_sharing;
use crate::plan::session::{Session, query};
use crate::stores::shown_place;
use crate::table::{PeltonTable, opened};

/// The column of `EXPLAIN CUDA`: lines of source code.
pub const SOURCE_COLUMN: &str = "EXPLAIN CUDA";

/// Plans a statement for the session's accelerator.
///
/// # Errors
/// It is incomplete, the session has no accelerator, or a table is missing.
pub(super) async fn plan(session: &Session, sql: &str) -> Result<Plan> {
    let statement = Statement::parse(sql)?;
    let Some(accelerator) = session.accelerator() else {
        return Err(Error::Query(statement.without_accelerator().to_owned()));
    };
    Ok(Arc::new(match statement {
        Statement::Source(sql) => {
            let state = without_sharing(&session.context.state())?;
            let logical = session.text(sql).await?;
            let logical = query(&logical)?;
            let optimised = open_tables(&state, state.optimize(&logical)?).await?;
            let rewritten = planning::rewrite(&accelerator, optimised);
            let source = accelerator.source(&rewritten.plan)?;
            let lines: Vec<String> = source.lines().map(str::to_owned).collect();
            RowsExec::text(SOURCE_COLUMN, move || ready(Ok(lines.clone())))
        }
        Statement::Cache(name, place) => {
            let provider = session.context.table_provider(name.clone()).await?;
            let provider = opened(provider, &session.context.state(), &[]).await?;
            RowsExec::text("cached", move || {
                let (accelerator, provider) = (accelerator.clone(), provider.clone());
                let name = shown_place(&name.to_string());
                async move {
                    let table = pelton_table(&name, &provider).map_err(wrap)?;
                    let line = accelerator.cache(&name, table, place).await.map_err(wrap)?;
                    Ok(vec![line])
                }
            })
        }
        Statement::Uncache(name) => {
            let provider = session.context.table_provider(name.clone()).await?;
            let provider = opened(provider, &session.context.state(), &[]).await?;
            let name = shown_place(&name.to_string());
            RowsExec::text("uncached", move || {
                let table = pelton_table(&name, &provider).map_err(wrap);
                ready(table.map(|table| {
                    let nothing = || format!("nothing of {name} was cached");
                    vec![accelerator.uncache(&name, table).unwrap_or_else(nothing)]
                }))
            })
        }
    }))
}

fn pelton_table<'a>(name: &str, provider: &'a Arc<dyn TableProvider>) -> Result<&'a PeltonTable> {
    let table: &dyn Any = provider.as_ref();
    let other = || Error::Query(format!("{name} is no table of Parquet files, and only those are cached"));
    table.downcast_ref::<PeltonTable>().ok_or_else(other)
}

/// A statement of Pelton's own.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Statement<'a> {
    /// `CACHE TABLE t IN host|gpu`
    Cache(TableReference, CachePlace),
    /// `UNCACHE TABLE t`
    Uncache(TableReference),
    /// `EXPLAIN CUDA query`
    Source(&'a str),
}

impl<'a> Statement<'a> {
    /// Reads a statement that begins as one of these.
    ///
    /// # Errors
    /// It continues differently.
    fn parse(sql: &'a str) -> Result<Self> {
        let tokens = tokens::of(sql);
        match keyword(tokens.first()).as_deref() {
            Some("CACHE") => cache(&tokens[2..]),
            Some("UNCACHE") => uncache(&tokens[2..]),
            _ => {
                let rest = tokens.get(2).map_or(sql.len(), |token| offset(sql, token));
                Ok(Statement::Source(&sql[rest..]))
            }
        }
    }

    /// Returns the message for sessions without an accelerator.
    fn without_accelerator(&self) -> &'static str {
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

#[cfg(test)]
mod tests;
