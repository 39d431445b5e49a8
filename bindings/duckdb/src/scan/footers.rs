//! Footers that were read before.
//!
//! DuckDB binds a query two or three times before it runs it, and a footer with its page index takes about a millisecond to read.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use futures::executor::block_on;
use futures::{StreamExt, TryStreamExt, stream};
use object_store::local::LocalFileSystem;
use object_store::{ObjectStore, ObjectStoreExt};
use pelton_pages::{ColumnTypes, FooterOptions, Location, ParquetFile};

use crate::error::{Error, Result};
use crate::machine::Machine;

/// How many footers are read at a time: enough to keep a local disk busy; more only costs memory.
const OPEN_AT_ONCE: usize = 16;

/// Bytes that footers which are kept may take: those of some hundred files of sixteen columns and a hundred row groups.
const KEPT_BYTES: usize = 64 << 20;

/// A footer is kept if its file had not changed for so long when it was read: file systems keep times in steps, of up to two seconds
/// (FAT), so that a file that is written again at once may look the same.
const SETTLED: Duration = Duration::from_secs(2);

/// Footers, the last one used at the end.
static KEPT: LazyLock<Mutex<Vec<Arc<ParquetFile>>>> = LazyLock::new(Mutex::default);

/// Opens files. Of those that are still the ones that were read before, by their size, time and inode, nothing is read again.
///
/// # Errors
/// One can't be read, or is no Parquet.
pub fn open_all(machine: &Machine, paths: &[PathBuf]) -> Result<Vec<Arc<ParquetFile>>> {
    let now = SystemTime::now();
    let locations = paths.iter().map(|path| locate(path)).collect::<Result<Vec<_>>>()?;
    let mut files: Vec<_> = locations.iter().map(of_kept).collect();
    let missing = files.iter().zip(locations).enumerate().filter(|(_, (file, _))| file.is_none());
    let missing: Vec<_> = missing.map(|(index, (_, location))| (index, location)).collect();
    if !missing.is_empty() {
        let options = FooterOptions { types: ColumnTypes::Stored, ..FooterOptions::default() };
        let read = missing.into_iter().map(|(index, location)| {
            let options = &options;
            async move { ParquetFile::open(location, options).await.map(|file| (index, file)) }
        });
        let read = stream::iter(read).buffered(OPEN_AT_ONCE).try_collect::<Vec<_>>();
        for (index, file) in machine.runtime.block_on(read)? {
            keep(&file, now);
            files[index] = Some(file);
        }
    }
    Ok(files.into_iter().flatten().collect())
}

/// A file as it is now.
fn locate(path: &Path) -> Result<Location> {
    let name = path.to_string_lossy();
    let error = |what: &dyn std::fmt::Display| Error::Table(format!("{name}: {what}"));
    let absolute = std::fs::canonicalize(path).map_err(|e| error(&e))?;
    let place = object_store::path::Path::from_absolute_path(&absolute).map_err(|e| error(&e))?;
    let store: Arc<dyn ObjectStore> = Arc::new(LocalFileSystem::new());
    // outside of a runtime, so that the store asks on this thread
    let meta = block_on(store.head(&place)).map_err(|e| error(&e))?;
    Ok(Location::new(store, meta, &*name))
}

/// The footer of a file that was read under this name, if it is the same file.
fn of_kept(location: &Location) -> Option<Arc<ParquetFile>> {
    let mut kept = kept();
    let index = kept.iter().position(|file| is_same(file.location(), location))?;
    let file = kept.remove(index);
    kept.push(file.clone());
    Some(file)
}

/// Keeps a footer, and lets go of those that were not used for longest.
fn keep(file: &Arc<ParquetFile>, now: SystemTime) {
    let changed = SystemTime::from(file.location().meta().last_modified);
    // of a time to come nothing can be said
    if now.duration_since(changed).is_ok_and(|since| since < SETTLED) || changed > now {
        return;
    }
    let mut kept = kept();
    kept.retain(|other| other.location().key() != file.location().key());
    kept.push(file.clone());
    let bytes = |file: &Arc<ParquetFile>| file.metadata().memory_size();
    let mut all: usize = kept.iter().map(bytes).sum();
    while all > KEPT_BYTES && !kept.is_empty() {
        all -= bytes(&kept.remove(0));
    }
}

fn is_same(one: &Location, other: &Location) -> bool {
    one.name() == other.name() && one.key() == other.key() && one.is_version_of(other)
}

fn kept() -> MutexGuard<'static, Vec<Arc<ParquetFile>>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}
