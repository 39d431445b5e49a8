//! Tables named by the location of files: `SELECT … FROM 'file.parquet'`.

use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::error::Result as DataFusionResult;

use crate::error::wrap;
use crate::scan::ScanContext;
use crate::table::PeltonTable;

/// Makes tables of names that look like places: they have a separator, a wildcard, or a Parquet
/// file's extension.
#[derive(Clone, Debug)]
pub(super) struct FileTables {
    pub context: ScanContext,
}

impl FileTables {
    /// Returns the table of the files at a place; `None` for a name that is no place.
    ///
    /// # Errors
    /// The files can't be read as one table.
    pub async fn table(&self, name: &str) -> DataFusionResult<Option<Arc<dyn TableProvider>>> {
        let is_place = name.contains(['/', '*', '?', '['])
            || [".parquet", ".parq", ".pq"].iter().any(|e| name.ends_with(e));
        if !is_place && !std::path::Path::new(name).exists() {
            return Ok(None);
        }
        let table = PeltonTable::open(&[name], self.context.clone()).await.map_err(wrap)?;
        Ok(Some(Arc::new(table)))
    }
}
