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
use pelton_pages::{ParquetFile, Recorder};

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
    /// The bytes are in memory, and rows can be inserted.
    is_in_memory: bool,
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
        Self::of(files, context, false)
    }

    /// Returns the table of one or more files in memory, to which rows can be added.
    ///
    /// # Errors
    /// The files have different columns.
    pub(crate) fn in_memory(
        name: &str,
        files: impl IntoIterator<Item = Arc<ParquetFile>>,
        context: ScanContext,
    ) -> Result<Self> {
        Ok(Self::of(TableFiles::in_memory(name, files)?, context, true))
    }

    /// Returns a table in memory with a file in place of the last `replaced` ones, under a name.
    ///
    /// # Errors
    /// The file has other columns.
    pub(crate) fn with_file(&self, name: &str, replaced: usize, file: Arc<ParquetFile>) -> Result<Self> {
        let kept = self.files.files.len().saturating_sub(replaced);
        let kept = self.files.files.iter().take(kept).map(|file| file.file.clone());
        // the first file of a table may have no rows
        let kept = kept.filter(|file| rows(file) > 0);
        Self::in_memory(name, kept.chain([file]), self.context.clone())
    }

    /// Returns a table of the last `number` files of a table in memory, and one more.
    ///
    /// # Errors
    /// The file has other columns.
    pub(crate) fn last_files(&self, name: &str, number: usize, file: Arc<ParquetFile>) -> Result<Self> {
        let others = self.files.files.len().saturating_sub(number);
        let last = self.files.files.iter().skip(others).map(|file| file.file.clone());
        Self::in_memory(name, last.chain([file]), self.context.clone())
    }

    /// Returns a scan of all columns in one partition, with the rows in order.
    ///
    /// # Errors
    /// A fault of Pelton's.
    pub(crate) fn in_order(&self) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let all = (0..self.files.schema.fields().len()).collect();
        let (files, statistics) = (self.files.clone(), self.statistics.clone());
        let source = PeltonSource::new(files, statistics, self.context.clone(), all, 1)?;
        Ok(DataSourceExec::from_data_source(source))
    }

    /// Returns whether rows can be inserted.
    pub(crate) fn is_in_memory(&self) -> bool {
        self.is_in_memory
    }

    fn of(files: TableFiles, context: ScanContext, is_in_memory: bool) -> Self {
        let statistics = files.statistics();
        Self { files: Arc::new(files), statistics, context, is_in_memory }
    }

    /// Returns the table's files.
    pub fn files(&self) -> &Arc<TableFiles> {
        &self.files
    }
}

/// Returns the rows of a file.
pub(crate) fn rows(file: &ParquetFile) -> u64 {
    file.metadata().file_metadata().num_rows().unsigned_abs()
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
        // a session's settings may have changed since the table was made
        let context = state.config().get_extension::<ScanContext>();
        let context = context.map_or_else(|| self.context.clone(), |context| context.as_ref().clone());
        let source = PeltonSource::new(
            self.files.clone(),
            self.statistics.clone(),
            context,
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
