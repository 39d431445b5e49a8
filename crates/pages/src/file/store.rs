//! Reading byte ranges of a file through `object_store`, and noticing when the file is no longer the same.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use object_store::{GetOptions, GetRange, GetResultPayload, ObjectMeta, ObjectStore, ObjectStoreExt};

use crate::error::{Cause, Error, Place, Result};

/// Ranges closer than this are read as one. A request to a local disk costs about as long as copying a few hundred
/// KiB, one to an object store as long as many MiB; 256 KiB is at the low end, so that a scan of few columns of a
/// local file does not read the columns between them.
const COALESCE_BYTES: u64 = 256 * 1024;

/// A file in a store, as it was when it was listed.
#[derive(Debug, Clone)]
pub struct Location {
    store: Arc<dyn ObjectStore>,
    meta: ObjectMeta,
    name: Arc<str>,
}

impl Location {
    /// `name` is what errors call the file.
    pub fn new(store: Arc<dyn ObjectStore>, meta: ObjectMeta, name: impl Into<Arc<str>>) -> Self {
        Self { store, meta, name: name.into() }
    }

    /// What errors call the file.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Bytes in the file.
    pub fn size(&self) -> u64 {
        self.meta.size
    }

    /// What the store said of the file when it was listed.
    pub fn meta(&self) -> &ObjectMeta {
        &self.meta
    }

    /// Reads the ranges, each returned whole, neighbours in one request.
    ///
    /// # Errors
    /// A range lies outside of the file, the store fails, or the file is not the one that was listed (its entity tag
    /// differs, or it has become shorter).
    pub async fn read(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        if let Some(range) = ranges.iter().find(|range| range.start > range.end || range.end > self.size()) {
            return Err(self.error(Cause::Truncated(format!(
                "bytes {} to {} are needed, the file has {}",
                range.start,
                range.end,
                self.size()
            ))));
        }
        let fetch = |range: Range<u64>| self.read_one(range);
        object_store::coalesce_ranges(ranges, fetch, COALESCE_BYTES).await
    }

    async fn read_one(&self, range: Range<u64>) -> Result<Bytes> {
        let length = range.end - range.start;
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
        // a store's answer is of one version of the file, but a local file may change between its check and its end
        let is_local = matches!(result.payload, GetResultPayload::File(..));
        let bytes = result.bytes().await;
        if is_local && self.has_changed().await {
            return Err(self.error(Cause::Changed));
        }
        let bytes = bytes.map_err(|e| self.store_error(&e))?;
        if bytes.len() as u64 != length {
            return Err(self.error(Cause::Changed));
        }
        Ok(bytes)
    }

    /// Whether there is another version of the file now. One that was deleted can still be read by who has it open.
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

/// The innermost error: a store wraps the operating system's in words about itself.
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
