//! Footer cache, which outlives a query.
//!
//! DuckDB binds a query two or three times before it runs it, and a footer with its page index
//! takes about a millisecond to read.

use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use futures::{StreamExt, TryStreamExt, stream};
use object_store::local::LocalFileSystem;
use object_store::{ObjectStore, ObjectStoreExt};
use pelton_pages::{ColumnTypes, FooterOptions, Location, ParquetFile};

use crate::error::{Error, Result};
use crate::resources::Resources;

/// Footers that are read at the same time: enough to keep a local disk busy; more only take
/// memory.
const OPEN_AT_ONCE: usize = 16;

/// Limit on the bytes of cached footers, by parquet-rs's count: thousands of small files, or dozens
/// of files with wide and long tables. Beyond it a footer is cached only in place of unused ones.
const MAX_BYTES: usize = 64 << 20;

/// Calls after which an unused footer may be evicted for another.
const UNUSED_FOR: u64 = 64;

/// Age that a file's last change must have for its footer to be cached. File systems store times in
/// steps of up to two seconds (FAT), so that a file that is written again at once may look the
/// same.
const SETTLED: Duration = Duration::from_secs(2);

/// Identity of a file's contents: its inode, and the attributes that a write changes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Version {
    device: u64,
    inode: u64,
    size: u64,
    /// Times of the last change of its bytes and of its attributes, in seconds and nanoseconds.
    /// Programs can set only the former.
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Version {
    fn of(metadata: &Metadata) -> Version {
        Version {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Returns whether the file had been unchanged for long enough at a time.
    fn is_settled(&self, now: SystemTime) -> bool {
        let now = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let changed = Duration::from_secs(self.changed.0.try_into().unwrap_or(0));
        now.checked_sub(changed).is_some_and(|since| since > SETTLED)
    }
}

/// Key of a footer: the file's name in errors, and its path.
type Key = (PathBuf, PathBuf);

#[derive(Default)]
struct FooterCache {
    footers: HashMap<Key, Footer>,
    /// Sum over all footers.
    bytes: usize,
    /// Calls so far.
    now: u64,
}

struct Footer {
    version: Version,
    file: Arc<ParquetFile>,
    bytes: usize,
    used: u64,
}

static CACHE: LazyLock<Mutex<FooterCache>> = LazyLock::new(Mutex::default);

impl FooterCache {
    fn find(&mut self, key: &Key, version: &Version) -> Option<Arc<ParquetFile>> {
        let footer = self.footers.get_mut(key).filter(|footer| footer.version == *version)?;
        footer.used = self.now;
        Some(footer.file.clone())
    }

    /// Caches a footer if there is space, or space can be made. Returns the evicted ones, to be
    /// dropped after the lock is released.
    fn insert(&mut self, key: Key, version: Version, file: Arc<ParquetFile>) -> Vec<Footer> {
        let (bytes, used) = (file.metadata().memory_size(), self.now);
        let mut evicted: Vec<_> = self.footers.remove(&key).into_iter().collect();
        self.bytes -= evicted.iter().map(|footer| footer.bytes).sum::<usize>();
        if self.bytes + bytes > MAX_BYTES {
            let unused = self.footers.extract_if(|_, footer| used.saturating_sub(footer.used) > UNUSED_FOR);
            let unused: Vec<_> = unused.map(|(_, footer)| footer).collect();
            self.bytes -= unused.iter().map(|footer| footer.bytes).sum::<usize>();
            evicted.extend(unused);
        }
        if self.bytes + bytes <= MAX_BYTES {
            self.bytes += bytes;
            self.footers.insert(key, Footer { version, file, bytes, used });
        }
        evicted
    }
}

/// A file to open.
struct Found {
    key: Key,
    version: Version,
}

/// Opens files. A file that has not changed since its footer was cached is not read again.
///
/// # Errors
/// A file cannot be read, or is no Parquet.
pub fn open_all(resources: &Resources, paths: &[PathBuf]) -> Result<Vec<Arc<ParquetFile>>> {
    let now = SystemTime::now();
    let found = paths.iter().map(|path| identify(path)).collect::<Result<Vec<_>>>()?;
    let mut files: Vec<_> = {
        let mut cache = cache();
        cache.now += 1;
        found.iter().map(|found| cache.find(&found.key, &found.version)).collect()
    };
    let missing: Vec<_> = (0..files.len()).filter(|&index| files[index].is_none()).collect();
    if missing.is_empty() {
        return Ok(files.into_iter().flatten().collect());
    }
    let read = missing.iter().map(|&index| read(&found[index].key));
    let read = stream::iter(read).buffered(OPEN_AT_ONCE).try_collect::<Vec<_>>();
    let read = resources.runtime.block_on(read)?;
    let mut evicted = Vec::new();
    let mut cache = cache();
    for (index, file) in missing.into_iter().zip(read) {
        files[index] = Some(file.clone());
        let Found { key, version } = &found[index];
        if version.is_settled(now) {
            evicted.extend(cache.insert(key.clone(), version.clone(), file));
        }
    }
    drop(cache);
    drop(evicted);
    Ok(files.into_iter().flatten().collect())
}

fn failed(name: &Path, what: &dyn std::fmt::Display) -> Error {
    Error::Table(format!("{}: {what}", name.display()))
}

/// Returns the present version of a file that this process may read.
fn identify(path: &Path) -> Result<Found> {
    let error = |e: std::io::Error| failed(path, &e);
    let absolute = std::fs::canonicalize(path).map_err(error)?;
    let metadata = File::open(&absolute).and_then(|file| file.metadata()).map_err(error)?;
    Ok(Found { key: (path.to_owned(), absolute), version: Version::of(&metadata) })
}

async fn read((name, absolute): &Key) -> Result<Arc<ParquetFile>> {
    let place = object_store::path::Path::from_absolute_path(absolute).map_err(|e| failed(name, &e))?;
    let store: Arc<dyn ObjectStore> = Arc::new(LocalFileSystem::new());
    let meta = store.head(&place).await.map_err(|e| failed(name, &e))?;
    let options = FooterOptions { types: ColumnTypes::Stored, ..FooterOptions::default() };
    Ok(ParquetFile::open(Location::new(store, meta, &*name.to_string_lossy()), &options).await?)
}

fn cache() -> MutexGuard<'static, FooterCache> {
    CACHE.lock().unwrap_or_else(PoisonError::into_inner)
}
