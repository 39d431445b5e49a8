//! Cached columns that a scan uses.

use std::collections::BTreeMap;
use std::sync::Arc;

use pelton_pages::{ParquetFile, Result, ScanCounters, Window};
use pelton_query::plan::CachePlace;

use super::file::CachedFile;
use crate::window::RawColumn;

/// Cached columns of a table's files when a scan of them began. They stay until the scan is done,
/// even if the cache drops them.
#[derive(Debug)]
pub(crate) struct CachedFiles {
    /// For each file its cached columns, and whether the file is known to be unchanged.
    files: Vec<Option<(Arc<CachedFile>, bool)>>,
}

impl CachedFiles {
    pub(super) fn new(files: Vec<Option<Arc<CachedFile>>>) -> Self {
        Self { files: files.into_iter().map(|file| file.map(|file| (file, false))).collect() }
    }

    /// Returns whether the GPU has all of the files.
    pub fn all_on_gpu(&self) -> bool {
        self.files.iter().all(|file| file.as_ref().is_some_and(|(file, _)| file.place == CachePlace::Gpu))
    }

    /// Returns the cached columns of a scan range, by their leaves.
    ///
    /// # Errors
    /// The file has changed since it was cached, which reading it would find, too.
    pub async fn columns(
        &mut self,
        number: usize,
        file: &ParquetFile,
        window: &Window,
        leaves: &[usize],
        counters: &ScanCounters,
    ) -> Result<BTreeMap<usize, RawColumn>> {
        let Some(Some((cached, is_verified))) = self.files.get_mut(number) else {
            return Ok(BTreeMap::new());
        };
        if !*is_verified && !leaves.is_empty() {
            file.location().verify().await?;
            *is_verified = true;
        }
        let column =
            |&leaf: &usize| Some((leaf, cached.column(window.row_group, leaf, &window.wanted, counters)?));
        Ok(leaves.iter().filter_map(column).collect())
    }
}
