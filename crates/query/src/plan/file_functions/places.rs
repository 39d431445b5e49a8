//! `glob`: the files that match a pattern.

use std::sync::Arc;

use arrow::array::{ArrayRef, StringViewArray};
use arrow::record_batch::RecordBatch;
use datafusion::catalog::{MemTable, TableProvider};
use pelton_pages::listing::{self, ListingError};

use super::call::Call;
use crate::error::{Error, Result};

/// Returns the table of `glob(patterns)`, whose column is `file`. A pattern that nothing matches
/// gives no row.
pub(super) async fn glob(mut call: Call) -> Result<Arc<dyn TableProvider>> {
    let places = call.places()?;
    call.finish()?;
    let mut names = Vec::new();
    for place in &places {
        match listing::list(place).await {
            Ok(files) => names.extend(files.into_iter().map(|file| file.location.name().to_string())),
            Err(ListingError::Missing(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let names: ArrayRef = Arc::new(StringViewArray::from_iter_values(names));
    let rows = RecordBatch::try_from_iter([("file", names)]).map_err(|e| Error::Internal(e.to_string()))?;
    Ok(Arc::new(MemTable::try_new(rows.schema(), vec![vec![rows]])?))
}
