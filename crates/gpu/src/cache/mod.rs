//! Tables that are kept where a GPU reaches them quickly: `CACHE TABLE t IN host|gpu`.
//!
//! [`load`] reads all columns that kernels read, and a [`TableCache`] has them file by file, so that
//! tables over the same files share them. In the host's memory they are compressed pages, pinned; a
//! window takes those that hold its rows. In the GPU's they are decoded columns, but for strings
//! that are no codes, which stay in their pages with directories; kernels read any row of them, and
//! a window over them is but its tiles. A scan takes what there is when it begins, and holds it
//! until it is done.

mod budget;
mod file;
mod load;
mod placement;
mod scan;

pub(crate) use file::describe;
pub(crate) use load::load;
pub(crate) use scan::CachedFiles;

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use pelton_device_cuda::Gpu;
use pelton_pages::Location;
use pelton_query::TableFiles;
use pelton_query::plan::CachePlace;

use crate::window::{self, Flattener};
use file::CachedFile;

/// A store's name and the path in it.
type Key = (String, String);

/// The files that are kept.
#[derive(Debug, Default)]
pub(crate) struct TableCache {
    files: Mutex<HashMap<Key, Arc<CachedFile>>>,
    /// Held while a table is read into the cache: one at a time, as they want the same memory.
    loading: tokio::sync::Mutex<()>,
    /// Compiled when the first table is decoded.
    flattener: Mutex<Option<Arc<Flattener>>>,
}

impl TableCache {
    /// What is kept of a version of a file.
    fn get(&self, location: &Location) -> Option<Arc<CachedFile>> {
        let found = self.files.lock().get(&location.key()).cloned();
        found.filter(|file| file.location.is_version_of(location))
    }

    /// What is kept of a table's files, for a scan of them.
    pub fn of(&self, table: &TableFiles) -> CachedFiles {
        CachedFiles::new(table.files.iter().map(|file| self.get(file.file.location())).collect())
    }

    /// Puts files in the place of those with the same paths.
    fn insert(&self, new: impl IntoIterator<Item = Arc<CachedFile>>) {
        self.files.lock().extend(new.into_iter().map(|file| (file.location.key(), file)));
    }

    /// Lets go of a table's files, in whichever version, and says which these were.
    pub fn remove(&self, table: &TableFiles) -> Vec<Arc<CachedFile>> {
        let mut files = self.files.lock();
        table.files.iter().filter_map(|file| files.remove(&file.file.location().key())).collect()
    }

    /// Lets go of files of a table that are kept in another version than its own: of no use to it,
    /// and in the way.
    fn remove_other_versions(&self, table: &TableFiles) {
        let mut files = self.files.lock();
        for file in &table.files {
            let location = file.file.location();
            let key = location.key();
            if files.get(&key).is_some_and(|kept| !kept.location.is_version_of(location)) {
                files.remove(&key);
            }
        }
    }

    /// What decodes columns for the GPU's memory.
    fn flattener(&self, gpu: &Gpu) -> window::Result<Arc<Flattener>> {
        let mut flattener = self.flattener.lock();
        if let Some(there) = &*flattener {
            return Ok(there.clone());
        }
        Ok(flattener.insert(Arc::new(Flattener::new(gpu)?)).clone())
    }

    /// Bytes of GPU memory that are taken.
    fn gpu_bytes(&self) -> u64 {
        let files = self.files.lock();
        files.values().filter(|file| file.place == CachePlace::Gpu).map(|file| file.bytes).sum()
    }
}
