//! Reads byte ranges of a file through `object_store`, and detects changes of the file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use bytes::Bytes;
use object_store::{GetOptions, GetRange, GetResultPayload, ObjectMeta, ObjectStore, ObjectStoreExt};
use pelton_job::InputBuffer;
use tokio::runtime::Handle;

use crate::error::{Cause, Error, Place, Result};

/// Ranges closer than this are read in one request. A larger gap would make scans of few columns of
/// a local file read the columns between them; a smaller one would add requests, which cost more
/// than the bytes of the gap, above all in object stores.
const COALESCE_BYTES: u64 = 256 * 1024;

/// A file in a store, with its attributes when it was listed.
#[derive(Debug, Clone)]
pub struct Location {
    store: Arc<dyn ObjectStore>,
    meta: ObjectMeta,
    name: Arc<str>,
}

impl Location {
    /// Returns the location of a listed file; errors call it `name`.
    pub fn new(store: Arc<dyn ObjectStore>, meta: ObjectMeta, name: impl Into<Arc<str>>) -> Self {
        Self { store, meta, name: name.into() }
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
        (self.store.to_string(), self.meta.location.to_string())
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
        let fetch = |range: Range<u64>| self.read_one(range, &memory, &is_local);
        let read = object_store::coalesce_ranges(ranges, fetch, COALESCE_BYTES).await;
        // a response of a store is of one version, but a local file may change between the check
        // and the end of the read
        if is_local.into_inner() && self.has_changed().await {
            return Err(self.error(Cause::Changed));
        }
        read
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
            if_match: self.meta.e_tag.clone(),
            version: self.meta.version.clone(),
            ..GetOptions::default()
        };
        if length == 0 {
            return Ok(Bytes::new());
        }
        let result =
            self.store.get_opts(&self.meta.location, options).await.map_err(|e| self.store_error(&e))?;
        let bytes = match result.payload {
            GetResultPayload::File(file, _) => {
                is_local.store(true, Relaxed);
                let buffer = memory(length as usize);
                let read = move || read_file(file, start, buffer);
                // a blocking read would delay other tasks of an async runtime
                let read = match Handle::try_current() {
                    Ok(runtime) => runtime.spawn_blocking(read).await,
                    Err(_) => Ok(read()),
                };
                let read = read.map_err(|e| self.error(Cause::Store(e.to_string())))?;
                read.map_err(|e| match e.kind() {
                    io::ErrorKind::UnexpectedEof => self.error(Cause::Changed),
                    _ => self.error(Cause::Store(one_line(&e.to_string()))),
                })?
            }
            GetResultPayload::Stream(_) => result.bytes().await.map_err(|e| self.store_error(&e))?,
        };
        if bytes.len() as u64 != length {
            return Err(self.error(Cause::Changed));
        }
        Ok(bytes)
    }

    /// Returns whether the file was replaced. A deleted file does not count, because an open one
    /// can still be read.
    async fn has_changed(&self) -> bool {
        self.store.head(&self.meta.location).await.is_ok_and(|now| now.e_tag != self.meta.e_tag)
    }

    fn store_error(&self, error: &object_store::Error) -> Error {
        self.error(match error {
            object_store::Error::Precondition { .. } | object_store::Error::NotModified { .. } => {
                Cause::Changed
            }
            object_store::Error::NotFound { .. } => {
                Cause::Store("no such file; it was there when the query was planned".to_owned())
            }
            other => Cause::Store(one_line(&root_cause(other))),
        })
    }

    fn error(&self, cause: Cause) -> Error {
        Error::new(Place::file(&self.name), cause)
    }
}

fn is_same(one: &ObjectMeta, other: &ObjectMeta) -> bool {
    (&one.e_tag, one.size, one.last_modified) == (&other.e_tag, other.size, other.last_modified)
}

/// Fills the buffer from `start` on.
fn read_file(mut file: File, start: u64, mut buffer: InputBuffer) -> io::Result<Bytes> {
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(buffer.as_mut_slice())?;
    Ok(buffer.finish())
}

/// Returns the message of the innermost error, which is the operating system's, without the store's
/// wrapping.
fn root_cause(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
