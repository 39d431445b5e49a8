//! What a scan takes from the cache.

use std::collections::BTreeMap;
use std::sync::Arc;

use pelton_pages::{ParquetFile, Result, ScanCounters, Window};
use pelton_query::plan::CachePlace;

use super::file::CachedFile;
use crate::window::RawColumn;

/// What was kept of a table's files when a scan of them began. It stays there until the scan is
/// done, whatever becomes of the cache meanwhile.
#[derive(Debug)]
pub(crate) struct CachedFiles {
    /// For each file what is kept of it, and whether the file is known to be the same still.
    files: Vec<Option<(Arc<CachedFile>, bool)>>,
}

impl CachedFiles {
    pub(super) fn new(files: Vec<Option<Arc<CachedFile>>>) -> Self {
        Self { files: files.into_iter().map(|file| file.map(|file| (file, false))).collect() }
    }

    /// Whether the GPU has all of the files.
    pub fn all_on_gpu(&self) -> bool {
        self.files.iter().all(|file| file.as_ref().is_some_and(|(file, _)| file.place == CachePlace::Gpu))
    }

    /// Those columns of a window that are kept, by their leaves.
    ///
    /// # Errors
    /// The file is not the one that was cached any more, as reading it would have found.
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
