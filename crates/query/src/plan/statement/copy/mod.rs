//! COPY: the rows of a query or a table to files, and those of files into a table.
//!
//! The query is planned, optimised and run as any other. Its rows go to threads that write
//! ([`write`], [`lane`]), split by the values of columns if the result is partitioned
//! ([`partitions`]).

mod from;
mod grammar;
mod lane;
mod options;
mod partitions;
mod write;

use std::sync::Arc;

use datafusion::common::TableReference;
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use super::tables::{count, count_schema};
use super::tokens::{keyword, offset};
use super::{Parameters, explain, parsed, sql, tokens};
use crate::error::{Error, Result};
use crate::plan::executable::Plan;
use crate::plan::rows::RowsExec;
use crate::plan::session::Session;
use crate::stores::{Stores, check_is_one, is_in_store, shown_place};
use grammar::{Copy, Rows};
use options::Options;
use partitions::Partitioning;
use write::Task;

/// Plans COPY. `tokens` are those of the whole statement, which begins with that word.
///
/// # Errors
/// The statement or its query does not parse, names a missing object, or an option is wrong.
pub(super) async fn plan(
    session: &Session,
    text: &str,
    tokens: &[TokenWithSpan],
    parameters: &Parameters,
) -> Result<Plan> {
    let Copy { rows, place, options } = grammar::parse(text, tokens)?;
    let query = match rows {
        Rows::Of(query) => query,
        Rows::Into(table) => {
            let columns = columns(session, &table).await?;
            let insert = from::insert(&table, &columns, &place, &options);
            let insert =
                insert.map_err(|what| Error::Query(format!("COPY FROM {}: {what}", shown_place(&place))))?;
            return parsed(session, &insert, sql::parse(&session.context.state(), &insert)?).await;
        }
    };
    if is_in_store(&place) {
        Stores::check_output(&place)?;
    }
    let failed = |what: &str| Error::Query(format!("COPY TO {}: {what}", shown_place(&place)));
    check_is_one(&place).map_err(failed)?;
    let state = session.context.state();
    let threads = state.config().target_partitions();
    let options = Options::read(&options, &place, threads);
    let options = options.map_err(|what| failed(&what))?;
    let query = match &options.order_by {
        // the line breaks end comments
        Some(order) => format!("SELECT * FROM (\n{query}\n) ORDER BY {order}"),
        None => query,
    };
    let mut statement = sql::parse(&state, &query)?;
    parameters.bind(&mut statement)?;
    let input = session.plan(&sql::plan(&state, &query, statement).await?).await?;
    let task = task(session, place, options, &input).map_err(Error::Query)?;
    let label = format!("COPY TO {:?}", shown_place(&task.place));
    Ok(Arc::new(RowsExec::consuming(&label, input, count_schema(), move |rows| {
        let task = task.clone();
        async move { count(task.run(rows).await?) }
    })))
}

/// Returns the columns that COPY fills: those in parentheses behind the table's name, or all.
async fn columns(session: &Session, table: &str) -> Result<Vec<String>> {
    let (name, named) = table.split_once('(').unwrap_or((table, ""));
    if !named.is_empty() {
        let words = tokens::of(named).into_iter().filter_map(|token| match token.token {
            Token::Word(word) if word.quote_style.is_some() => Some(word.value),
            Token::Word(word) => Some(word.value.to_lowercase()),
            _ => None,
        });
        return Ok(words.collect());
    }
    let provider = session.context.table_provider(TableReference::parse_str(name.trim())).await?;
    Ok(provider.schema().fields().iter().map(|field| field.name().clone()).collect())
}

/// Plans EXPLAIN of a COPY; `None` if the statement is another one.
///
/// # Errors
/// As [`plan`].
pub(super) async fn explained(
    session: &Session,
    text: &str,
    tokens: &[TokenWithSpan],
    parameters: &Parameters,
) -> Result<Option<Plan>> {
    let words = tokens.iter().map_while(|token| keyword(Some(token)));
    let Some(at) = words.skip(1).position(|word| !["ANALYZE", "VERBOSE"].contains(&word.as_str())) else {
        return Ok(None);
    };
    let tokens = &tokens[at + 1..];
    if keyword(tokens.first()).as_deref() != Some("COPY") {
        return Ok(None);
    }
    // the options are those of any statement
    let any = format!("{} SELECT 1", &text[..offset(text, &tokens[0])]);
    let Statement::Explain(statement) = sql::parse(&session.context.state(), &any)? else {
        return Ok(None);
    };
    let plan = plan(session, text, tokens, parameters).await?;
    explain::effect(&explain::options(&statement)?, plan).map(Some)
}

/// Checks that the rows can be written as the options say.
fn task(session: &Session, place: String, options: Options, input: &Plan) -> Result<Arc<Task>, String> {
    let schema = input.schema();
    let failed = |what: String| format!("COPY TO {}: {what}", shown_place(&place));
    let partitioning = match options.partition_by.as_slice() {
        [] => None,
        names => {
            let partitioning = Partitioning::new(&schema, names, options.write_partition_columns);
            Some(Arc::new(partitioning.map_err(failed)?))
        }
    };
    let written = partitioning.as_ref().map_or(&schema, |all| &all.schema);
    options.format.check(written).map_err(failed)?;
    let state = session.context.state();
    Ok(Arc::new(Task {
        format: options.format,
        schema,
        partitioning,
        per_thread: options.per_thread,
        existing: options.existing,
        threads: state.config().target_partitions(),
        router: session.scan.router.clone(),
        stores: session.stores().clone(),
        pool: state.runtime_env().memory_pool.clone(),
        place,
    }))
}
