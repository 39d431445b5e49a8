//! Reads byte ranges of a file through `object_store`, and detects changes of the file.

mod local;

use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use bytes::{Bytes, BytesMut};
use futures::{StreamExt, TryStreamExt, stream};
use object_store::{GetOptions, GetRange, GetResultPayload, ObjectMeta, ObjectStore, ObjectStoreExt};
use pelton_job::InputBuffer;

use super::store_error::store_message;
use super::traffic;
use crate::error::{Cause, Error, Place, Result};
pub(crate) use local::attributes;

/// Ranges closer than this are read in one request. A larger gap would make scans of few columns of
/// a local file read the columns between them; a smaller one would add requests, which cost more
/// than the bytes of the gap, above all in object stores.
const COALESCE_BYTES: u64 = 256 * 1024;

/// The same for an object store, where a request takes as long as about a megabyte.
const REMOTE_COALESCE_BYTES: u64 = 1 << 20;

/// Largest request to an object store. Longer ranges are read in parts, several at a time, because
/// one connection does not fill the line.
const PART_BYTES: u64 = 8 << 20;

/// Parts of one range that are read at a time. Ranges are read side by side, too.
const PARTS_AT_ONCE: usize = 4;

/// A file in a store, with its attributes when it was listed.
#[derive(Debug, Clone)]
pub struct Location {
    store: Arc<dyn ObjectStore>,
    meta: ObjectMeta,
    name: Arc<str>,
    /// Address of an object store; `None` for local files.
    origin: Option<Arc<str>>,
    /// Path in the local file system, past the store.
    path: Option<Arc<Path>>,
}

impl Location {
    /// Returns the location of a listed file; errors call it `name`.
    pub fn new(store: Arc<dyn ObjectStore>, meta: ObjectMeta, name: impl Into<Arc<str>>) -> Self {
        Self { store, meta, name: name.into(), origin: None, path: None }
    }

    /// Returns the location in an object store with this address, without path and credentials;
    /// `None`: in the local file system.
    pub fn in_store(self, origin: Option<Arc<str>>) -> Self {
        let path = origin.is_none().then(|| Path::new(&format!("/{}", self.meta.location)).into());
        Self { origin, path, ..self }
    }

    /// Returns whether the file is in an object store.
    pub fn is_remote(&self) -> bool {
        self.origin.is_some()
    }

    /// Returns the name of the file in errors.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Returns the bytes of the file.
    pub fn size(&self) -> u64 {
        self.meta.size
    }

    /// Returns the store's name and the path in it, which stay the same if the file is replaced.
    pub fn key(&self) -> (String, String) {
        let store = self.origin.as_ref().map_or_else(|| self.store.to_string(), |origin| origin.to_string());
        (store, self.meta.location.to_string())
    }

    /// Returns whether two locations with the same [`Location::key`] are the same version of the
    /// file.
    pub fn is_version_of(&self, other: &Location) -> bool {
        is_same(&self.meta, &other.meta)
    }

    /// Checks in the store that the file is still the listed version. For callers that use bytes
    /// read earlier.
    ///
    /// # Errors
    /// The store fails, or the file was removed or replaced.
    pub async fn verify(&self) -> Result<()> {
        if let Some(path) = &self.path {
            let opened = local::open(path, self.meta.e_tag.as_deref()).map_err(|e| self.local_error(&e))?;
            return opened.map(drop).ok_or_else(|| self.error(Cause::Changed));
        }
        let now = self.store.head(&self.meta.location).await.map_err(|e| self.store_error(&e))?;
        if is_same(&now, &self.meta) { Ok(()) } else { Err(self.error(Cause::Changed)) }
    }

    /// Returns the attributes of the file when it was listed.
    pub fn meta(&self) -> &ObjectMeta {
        &self.meta
    }

    /// Reads the ranges and returns each in one piece. Neighbours share a request. `memory` returns
    /// the buffer for a range of a local file.
    ///
    /// # Errors
    /// A range lies outside of the file, the store fails, or the file is no longer the listed
    /// version (its entity tag differs, or it is shorter).
    pub async fn read(
        &self,
        ranges: &[Range<u64>],
        memory: impl Fn(usize) -> InputBuffer + Sync,
    ) -> Result<Vec<Bytes>> {
        if let Some(range) = ranges.iter().find(|range| range.start > range.end || range.end > self.size()) {
            return Err(self.error(Cause::Truncated(format!(
                "bytes {} to {} are needed, the file has {}",
                range.start,
                range.end,
                self.size()
            ))));
        }
        let is_local = AtomicBool::new(false);
        let fetch = |range: Range<u64>| self.read_parts(range, &memory, &is_local);
        let gap = if self.is_remote() { REMOTE_COALESCE_BYTES } else { COALESCE_BYTES };
        let read = object_store::coalesce_ranges(ranges, fetch, gap).await;
        // a response of a store is of one version, but a local file may change between the check
        // and the end of the read
        if is_local.into_inner() && self.has_changed().await {
            return Err(self.error(Cause::Changed));
        }
        read
    }

