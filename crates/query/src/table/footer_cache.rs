//! Footer cache, shared by the queries of an engine.
//!
//! A footer is used again if its file is unchanged: a listing, which each query makes anew, says so
//! by size, time of the last change and entity tag. So new files are seen, and replaced ones are
//! read again.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures::{StreamExt, TryStreamExt, stream};
use parking_lot::Mutex;
use pelton_pages::traffic::{self, Traffic};
use pelton_pages::{ColumnTypes, FooterOptions, FooterTotals, Location, ParquetFile};

use crate::error::{Error, Result};

/// Footers that are read at a time from local files. Fewer leave a disk idle; more only cost
/// memory.
const OPEN_AT_ONCE: usize = 16;

/// The same for object stores, which answer more slowly and take more requests.
const OPEN_AT_ONCE_REMOTE: usize = 64;

/// Limit on the bytes of cached footers, by parquet-rs's count: some ten thousand files of usual
/// width. Beyond it a footer is cached only in place of unused ones.
const MAX_BYTES: usize = 256 << 20;

/// Calls after which an unused footer may be evicted for another.
const UNUSED_FOR: u64 = 64;

/// Age that a file's last change must have for its footer to be cached, where the entity tag does
/// not come from the contents. File systems store times in steps of up to two seconds (FAT), so
/// that a file that is written again at once may look the same.
const SETTLED: Duration = Duration::from_secs(2);

/// Footers of files that were opened before.
#[derive(Default)]
pub struct FooterCache(Mutex<State>);

#[derive(Default)]
struct State {
    footers: HashMap<(String, String), Footer>,
    /// Sum over all footers.
    bytes: usize,
    /// Calls so far.
    now: u64,
}

struct Footer {
    file: Arc<ParquetFile>,
    bytes: usize,
    used: u64,
}

impl fmt::Debug for FooterCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FooterCache").field("bytes", &self.bytes()).finish_non_exhaustive()
    }
}

/// Opened files, with the work that it took.
#[derive(Debug, Default)]
pub(super) struct Opened {
    pub files: Vec<Arc<ParquetFile>>,
    pub footers: FooterTotals,
    pub traffic: Traffic,
}

impl FooterCache {
    /// Returns the bytes of the cached footers.
    pub fn bytes(&self) -> usize {
        self.0.lock().bytes
    }

    /// Opens files that were listed just now, in their order.
    ///
    /// # Errors
    /// A file can't be read, or is no Parquet.
    pub(super) async fn open(&self, locations: Vec<Location>, options: &FooterOptions) -> Result<Opened> {
        // a cached footer was read with the types of the engine
        let is_cached = options.types == ColumnTypes::Views;
        let mut files: Vec<Option<Arc<ParquetFile>>> = match is_cached {
            true => self.find(&locations),
            false => vec![None; locations.len()],
        };
        let missing: Vec<usize> = (0..files.len()).filter(|&index| files[index].is_none()).collect();
        let at_once = match locations.iter().any(Location::is_remote) {
            true => OPEN_AT_ONCE_REMOTE,
            false => OPEN_AT_ONCE,
        };
        let now = Utc::now();
        let places: Vec<Location> = missing.iter().map(|&index| locations[index].clone()).collect();
        let read = stream::iter(places).map(|place| ParquetFile::open(place, options));
        let read = read.buffered(at_once).try_collect::<Vec<_>>();
        let (read, traffic) = traffic::counted(read).await;
        let read = read.map_err(Error::from)?;
        let counts = FooterTotals {
            read: read.len() as u64,
            cached: (files.len() - read.len()) as u64,
            ..FooterTotals::default()
        };
        let mut evicted = Vec::new();
        for (index, file) in missing.into_iter().zip(read) {
            if is_cached && is_settled(file.location(), now) {
                evicted.extend(self.insert(file.clone()));
            }
            files[index] = Some(file);
        }
        drop(evicted);
        Ok(Opened { files: files.into_iter().flatten().collect(), footers: counts, traffic })
    }

    /// Returns the files whose footers are cached and whose locations are of the same version.
    fn find(&self, locations: &[Location]) -> Vec<Option<Arc<ParquetFile>>> {
        let mut state = self.0.lock();
        state.now += 1;
        let now = state.now;
        let mut find = |location: &Location| {
            let footer = state.footers.get_mut(&location.key())?;
            if !footer.file.location().is_version_of(location) {
                return None;
            }
            footer.used = now;
            Some(footer.file.at(location.clone()))
        };
        locations.iter().map(&mut find).collect()
    }

    /// Caches a footer if there is space, or space can be made. Returns the evicted ones, to be
    /// dropped after the lock is released.
    fn insert(&self, file: Arc<ParquetFile>) -> Vec<Footer> {
        let (key, bytes) = (file.location().key(), file.metadata().memory_size());
        let mut state = self.0.lock();
        let used = state.now;
        let mut evicted: Vec<_> = state.footers.remove(&key).into_iter().collect();
        if state.bytes + bytes > MAX_BYTES {
            let unused = state.footers.extract_if(|_, footer| used.saturating_sub(footer.used) > UNUSED_FOR);
            evicted.extend(unused.map(|(_, footer)| footer));
        }
        state.bytes -= evicted.iter().map(|footer| footer.bytes).sum::<usize>();
        if state.bytes + bytes <= MAX_BYTES {
            state.bytes += bytes;
            state.footers.insert(key, Footer { file, bytes, used });
        }
        evicted
    }
}

/// Returns whether a file that is replaced from now on looks different.
fn is_settled(location: &Location, now: DateTime<Utc>) -> bool {
    let has_tag = location.is_remote() && location.meta().e_tag.is_some();
    let age = now.signed_duration_since(location.meta().last_modified);
    has_tag || age.to_std().is_ok_and(|age| age > SETTLED)
}
