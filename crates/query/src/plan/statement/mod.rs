//! Dispatch of a statement to the file that plans its kind.
//!
//! Statements that DataFusion's parser does not read are known by their first words. The others are
//! parsed once. Each kind has a file with an entry `plan`. A statement takes effect when its plan
//! is executed, never while it is planned, so that EXPLAIN shows it without running it.

mod copy;
mod describe;
mod device;
mod explain;
mod prepare;
mod secret;
mod set;
mod shown;
mod tables;
mod tokens;
mod unread;
mod unsupported;

use std::borrow::Cow;

use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::Statement as SqlStatement;
use futures::FutureExt;
use futures::future::BoxFuture;

use super::catalog::Prepared;
use super::executable::Plan;
use super::recursion_limit;
use super::session::Session;
use super::sql;
use crate::error::{Error, Result};
pub(in crate::plan) use copy::Copy;
pub use device::SOURCE_COLUMN;
pub use prepare::Parameters;
pub(in crate::plan) use shown::shown;
use tables::{create, insert, remove, rename, view};
use tokens::keyword;

impl Session {
    /// Plans one SQL statement without parameters.
    ///
    /// # Errors
    /// It does not parse, names a missing object, or is not supported.
    pub async fn sql(&self, sql: &str) -> Result<Plan> {
        self.sql_with(sql, &Parameters::none()).await
    }

    /// Plans one SQL statement with values for its parameters `$1`, `$name` or `?`.
    ///
    /// # Errors
    /// As [`Session::sql`], and a parameter has no value, or a value no parameter.
    pub async fn sql_with(&self, sql: &str, parameters: &Parameters) -> Result<Plan> {
        if sql.trim().trim_end_matches(';').trim().is_empty() {
            return Err(Error::Query("the query is empty".to_owned()));
        }
        recursion_limit::check(sql)?;
        // callers have many of these futures in one of theirs
        let planned = self.catalog.at_one_time(plan(self, sql, parameters).boxed()).await;
        planned.map_err(|error| {
            let error = error.in_sql().with_tables(self.tables().iter().map(String::as_str));
            let state = self.context.state();
            let error = error.with_written_name(sql, |name| sql::names_of_function(&state, name));
            error.without_signatures()
        })
    }

    /// Parses a statement that is to be planned with values of its parameters.
    ///
    /// # Errors
    /// It does not parse.
    pub fn prepare(&self, sql: &str) -> Result<Prepared> {
        recursion_limit::check(sql)?;
        let tokens = tokens::of(sql);
        secret::refuse(&tokens)?;
        match keyword(tokens.first()).as_deref() {
            Some("COPY" | "SET" | "RESET" | "PRAGMA") => prepare::of_tokens(self, sql, &tokens, Vec::new()),
            _ => Ok(Prepared::new(sql, sql::parse(&self.context.state(), sql)?, Vec::new())),
        }
    }

    /// Plans a prepared statement with values of its parameters.
    ///
    /// # Errors
    /// It names a missing object, is not supported, or a parameter has no value.
    pub async fn execute(&self, prepared: &Prepared, parameters: &Parameters) -> Result<Plan> {
        let planning = async {
            let statement = parameters.bound(prepared)?;
            prepare::plan_bound(self, prepared, statement).await
        };
        self.catalog.at_one_time(planning).await
    }
}

/// Plans one statement, with values for its parameters.
async fn plan(session: &Session, sql: &str, parameters: &Parameters) -> Result<Plan> {
    let tokens = tokens::of(sql);
    let words: Vec<String> = tokens.iter().map_while(|token| keyword(Some(token))).take(2).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if words.first() == Some(&"EXPLAIN")
        && let Some(plan) = copy::explained(session, sql, &tokens, parameters).await?
    {
        return Ok(plan);
    }
    if secret::is_one(&tokens)
        && let Some(statement) = secret::parse(&prepare::in_tokens::bound(session, &tokens, parameters)?)?
    {
        return secret::plan(session, statement);
    }
    secret::refuse_inside(&tokens)?;
    if let Some(plan) = unread::plan(&tokens)? {
        return Ok(plan);
    }
    let sql = match words.as_slice() {
        ["CACHE" | "UNCACHE", "TABLE"] | ["EXPLAIN", "CUDA"] => return device::plan(session, sql).await,
        ["SET" | "RESET" | "PRAGMA", ..] => {
            return set::plan(session, &prepare::in_tokens::bound(session, &tokens, parameters)?);
        }
        ["COPY", ..] => return copy::plan(session, sql, &tokens, parameters).await,
        ["PREPARE", ..] if let Some(before) = prepare::read_from_tokens(&tokens) => {
            return prepare::plan_tokens(session, sql, &tokens, before, parameters);
        }
        ["SUMMARIZE", ..] => return describe::summarize(session, sql, &tokens, parameters).await,
        ["SHOW", "ALL"] if describe::is_all_tables(&tokens) => return describe::all_tables(session).await,
        ["ALTER", "VIEW"] => rename::of_view(sql, &tokens),
        ["EXPLAIN", ..] => explain::with_formats(sql, &tokens)?,
        ["INSERT", ..] => unread::insert(sql, &tokens)?,
        ["DESCRIBE" | "DESC" | "SHOW"] if tokens.len() == 1 => Cow::Borrowed("SHOW TABLES"),
        _ => Cow::Borrowed(sql),
    };
    let mut statement = sql::parse(&session.context.state(), &sql)?;
    parameters.bind(&mut statement)?;
    parsed(session, &sql, statement).await
}

/// Plans a parsed statement, whose parameters have values, with the text that it was parsed from.
fn parsed<'a>(session: &'a Session, sql: &'a str, statement: Statement) -> BoxFuture<'a, Result<Plan>> {
    async move {
        match statement {
            Statement::Statement(statement) => of_sql(session, sql, *statement).await,
            Statement::Explain(explained) if explain::is_query(&explained) => {
                explain::query(session, sql, explained).await
            }
            Statement::Explain(explained) => {
                let options = explain::options(&explained)?;
                let plan = parsed(session, sql, *explained.statement).await?;
                explain::effect(&options, plan)
            }
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
        SqlStatement::Prepare { .. } | SqlStatement::Deallocate { .. } => {
            prepare::plan(session, sql, statement)
        }
        SqlStatement::Execute { name: Some(name), parameters, using, .. } => {
            let (prepared, statement) = prepare::bound(session, sql, &name, parameters, using).await?;
            prepare::plan_bound(session, &prepared, statement).await
        }
        SqlStatement::ExplainTable { .. }
        | SqlStatement::Explain { .. }
        | SqlStatement::ShowTables { .. } => describe::plan(session, sql, statement).await,
        SqlStatement::ShowVariable { variable } => set::show(session, &variable).await,
        SqlStatement::Query(_)
        | SqlStatement::ShowColumns { .. }
        | SqlStatement::ShowCreate { .. }
        | SqlStatement::ShowFunctions { .. } => session.plan(&session.logical(sql, statement).await?).await,
        other => Err(unsupported::error(&other)),
    }
}

#[cfg(test)]
mod tests;
