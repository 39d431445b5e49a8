//! CREATE VIEW.
use std::sync::Arc;

use datafusion::sql::sqlparser::ast::CreateView;

use super::column;
use crate::error::{Error, Result};
use crate::plan::catalog::{Entry, Existing, View, refuse_equal_names};
use crate::plan::executable::Plan;
use crate::plan::rows::RowsExec;
use crate::plan::session::Session;

/// Plans CREATE VIEW.
///
/// # Errors
/// The view can't be planned, or the statement has parts that are not supported.
pub(in crate::plan::statement) async fn plan(session: &Session, sql: &str, view: CreateView) -> Result<Plan> {
    let name = super::name(&view.name)?;
    if view.materialized {
        return Err(Error::Query(format!(
            "a view is computed whenever it is read: write CREATE TABLE {name} AS for one that keeps its rows"
        )));
    }
    let existing = match (view.or_replace, view.if_not_exists) {
        (true, true) => {
            return Err(Error::Query(
                "OR REPLACE and IF NOT EXISTS exclude each other: write one".to_owned(),
            ));
        }
        (true, false) => Existing::Replace,
        (false, true) => Existing::Keep,
        (false, false) => Existing::Refuse,
    };
    let columns: Vec<String> = view.columns.into_iter().map(|definition| column(definition.name)).collect();
    refuse_equal_names(&name, &columns)?;
    let view = Arc::new(View::new(sql, view.query, columns));
    // a view that can't be read is refused now
    session.catalog.expand(&name, &view).await?;
    let catalog = session.catalog.clone();
    Ok(Arc::new(RowsExec::effect(&format!("CREATE VIEW {name}"), move || {
        catalog.create(&name, Entry::View(view.clone()), existing)
    })))
}
