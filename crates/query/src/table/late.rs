//! Tables of files that are opened when a query has said which of them it needs.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::Result as DataFusionResult;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;

use super::provider::{PeltonTable, pushdown};
use crate::error::{Result, wrap};

/// Files of a table that are not opened yet.
#[async_trait]
pub(super) trait Unopened: fmt::Debug + Send + Sync {
    /// Returns the columns.
    fn schema(&self) -> &SchemaRef;

    /// Returns the column with the numbers of rows.
    fn row_number(&self) -> Option<usize> {
        None
    }

    /// Opens the files in which rows may pass all conditions.
    ///
    /// # Errors
    /// A file can't be read, or its columns are not those of the table.
    async fn select(&self, state: &dyn Session, filters: &[Expr]) -> Result<PeltonTable>;
}

/// DataFusion's table provider over such files.
#[derive(Debug)]
pub(crate) struct LateTable(Box<dyn Unopened>);

impl LateTable {
    pub(super) fn new(files: impl Unopened + 'static) -> Self {
        Self(Box::new(files))
    }
}

/// Returns a table of files with all of them opened; other tables as they are.
///
/// # Errors
/// A file can't be read, or its columns are not those of the table.
pub(crate) async fn opened(
    table: Arc<dyn TableProvider>,
    state: &dyn Session,
    filters: &[Expr],
) -> Result<Arc<dyn TableProvider>> {
    let any: &dyn Any = table.as_ref();
    match any.downcast_ref::<LateTable>() {
        Some(late) => Ok(Arc::new(late.0.select(state, filters).await?)),
        None => Ok(table),
    }
}

#[async_trait]
impl TableProvider for LateTable {
    fn schema(&self) -> SchemaRef {
        self.0.schema().clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> DataFusionResult<Vec<TableProviderFilterPushDown>> {
        Ok(pushdown(self.0.schema(), self.0.row_number(), filters))
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let table = self.0.select(state, filters).await.map_err(wrap)?;
        table.scan(state, projection, filters, limit).await
    }
}
