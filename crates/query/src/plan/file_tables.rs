//! Tables named by the location of files: `SELECT … FROM 'file.parquet'`; and calls of table
//! functions over files, which a pass over the statement turns into names.

use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::error::Result as DataFusionResult;

use super::file_functions;
use crate::error::{Error, wrap};
use crate::scan::ScanContext;
use crate::stores::shown_place;
use crate::table::{TableOptions, open_table};

/// Ends of the names of Arrow's files, which are written alone.
const ARROW: [&str; 4] = [".arrow", ".arrows", ".feather", ".ipc"];

/// Makes tables of names that look like places: they have a separator, a wildcard, or the extension
/// of a Parquet, CSV or JSON file.
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
        let name = &*self.context.stores.reveal(name);
        if let Some(table) = file_functions::table(name, &self.context).await.map_err(wrap)? {
            return Ok(Some(table));
        }
        if file_functions::is_text(name) {
            return Ok(Some(file_functions::text_table(name, &self.context).await.map_err(wrap)?));
        }
        if let Some(ending) = ARROW.iter().find(|ending| name.to_ascii_lowercase().ends_with(*ending)) {
            return Err(wrap(Error::Table(format!(
                "{}: files of Arrow ({ending}) are written, and not read; write Parquet",
                shown_place(name)
            ))));
        }
        let is_place = name.is_empty()
            || name.contains(['/', '*', '?', '['])
            || [".parquet", ".parq", ".pq"].iter().any(|e| name.ends_with(e));
        if !is_place && !std::path::Path::new(name).exists() {
            return Ok(None);
        }
        let options = TableOptions::default();
        Ok(Some(open_table(&[name], &options, &self.context).await.map_err(wrap)?))
    }
}
