//! DESCRIBE, SHOW TABLES, SHOW ALL TABLES and SUMMARIZE.

mod summarize;

use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::record_batch::RecordBatch;
use datafusion::common::DFSchema;
use datafusion::sql::sqlparser::ast::{DescribeAlias, Statement as SqlStatement};
use datafusion::sql::sqlparser::tokenizer::TokenWithSpan;
use pelton_pages::type_in_sql;

use super::tokens::keyword;
use super::unsupported;
use crate::error::{Error, Result};
use crate::plan::executable::Plan;
use crate::plan::rows::RowsExec;
use crate::plan::session::Session;
pub(super) use summarize::plan as summarize;

/// Plans DESCRIBE and SHOW TABLES.
///
/// # Errors
/// The table is missing, or the query can't be planned.
pub(super) async fn plan(session: &Session, sql: &str, statement: SqlStatement) -> Result<Plan> {
    match statement {
        SqlStatement::ExplainTable { table_name, .. } => {
            let text = format!("SELECT * FROM {table_name}");
            described(session.text(&text).await?.schema())
        }
        SqlStatement::Explain {
            describe_alias: DescribeAlias::Describe | DescribeAlias::Desc,
            statement,
            ..
        } if matches!(*statement, SqlStatement::Query(_)) => {
            let logical = session.logical(sql, *statement).await?;
            described(logical.schema())
        }
        SqlStatement::ShowTables { show_options, .. } => {
            if show_options.show_in.is_some() || show_options.filter_position.is_some() {
                return Err(Error::Query(
                    "SHOW TABLES lists all tables and views: write SELECT table_name FROM information_schema.tables \
                     WHERE table_name LIKE '...' for some of them"
                        .to_owned(),
                ));
            }
            listed(
                session,
                "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' \
                 ORDER BY table_name",
            )
            .await
        }
        other => Err(unsupported::error(&other)),
    }
}

/// Returns whether the words are SHOW ALL TABLES.
pub(super) fn is_all_tables(tokens: &[TokenWithSpan]) -> bool {
    tokens.len() == 3 && keyword(tokens.last()).as_deref() == Some("TABLES")
}

/// Plans SHOW ALL TABLES.
///
/// # Errors
/// A fault of Pelton's.
pub(super) async fn all_tables(session: &Session) -> Result<Plan> {
    listed(
        session,
        "SELECT table_catalog AS database, table_schema AS schema, table_name AS name, table_type AS type \
         FROM information_schema.tables ORDER BY table_schema = 'information_schema', table_schema, table_name",
    )
    .await
}

/// Plans a query over the names of the session.
async fn listed(session: &Session, text: &str) -> Result<Plan> {
    session.plan(&session.text(text).await?).await
}

/// Returns a row for each column: its name, its type in SQL, and whether it may hold NULL.
fn described(schema: &DFSchema) -> Result<Plan> {
    let fields = schema.fields();
    let names: ArrayRef = Arc::new(StringArray::from_iter_values(fields.iter().map(|field| field.name())));
    let types = fields.iter().map(|field| type_in_sql(field.data_type()));
    let types: ArrayRef = Arc::new(StringArray::from_iter_values(types));
    let nulls = fields.iter().map(|field| if field.is_nullable() { "YES" } else { "NO" });
    let nulls: ArrayRef = Arc::new(StringArray::from_iter_values(nulls));
    let columns = ["column_name", "column_type", "null"];
    let schema = Schema::new(columns.map(|name| Field::new(name, DataType::Utf8, false)).to_vec());
    let rows = RecordBatch::try_new(Arc::new(schema), vec![names, types, nulls]);
    Ok(Arc::new(RowsExec::of("DESCRIBE", rows.map_err(|e| Error::Internal(e.to_string()))?)))
}
