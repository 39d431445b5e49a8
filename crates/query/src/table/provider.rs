//! DataFusion's table provider over Parquet files.

use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{DFSchema, Result as DataFusionResult, Statistics};
use datafusion::datasource::source::DataSourceExec;
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_expr::utils::split_conjunction;
use datafusion::physical_plan::ExecutionPlan;
use pelton_pages::Recorder;

use super::files::{TableFiles, TableOptions};
use super::listed::ListedTable;
use crate::error::Result;
use crate::scan::{PeltonSource, ScanContext};

/// Parquet files under one name. Footers are read once, when the table is made.
#[derive(Debug, Clone)]
pub struct PeltonTable {
    files: Arc<TableFiles>,
    statistics: Statistics,
    context: ScanContext,
}

impl PeltonTable {
    /// Opens the files at some locations, as one table.
    ///
    /// # Errors
    /// There is no file, one can't be read, or their columns don't fit together.
    pub async fn open(locations: &[impl AsRef<str>], context: ScanContext) -> Result<Self> {
        Self::open_with(locations, &TableOptions::default(), context).await
    }

    /// Opens the files at some locations, as one table with further options.
    ///
    /// # Errors
    /// There is no file, one can't be read, or their columns don't fit together.
    pub async fn open_with(
        locations: &[impl AsRef<str>],
        options: &TableOptions,
        context: ScanContext,
    ) -> Result<Self> {
        let filename = options.filename.as_deref();
        let listed = ListedTable::list(locations, options.hive, filename, &context.stores).await?;
        Ok(Self::over(TableFiles::open(listed, options, None, &context.footers).await?, context))
    }

    /// Returns a table over opened files.
    pub(super) fn over(files: TableFiles, context: ScanContext) -> Self {
        let statistics = files.statistics();
        Self { files: Arc::new(files), statistics, context }
    }

    /// Returns the table's files.
    pub fn files(&self) -> &Arc<TableFiles> {
        &self.files
    }
}

#[async_trait]
impl TableProvider for PeltonTable {
    fn schema(&self) -> SchemaRef {
        self.files.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn statistics(&self) -> Option<Statistics> {
        Some(self.statistics.clone())
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> DataFusionResult<Vec<TableProviderFilterPushDown>> {
        Ok(pushdown(&self.files.schema, self.files.row_number, filters))
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let schema = DFSchema::try_from(self.files.schema.clone())?;
        let predicates = match conjunction(filters.iter().cloned()) {
            Some(filter) => {
                let filter = state.create_physical_expr(filter, &schema)?;
                split_conjunction(&filter).into_iter().cloned().collect()
            }
            None => Vec::new(),
        };
        let all: Vec<usize> = (0..self.files.schema.fields().len()).collect();
        let projection = projection.cloned().unwrap_or(all);
        let source = PeltonSource::new(
            self.files.clone(),
            self.statistics.clone(),
            self.context.clone(),
            projection,
            state.config().target_partitions(),
        )?;
        let mut source = source.with_predicates(predicates).with_limit(limit);
        if let Some(recorder) = state.config().get_extension::<Recorder>() {
            source = source.recording(recorder);
        }
        self.files.count_opening(source.counters());
        Ok(DataSourceExec::from_data_source(source))
    }
}

/// Returns which conditions a scan evaluates: all but those on the numbers of rows.
pub(super) fn pushdown(
    schema: &Schema,
    row_number: Option<usize>,
    filters: &[&Expr],
) -> Vec<TableProviderFilterPushDown> {
    let row_number = row_number.map(|column| schema.field(column).name());
    let reads_number = |filter: &Expr| {
        row_number.is_some_and(|name| filter.column_refs().iter().any(|column| column.name == *name))
    };
    let pushdown = |filter: &&Expr| match filter.is_volatile() || reads_number(filter) {
        true => TableProviderFilterPushDown::Unsupported,
        false => TableProviderFilterPushDown::Exact,
    };
    filters.iter().map(pushdown).collect()
}
