//! COPY: the rows of a query or a table to files, and those of files into a table.
//!
//! The query is planned, optimised and run as any other. Its rows go to threads that write
//! ([`write`], [`lane`]), split by the values of columns if the result is partitioned
//! ([`partitions`]). Rows of more partitions than files may be open are sorted first ([`sorter`]).

mod file_names;
mod from;
mod grammar;
mod lane;
mod options;
mod partitions;
mod sorter;
mod write;

use std::sync::Arc;

use arrow::array::{ArrayRef, ListBuilder, RecordBatch, StringBuilder};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::TableReference;
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::{DataType as SqlType, Statement as SqlStatement};
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use super::tables::{count, count_schema};
use super::tokens::{keyword, offset};
use super::{Parameters, explain, parsed, sql, tokens};
use crate::error::{Error, Result};
use crate::plan::catalog::{Prepared, missing};
use crate::plan::executable::Plan;
use crate::plan::rows::RowsExec;
use crate::plan::session::Session;
use crate::stores::{Stores, check_is_one, is_in_store, shown_place};
pub(in crate::plan) use grammar::Copy;
use grammar::{Given, Rows};
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
    let copy = parse(text, tokens)?;
    let mut query = query(session, &copy)?;
    parameters.bind(&mut query)?;
    bound(session, &copy, query).await
}

fn parse(text: &str, tokens: &[TokenWithSpan]) -> Result<Copy> {
    let copy = grammar::parse(text, tokens)?;
    options::refuse_repeated(&copy.options).map_err(Error::Query)?;
    Ok(copy)
}

/// Returns a COPY that is to be planned with values of its parameters, given its tokens and the
/// types of the first parameters.
///
/// # Errors
/// The statement or its query does not parse, or an option is wrong.
pub(super) fn prepared(
    session: &Session,
    text: &str,
    tokens: &[TokenWithSpan],
    types: Vec<SqlType>,
) -> Result<Prepared> {
    let copy = parse(text, tokens)?;
    let query = query(session, &copy)?;
    Ok(Prepared::new(text, query, types).with_copy(copy))
}

/// Returns the query of a COPY TO, with its parameters. COPY FROM has none, and gets a query of one
/// row.
///
/// # Errors
/// It does not parse, or an option is wrong.
fn query(session: &Session, copy: &Copy) -> Result<Statement> {
    let state = session.context.state();
    match &copy.rows {
        Rows::Of(_) => {
            if is_in_store(&copy.place) {
                Stores::check_output(&copy.place)?;
            }
            check_is_one(&copy.place).map_err(|what| failed(copy, what))?;
            let statement = sql::parse(&state, &text_of(copy, &options(session, copy)?))?;
            match has_rows(&statement) {
                true => Ok(statement),
                false => {
                    let what = "COPY writes the rows of a query: write COPY (SELECT ...) TO 'place'";
                    Err(Error::Query(what.to_owned()))
                }
            }
        }
        Rows::Into(_) => Ok(sql::parse(&state, "SELECT 1")?),
    }
}

/// Returns whether a statement is a query, or another one that has rows and no effect.
fn has_rows(statement: &Statement) -> bool {
    match statement {
        Statement::Statement(statement) => matches!(
            **statement,
            SqlStatement::Query(_)
                | SqlStatement::ExplainTable { .. }
                | SqlStatement::ShowTables { .. }
                | SqlStatement::ShowColumns { .. }
                | SqlStatement::ShowCreate { .. }
                | SqlStatement::ShowFunctions { .. }
        ),
        Statement::Explain(explained) => explain::is_query(explained),
        _ => false,
    }
}

fn options(session: &Session, copy: &Copy) -> Result<Options> {
    let threads = session.context.state().config().target_partitions();
    let options = Options::read(&copy.options, &copy.place, threads);
    options.map_err(|what| failed(copy, &what))
}

fn failed(copy: &Copy, what: &str) -> Error {
    Error::Query(format!("COPY TO {}: {what}", shown_place(&copy.place)))
}

/// Returns the text of the query of a COPY TO, in the order of its options.
fn text_of(copy: &Copy, options: &Options) -> String {
    let (Rows::Of(query) | Rows::Into(query)) = &copy.rows;
    match &options.order_by {
        // the line breaks end comments
        Some(order) => format!("SELECT * FROM (\n{query}\n) ORDER BY {order}"),
        None => query.clone(),
    }
}

/// Plans a COPY with its query, in which parameters have values.
///
/// # Errors
/// The query names a missing object, or an option is wrong.
pub(super) async fn bound(session: &Session, copy: &Copy, query: Statement) -> Result<Plan> {
    let place = &copy.place;
    if let Rows::Into(table) = &copy.rows {
        return from(session, table, place, &copy.options).await;
    }
    let options = options(session, copy)?;
    let state = session.context.state();
    let input = session.plan(&sql::plan(&state, &text_of(copy, &options), query).await?).await?;
    let return_files = options.return_files;
    let task = task(session, place.clone(), options, &input).map_err(Error::Query)?;
    let label = format!("COPY TO {:?}", shown_place(&task.place));
    let schema = if return_files { files_schema() } else { count_schema() };
    Ok(Arc::new(RowsExec::consuming(&label, input, schema, move |rows| {
        let task = task.clone();
        async move {
            let (rows, files) = task.run(rows).await?;
            let count = count(rows)?;
            if return_files { with_files(&count, files) } else { Ok(count) }
        }
    })))
}

/// The schema of [`with_files`].
fn files_schema() -> SchemaRef {
    let mut fields = count_schema().fields().to_vec();
    let files = DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true)));
    fields.push(Arc::new(Field::new("Files", files, true)));
    Arc::new(Schema::new(fields))
}

/// Returns the number of rows and the places of their files.
fn with_files(count: &RecordBatch, files: Vec<String>) -> Result<RecordBatch> {
    let mut list = ListBuilder::new(StringBuilder::new());
    list.append_value(files.into_iter().map(Some));
    let columns = vec![count.column(0).clone(), Arc::new(list.finish()) as ArrayRef];
    RecordBatch::try_new(files_schema(), columns).map_err(|e| Error::Internal(e.to_string()))
}

/// Plans COPY FROM.
async fn from(session: &Session, table: &str, place: &str, options: &[Given]) -> Result<Plan> {
    let failed = |what: &str| Error::Query(format!("COPY FROM {}: {what}", shown_place(place)));
    let columns = columns(session, table).await?;
    let insert = from::insert(table, &columns, place, options).map_err(|what| failed(&what))?;
    let planned = parsed(session, &insert, sql::parse(&session.context.state(), &insert)?).await;
    planned.map_err(|error| match &error {
        Error::Query(what) => {
            let what = what.strip_prefix("the ").unwrap_or(what).strip_prefix("INSERT INTO ");
            what.map(failed).unwrap_or(error)
        }
        _ => error,
    })
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
    let provider = session.context.table_provider(TableReference::parse_str(name.trim())).await;
    Ok(provider
        .map_err(|_| missing(name.trim()))?
        .schema()
        .fields()
        .iter()
        .map(|field| field.name().clone())
        .collect())
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
        names: options.names,
        existing: options.existing,
        threads: state.config().target_partitions(),
        router: session.scan.router.clone(),
        stores: session.stores().clone(),
        context: state.task_ctx(),
        place,
    }))
}
