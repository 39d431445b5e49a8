//! Tables cached in host or GPU memory: `CACHE TABLE t IN host|gpu`.
//!
//! [`load`] reads all columns that kernels read, and a [`TableCache`] has them file by file, so
//! that tables over the same files share them. In host memory they are compressed pages, pinned; a
//! scan range takes the pages that hold its rows. In GPU memory they are decoded columns; strings
//! without a dictionary stay in their pages, with page directories. Kernels read any row of them,
//! and a scan range over them has only tiles of its own. A scan takes the columns that are cached
//! when it begins, and holds them until it is done.

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

/// The cached files.
#[derive(Debug, Default)]
pub(crate) struct TableCache {
    files: Mutex<HashMap<Key, Arc<CachedFile>>>,
    /// Held while a table is loaded: only one at a time, as all need the same memory.
    loading: tokio::sync::Mutex<()>,
    /// Compiled when the first table is decoded.
    flattener: Mutex<Option<Arc<Flattener>>>,
}

impl TableCache {
    /// Returns the cached columns of a version of a file.
    fn get(&self, location: &Location) -> Option<Arc<CachedFile>> {
        let found = self.files.lock().get(&location.key()).cloned();
        found.filter(|file| file.location.is_version_of(location))
    }

    /// Returns the cached columns of a table's files, for a scan of them.
    pub fn of(&self, table: &TableFiles) -> CachedFiles {
        CachedFiles::new(table.files.iter().map(|file| self.get(file.file.location())).collect())
    }

    /// Inserts files, and replaces those with the same paths.
    fn insert(&self, new: impl IntoIterator<Item = Arc<CachedFile>>) {
        self.files.lock().extend(new.into_iter().map(|file| (file.location.key(), file)));
    }

    /// Drops a table's files, in any version, and returns them.
    pub fn remove(&self, table: &TableFiles) -> Vec<Arc<CachedFile>> {
        let mut files = self.files.lock();
        table.files.iter().filter_map(|file| files.remove(&file.file.location().key())).collect()
    }

    /// Drops files of a table that are cached in another version than its own: they are useless to
    /// it and take memory.
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

    /// Returns the decoder of columns for GPU memory.
    fn flattener(&self, gpu: &Gpu) -> window::Result<Arc<Flattener>> {
        let mut flattener = self.flattener.lock();
        if let Some(there) = &*flattener {
            return Ok(there.clone());
        }
        Ok(flattener.insert(Arc::new(Flattener::new(gpu)?)).clone())
    }

    /// Returns the bytes of GPU memory in the cache.
    fn gpu_bytes(&self) -> u64 {
        let files = self.files.lock();
        files.values().filter(|file| file.place == CachePlace::Gpu).map(|file| file.bytes).sum()
    }
}
