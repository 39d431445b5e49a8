//! Statements that create, change and remove tables and views.

mod append;
pub(super) mod create;
pub(super) mod insert;
pub(super) mod remove;
pub(super) mod rename;
pub(super) mod view;

use std::any::Any;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use datafusion::sql::planner::{IdentNormalizer, object_name_to_table_reference};
use datafusion::sql::sqlparser::ast::{Ident, ObjectName};

use crate::error::{Error, Result};
use crate::plan::catalog::Entry;
use crate::plan::session::Session;
use crate::table::{Memory, PeltonTable};

/// Returns the name of a table or view that a statement creates, changes or removes.
///
/// # Errors
/// The name is a place of files, or in another schema than the session's one.
pub(super) fn name(name: &ObjectName) -> Result<String> {
    let quoted = |part: &Ident| part.quote_style == Some('\'');
    if name.0.iter().filter_map(|part| part.as_ident()).any(quoted) {
        return Err(Error::Query(format!(
            "{name} is a place of files, and no name of a table: files are written by COPY (SELECT ...) TO {name}"
        )));
    }
    let reference = object_name_to_table_reference(name.clone(), true)?;
    match reference.schema() {
        None | Some("public") => Ok(reference.table().to_owned()),
        Some(schema) => Err(Error::Query(format!(
            "{name}: there is no schema {schema}, since a session has one for all of its tables: write {}",
            reference.table()
        ))),
    }
}

/// Returns the name of a column: in lower case unless it is quoted.
pub(super) fn column(name: Ident) -> String {
    IdentNormalizer::new(true).normalize(name)
}

/// Returns a name as SQL reads it, whatever it contains.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Returns the table in memory of an entry.
///
/// # Errors
/// The entry is something else.
fn table<'a>(name: &str, entry: &'a Entry) -> Result<&'a PeltonTable> {
    let refused = |what: &str| {
        Err(Error::Query(format!(
            "{name} is {what}: rows are inserted into tables made by CREATE TABLE; write CREATE TABLE other AS \
             FROM {name}, or COPY (SELECT ...) TO a further file"
        )))
    };
    let provider = match entry {
        Entry::Table(provider) => provider,
        Entry::View(_) => return refused("a view"),
    };
    let provider: &dyn Any = provider.as_ref();
    match provider.downcast_ref::<PeltonTable>() {
        Some(table) if table.is_in_memory() => Ok(table),
        Some(_) => refused("a table of files, which stay as they are"),
        None => refused("a table of rows that belong to the program around"),
    }
}

/// Returns the session's means for writing files in memory.
fn memory(session: &Session) -> Memory {
    let state = session.context.state();
    Memory {
        router: session.scan.router.clone(),
        pool: state.runtime_env().memory_pool.clone(),
        threads: state.config().target_partitions(),
    }
}

/// The schema of [`count`].
pub(super) fn count_schema() -> SchemaRef {
    Arc::new(Schema::new(vec![Field::new("Count", DataType::Int64, false)]))
}

/// Returns the result of a statement that stored rows: their number.
pub(super) fn count(rows: u64) -> Result<RecordBatch> {
    let rows: ArrayRef = Arc::new(Int64Array::from_iter_values(i64::try_from(rows)));
    RecordBatch::try_new(count_schema(), vec![rows]).map_err(|e| Error::Internal(e.to_string()))
}

/// Returns the columns of a table for the columns of a query: each may hold NULL, at every depth,
/// and a column of NULL alone holds whole numbers.
fn storable(schema: &Schema) -> SchemaRef {
    Arc::new(Schema::new(schema.fields().iter().map(nullable).collect::<Vec<_>>()))
}

fn nullable(field: &FieldRef) -> FieldRef {
    let data_type = match field.data_type() {
        DataType::Null => DataType::Int32,
        DataType::List(item) => DataType::List(nullable(item)),
        DataType::LargeList(item) => DataType::LargeList(nullable(item)),
        DataType::FixedSizeList(item, length) => DataType::FixedSizeList(nullable(item), *length),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(nullable).collect()),
        other => other.clone(),
    };
    Arc::new(field.as_ref().clone().with_data_type(data_type).with_nullable(true))
}