    /// Reads bytes of a local file from `start` on, and returns how many there are. `None` if it is
    /// not local, or can't be read, or was replaced.
    pub(super) fn peek(&self, start: u64, bytes: &mut [u8]) -> Option<usize> {
        let file = local::open(self.path.as_ref()?, self.meta.e_tag.as_deref()).ok()??;
        let length = bytes.len().min(usize::try_from(self.size().saturating_sub(start)).ok()?);
        file.read_exact_at(&mut bytes[..length], start).ok()?;
        Some(length)
    }

    /// Reads a range of an object store in parts, and one of a local file as it is.
    async fn read_parts(
        &self,
        range: Range<u64>,
        memory: &(impl Fn(usize) -> InputBuffer + Sync),
        is_local: &AtomicBool,
    ) -> Result<Bytes> {
        if !self.is_remote() || range.end - range.start <= PART_BYTES {
            return self.read_one(range, memory, is_local).await;
        }
        let end = range.end;
        let parts = range.step_by(PART_BYTES as usize).map(|start| start..end.min(start + PART_BYTES));
        let read = stream::iter(parts.map(|part| self.read_one(part, memory, is_local)));
        let parts = read.buffered(PARTS_AT_ONCE);
        let joined = parts.try_fold(BytesMut::new(), |mut joined, part| async move {
            joined.extend_from_slice(&part);
            Ok(joined)
        });
        Ok(joined.await?.freeze())
    }

    async fn read_one(
        &self,
        range: Range<u64>,
        memory: &(impl Fn(usize) -> InputBuffer + Sync),
        is_local: &AtomicBool,
    ) -> Result<Bytes> {
        let (start, length) = (range.start, range.end - range.start);
        let options = GetOptions {
            range: Some(GetRange::Bounded(range)),
            if_match: self.meta.e_tag.clone().filter(|tag| !tag.starts_with(WEAK)),
            version: self.meta.version.clone(),
            ..GetOptions::default()
        };
        if length == 0 {
            return Ok(Bytes::new());
        }
        if let Some(path) = &self.path {
            is_local.store(true, Relaxed);
            let file = local::open(path, self.meta.e_tag.as_deref()).map_err(|e| self.local_error(&e))?;
            let file = file.ok_or_else(|| self.error(Cause::Changed))?;
            let read = local::read(file, start, memory(length as usize)).await;
            return read.map_err(|e| self.local_error(&e));
        }
        let result =
            self.store.get_opts(&self.meta.location, options).await.map_err(|e| self.store_error(&e))?;
        let bytes = match result.payload {
            GetResultPayload::File(file, _) => {
                is_local.store(true, Relaxed);
                let read = local::read(file, start, memory(length as usize)).await;
                read.map_err(|e| self.local_error(&e))?
            }
            GetResultPayload::Stream(_) => {
                // a server may pass over the condition on the tag
                if has_other_tag(&result.meta, &self.meta) {
                    return Err(self.error(Cause::Changed));
                }
                let bytes = result.bytes().await.map_err(|e| self.store_error(&e))?;
                traffic::received(bytes.len());
                bytes
            }
        };
        if bytes.len() as u64 != length {
            let sent = bytes.len();
            let what = format!("the server sent {sent} bytes where {length} were asked for");
            return Err(self.error(Cause::Store(what)));
        }
        Ok(bytes)
    }

    /// Returns whether the file was replaced. A deleted file does not count, because an open one
    /// can still be read.
    async fn has_changed(&self) -> bool {
        if let Some(path) = &self.path {
            return local::has_changed(path, self.meta.e_tag.as_deref());
        }
        self.store
            .head(&self.meta.location)
            .await
            .is_ok_and(|now| self.meta.e_tag.is_some() && now.e_tag != self.meta.e_tag)
    }

    fn store_error(&self, error: &object_store::Error) -> Error {
        self.error(match error {
            object_store::Error::Precondition { .. } | object_store::Error::NotModified { .. } => {
                Cause::Changed
            }
            object_store::Error::NotFound { .. } => Cause::Store(GONE.to_owned()),
            other => Cause::Store(store_message(other)),
        })
    }

    fn local_error(&self, error: &io::Error) -> Error {
        self.error(match error.kind() {
            io::ErrorKind::UnexpectedEof => Cause::Changed,
            io::ErrorKind::NotFound => Cause::Store(GONE.to_owned()),
            _ => Cause::Store(error.to_string()),
        })
    }

    fn error(&self, cause: Cause) -> Error {
        Error::new(Place::file(&self.name), cause)
    }
}

const GONE: &str = "no such file; it was there when the query was planned";

/// Start of a tag that is the same for other bytes of the same meaning. A condition can't use it
/// (RFC 9110, 13.1.1).
const WEAK: &str = "W/";

/// Returns whether both have tags, and these differ. Some stores list tags without quotes.
fn has_other_tag(one: &ObjectMeta, other: &ObjectMeta) -> bool {
    let tag = |meta: &ObjectMeta| {
        meta.e_tag.as_deref().map(|tag| tag.trim_start_matches(WEAK).trim_matches('"').to_owned())
    };
    tag(one).zip(tag(other)).is_some_and(|(one, other)| one != other)
}

fn is_same(one: &ObjectMeta, other: &ObjectMeta) -> bool {
    (&one.e_tag, one.size, one.last_modified) == (&other.e_tag, other.size, other.last_modified)
}
