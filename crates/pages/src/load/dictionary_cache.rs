//! Dictionary page cache.
//!
//! Each scan of a column needs its dictionary, even for a few rows, and the scans of a query and of
//! the next one often read the same columns. Dictionaries are small in comparison with the data
//! that they encode, so the cache can cover many files.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use bytes::Bytes;

/// Approximate memory of an entry in addition to its page.
const ENTRY_BYTES: usize = 256;

/// Divisor of the cache's capacity that gives the size of the largest page.
const LARGEST: usize = 8;

/// Look-ups after which an unused entry may be evicted. If a scan needs more dictionaries than fit,
/// most entries stay; with immediate eviction each would be replaced before its next use.
const UNUSED_FOR: u64 = 8192;

/// Dictionary pages up to a total size. Pages of closed files and pages without a recent look-up
/// are evicted first.
#[derive(Debug)]
pub struct Dictionaries {
    limit: usize,
    cached: Mutex<CachedPages>,
}

/// The open file of a dictionary. Scans check whether it has changed, so it stands for one version.
type File = Weak<dyn Any + Send + Sync>;

/// A file's address, a row group and a leaf column. The weak reference of an entry prevents reuse
/// of the address.
type Key = (usize, usize, usize);

#[derive(Debug, Default)]
struct CachedPages {
    pages: HashMap<Key, Entry>,
    bytes: usize,
    /// Number of look-ups, and its value at the last eviction.
    now: u64,
    swept: u64,
}

#[derive(Debug)]
struct Entry {
    file: File,
    page: Bytes,
    used: u64,
}

impl Entry {
    fn size(&self) -> usize {
        self.page.len() + ENTRY_BYTES
    }
}

impl Dictionaries {
    /// Creates a cache for up to `limit` bytes.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, cached: Mutex::default() })
    }

    fn cached(&self) -> MutexGuard<'_, CachedPages> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CachedPages {
    /// Evicts unused entries if `size` bytes do not fit. Returns the entries, so that the caller
    /// drops them without the lock.
    fn evict(&mut self, size: usize, limit: usize) -> Vec<Entry> {
        if self.bytes + size <= limit || self.now - self.swept < UNUSED_FOR / 8 {
            return Vec::new();
        }
        self.swept = self.now;
        let now = self.now;
        let unused = self
            .pages
            .extract_if(|_, entry| entry.file.strong_count() == 0 || now - entry.used > UNUSED_FOR)
            .map(|(_, entry)| entry);
        let unused: Vec<_> = unused.collect();
        self.bytes -= unused.iter().map(Entry::size).sum::<usize>();
        unused
    }
}

/// Key of one column chunk's dictionary, with its cache.
#[derive(Debug, Clone)]
pub(crate) struct CacheHandle {
    dictionaries: Arc<Dictionaries>,
    file: File,
    row_group: usize,
    leaf: usize,
}

impl CacheHandle {
    pub fn new<F: Any + Send + Sync>(
        dictionaries: &Arc<Dictionaries>,
        file: &Arc<F>,
        row_group: usize,
        leaf: usize,
    ) -> Self {
        let file: Weak<F> = Arc::downgrade(file);
        Self { dictionaries: dictionaries.clone(), file, row_group, leaf }
    }

    fn key(&self) -> Key {
        (self.file.as_ptr().cast::<()>() as usize, self.row_group, self.leaf)
    }

    /// Returns the decompressed page, if the cache has it.
    pub fn find(&self) -> Option<Bytes> {
        let mut cached = self.dictionaries.cached();
        cached.now += 1;
        let now = cached.now;
        let entry = cached.pages.get_mut(&self.key())?;
        entry.used = now;
        Some(entry.page.clone())
    }

    /// Adds the decompressed page, if there is capacity.
    pub fn insert(&self, page: &Bytes) {
        let (limit, size) = (self.dictionaries.limit, page.len() + ENTRY_BYTES);
        if size > limit / LARGEST {
            return;
        }
        if self.dictionaries.cached().pages.contains_key(&self.key()) {
            return;
        }
        // The original buffer may be larger than the page. The copy is made without the lock, which
        // all readers need.
        let entry = Entry { file: self.file.clone(), page: Bytes::copy_from_slice(page), used: 0 };
        let mut cached = self.dictionaries.cached();
        let unused = cached.evict(size, limit);
        if cached.bytes + size <= limit && !cached.pages.contains_key(&self.key()) {
            let used = cached.now;
            cached.bytes += size;
            cached.pages.insert(self.key(), Entry { used, ..entry });
        }
        drop(cached);
        drop(unused);
    }
}

#[cfg(test)]
mod tests;
