//! Store of one file in pieces of memory, so that a growing file is never copied.

use std::fmt;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::Utc;
use datafusion::error::Result as DataFusionResult;
use datafusion::execution::memory_pool::MemoryReservation;
use futures::stream::{self, BoxStream, StreamExt};
use object_store::path::Path;
use object_store::{
    Attributes, CopyOptions, Error, GetOptions, GetResult, GetResultPayload, ListResult, MultipartUpload,
    ObjectMeta, ObjectStore, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};

/// Bytes of a piece. Larger ones leave more memory unused behind the last, and smaller ones cut
/// more column chunks, which are copied when they are read.
const PIECE_BYTES: usize = 4 << 20;

/// Bytes of a file that is being written, which the memory limit knows of.
pub(super) struct Pieces {
    full: Vec<Bytes>,
    last: Vec<u8>,
    reservation: MemoryReservation,
}

impl Pieces {
    pub fn new(reservation: MemoryReservation) -> Self {
        Self { full: Vec::new(), last: Vec::new(), reservation }
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// They don't fit in the memory limit.
    pub fn push(&mut self, mut bytes: &[u8]) -> DataFusionResult<()> {
        self.reservation.try_grow(bytes.len())?;
        while !bytes.is_empty() {
            let (now, rest) = bytes.split_at(bytes.len().min(PIECE_BYTES - self.last.len()));
            self.last.extend_from_slice(now);
            bytes = rest;
            if self.last.len() == PIECE_BYTES {
                self.full.push(std::mem::take(&mut self.last).into());
            }
        }
        Ok(())
    }

    /// Returns the file as a store, and its attributes at a path.
    pub fn into_store(mut self, location: Path) -> (PieceStore, ObjectMeta) {
        self.last.shrink_to_fit();
        self.full.push(self.last.into());
        let size = self.full.iter().map(|piece| piece.len() as u64).sum();
        let meta = ObjectMeta { location, last_modified: Utc::now(), size, e_tag: None, version: None };
        (PieceStore { pieces: self.full, meta: meta.clone(), _reservation: self.reservation }, meta)
    }
}

/// See the module. It has the one file, and takes no others.
#[derive(Debug)]
pub(super) struct PieceStore {
    /// All of [`PIECE_BYTES`] but the last.
    pieces: Vec<Bytes>,
    meta: ObjectMeta,
    _reservation: MemoryReservation,
}

impl fmt::Display for PieceStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("memory")
    }
}

impl PieceStore {
    fn lacks<T>(&self, operation: &str) -> Result<T> {
        Err(Error::NotImplemented { operation: operation.to_owned(), implementer: self.to_string() })
    }

    /// Returns the parts of pieces that a range of the file has.
    fn parts(&self, start: usize, end: usize) -> Vec<Bytes> {
        let touched = start / PIECE_BYTES..end.div_ceil(PIECE_BYTES);
        let part = |index: usize| {
            let first = index * PIECE_BYTES;
            let piece = &self.pieces[index];
            piece.slice(start.saturating_sub(first)..(end - first).min(piece.len()))
        };
        touched.map(part).collect()
    }
}

#[async_trait]
impl ObjectStore for PieceStore {
    async fn put_opts(&self, _: &Path, _: PutPayload, _: PutOptions) -> Result<PutResult> {
        self.lacks("put_opts")
    }

    async fn put_multipart_opts(&self, _: &Path, _: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        self.lacks("put_multipart_opts")
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        if *location != self.meta.location {
            let path = location.to_string();
            return Err(Error::NotFound { source: format!("the store has no {path}").into(), path });
        }
        options.check_preconditions(&self.meta)?;
        let range = match options.range {
            Some(range) => range
                .as_range(self.meta.size)
                .map_err(|error| Error::Generic { store: "memory", source: error.to_string().into() })?,
            None => 0..self.meta.size,
        };
        let parts = match options.head {
            true => Vec::new(),
            false => self.parts(range.start as usize, range.end as usize),
        };
        Ok(GetResult {
            payload: GetResultPayload::Stream(stream::iter(parts.into_iter().map(Ok)).boxed()),
            meta: self.meta.clone(),
            range,
            attributes: Attributes::new(),
        })
    }

    fn delete_stream(&self, _: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        stream::iter([self.lacks("delete_stream")]).boxed()
    }

    fn list(&self, _: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        stream::iter([Ok(self.meta.clone())]).boxed()
    }

    async fn list_with_delimiter(&self, _: Option<&Path>) -> Result<ListResult> {
        self.lacks("list_with_delimiter")
    }

    async fn copy_opts(&self, _: &Path, _: &Path, _: CopyOptions) -> Result<()> {
        self.lacks("copy_opts")
    }
}

#[cfg(test)]
mod tests;
