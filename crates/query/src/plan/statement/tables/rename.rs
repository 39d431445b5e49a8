//! ALTER TABLE and ALTER VIEW, which rename.

use std::borrow::Cow;
use std::sync::Arc;

use datafusion::sql::sqlparser::ast::{AlterTable, AlterTableOperation, RenameTableNameKind};
use datafusion::sql::sqlparser::tokenizer::TokenWithSpan;

use super::{column, create, quoted};
use crate::error::{Error, Result};
use crate::plan::catalog::{Existing, missing, refuse_equal_names};
use crate::plan::executable::Plan;
use crate::plan::rows::RowsExec;
use crate::plan::session::Session;
use crate::plan::statement::tokens::{keyword, replaced};

/// Returns the text of ALTER VIEW as one of ALTER TABLE, if it renames the view: the parser reads
/// no such statement about views.
pub(in crate::plan::statement) fn of_view<'a>(sql: &'a str, tokens: &[TokenWithSpan]) -> Cow<'a, str> {
    let renames = tokens.iter().any(|token| keyword(Some(token)).as_deref() == Some("RENAME"));
    match tokens.get(1) {
        Some(view) if renames => Cow::Owned(replaced(sql, view, "TABLE")),
        _ => Cow::Borrowed(sql),
    }
}

/// Plans ALTER TABLE.
///
/// # Errors
/// It does something else than to rename a table or one of its columns.
pub(in crate::plan::statement) async fn plan(session: &Session, alter: AlterTable) -> Result<Plan> {
    let name = super::name(&alter.name)?;
    let is_missing = session.catalog.get(&name).is_none();
    match alter.operations.as_slice() {
        [_] if is_missing && alter.if_exists => {
            Ok(Arc::new(RowsExec::effect(&format!("ALTER TABLE {name}"), || Ok(()))))
        }
        [AlterTableOperation::RenameTable { table_name }] => {
            let (RenameTableNameKind::As(new) | RenameTableNameKind::To(new)) = table_name;
            let new = super::name(new)?;
            let catalog = session.catalog.clone();
            let label = format!("ALTER TABLE {name} RENAME TO {new}");
            Ok(Arc::new(RowsExec::effect(&label, move || catalog.rename(&name, &new))))
        }
        [AlterTableOperation::RenameColumn { old_column_name, new_column_name }] => {
            let (old, new) = (column(old_column_name.clone()), column(new_column_name.clone()));
            rename_column(session, &name, &old, new).await
        }
        [other] => Err(Error::Query(format!(
            "ALTER TABLE {name} {other} is not supported: write CREATE OR REPLACE TABLE {name} AS SELECT ... FROM \
             {name} with the columns that it is to have"
        ))),
        _ => Err(Error::Query(format!("ALTER TABLE {name}: write a statement for each change"))),
    }
}

/// Plans a table with another name for a column. Its rows are written again.
async fn rename_column(session: &Session, name: &str, old: &str, new: String) -> Result<Plan> {
    let entry = session.catalog.get(name).ok_or_else(|| missing(name))?;
    let files = super::table(name, &entry)?.files().clone();
    let schema = files.schema.clone();
    let mut titles: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    match titles.iter_mut().find(|title| *title == old) {
        Some(title) => *title = new,
        None => {
            return Err(Error::Query(format!("{name} has no column {old}; it has {}", titles.join(", "))));
        }
    }
    refuse_equal_names(name, &titles)?;
    let text = format!("SELECT * FROM {}", quoted(name));
    let query = session.text(&text).await?;
    let (input, stored) = create::stored(query, &titles)?;
    let fields = stored.fields().iter().zip(schema.fields());
    let fields = fields.map(|(new, old)| new.as_ref().clone().with_nullable(old.is_nullable()));
    let stored = Arc::new(arrow::datatypes::Schema::new(fields.collect::<Vec<_>>()));
    create::filled(session, name, Existing::Replace, input, stored, create::Made::OfTable(files)).await
}
