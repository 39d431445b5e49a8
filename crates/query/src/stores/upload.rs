//! Upload of a file to a store: it appears when it is complete, and leaves nothing behind if it
//! fails.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::{StreamExt, stream};
use object_store::path::Path;
use object_store::{MultipartUpload, ObjectStore, ObjectStoreExt, PutPayload};
use pelton_pages::listing::shown;
use pelton_pages::store_message;
use tokio::task::JoinHandle;

use super::address::Address;
use super::client::IoThread;
use super::{StoreKind, Stores};
use crate::error::{Error, Result};

/// Sizes of an upload in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UploadSize {
    /// One file, with large parts and several of them sent at a time.
    Large,
    /// One of many files.
    Small,
}

impl UploadSize {
    /// Returns the bytes of a part. Stores take 10,000 parts, and no parts below 5 MiB.
    fn part_bytes(self) -> usize {
        match self {
            Self::Large => 16 << 20,
            Self::Small => 5 << 20,
        }
    }

    /// Returns the parts that are sent at a time; each is in memory until then.
    fn parts_at_once(self) -> usize {
        match self {
            Self::Large => 4,
            Self::Small => 1,
        }
    }
}

/// Time for a store to drop the parts of files that are given up.
const ABORT_TIME: Duration = Duration::from_secs(5);

/// Files that are given up at a time.
const ABORTS_AT_ONCE: usize = 16;

/// A file that is being written to a store.
pub struct Upload {
    name: String,
    store: Arc<dyn ObjectStore>,
    path: Path,
    io: IoThread,
    size: UploadSize,
    buffer: BytesMut,
    /// Present once there is more than one part.
    parts: Option<Box<dyn MultipartUpload>>,
    sending: VecDeque<JoinHandle<object_store::Result<()>>>,
}

impl fmt::Debug for Upload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upload").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Stores {
    /// Starts a file at a URL. Nothing is there before [`Upload::finish`].
    ///
    /// # Errors
    /// The store can't be opened, or is a web server.
    pub async fn create(&self, address: &str) -> Result<Upload> {
        self.upload(address, UploadSize::Large).await
    }

    pub(super) async fn upload(&self, address: &str, size: UploadSize) -> Result<Upload> {
        Self::check_output(address)?;
        let name = shown(address).into_owned();
        let error = |what: String| Error::Table(format!("{name}: {what}"));
        let opened = self.opened(address).await.map_err(error)?;
        let path = Path::parse(opened.path.trim_matches('/')).map_err(|e| error(e.to_string()))?;
        if path.as_ref().is_empty() {
            return Err(error("the name of the file is missing".to_owned()));
        }
        let io = self.io().map_err(error)?.clone();
        let (buffer, sending) = (BytesMut::new(), VecDeque::new());
        Ok(Upload { name, store: opened.store, path, io, size, buffer, parts: None, sending })
    }

    /// Checks that files can be written to the store of a URL.
    ///
    /// # Errors
    /// It is no such URL, or that of a web server.
    pub fn check_output(address: &str) -> Result<()> {
        let error = |what: String| Error::Query(format!("{}: {what}", shown(address)));
        match Address::parse(address).map_err(error)?.kind {
            StoreKind::Http => {
                Err(error("files are not written to web servers; write to s3://, gs:// or az://".to_owned()))
            }
            _ => Ok(()),
        }
    }
}

impl Upload {
    fn error(&self, error: &object_store::Error) -> Error {
        Error::Table(format!("{}: {}", self.name, store_message(error)))
    }

    /// Returns the file's address as it is shown.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the file's path in its store.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Adds bytes. Waits while several parts are being sent.
    ///
    /// # Errors
    /// The store fails; nothing is left there.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let part = self.size.part_bytes();
        let mut rest = bytes;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(part - self.buffer.len()));
            self.buffer.extend_from_slice(now);
            rest = later;
            // the last part is sent by `finish`, so that a small file needs one request
            if self.buffer.len() == part && !rest.is_empty() {
                self.send().await?;
            }
        }
        Ok(())
    }

    /// Sends the buffer as a part.
    async fn send(&mut self) -> Result<()> {
        let part: Bytes = self.buffer.split().freeze();
        if self.parts.is_none() {
            let started = self.store.put_multipart(&self.path).await;
            self.parts = Some(started.map_err(|e| self.error(&e))?);
        }
        if self.sending.len() >= self.size.parts_at_once() {
            self.wait_for_one().await?;
        }
        if let Some(parts) = &mut self.parts {
            let sent = parts.put_part(PutPayload::from(part));
            self.sending.push_back(self.io.handle().spawn(sent));
        }
        Ok(())
    }

    async fn wait_for_one(&mut self) -> Result<()> {
        let Some(first) = self.sending.pop_front() else { return Ok(()) };
        let sent = first.await.map_err(|e| Error::Execution(format!("{}: {e}", self.name)))?;
        sent.map_err(|e| self.error(&e))
    }

    /// Sends all bytes as parts, and waits until the store has them. The file still does not
    /// appear, and takes no more memory.
    ///
    /// # Errors
    /// The store fails.
    pub(super) async fn send_all(&mut self) -> Result<()> {
        if !self.buffer.is_empty() || self.parts.is_none() {
            self.send().await?;
        }
        while !self.sending.is_empty() {
            self.wait_for_one().await?;
        }
        self.buffer = BytesMut::new();
        Ok(())
    }

    /// Completes the file, which appears now.
    ///
    /// # Errors
    /// The store fails; nothing is left there.
    pub async fn finish(mut self) -> Result<()> {
        let completed = self.complete().await;
        if completed.is_err() {
            // the first error says more than the second
            let _ = self.abort().await;
        }
        completed
    }

    async fn complete(&mut self) -> Result<()> {
        if self.parts.is_none() {
            let whole: Bytes = self.buffer.split().freeze();
            let put = self.store.put(&self.path, PutPayload::from(whole)).await;
            return put.map(drop).map_err(|e| self.error(&e));
        }
        self.send_all().await?;
        if let Some(parts) = &mut self.parts {
            let completed = parts.complete().await;
            completed.map_err(|e| self.error(&e))?;
            self.parts = None;
        }
        Ok(())
    }

    /// Gives the file up, and waits until the store has dropped its parts.
    ///
    /// # Errors
    /// The store fails; it keeps the parts until its own rules remove them.
    pub async fn abort(mut self) -> Result<()> {
        let Some(parts) = self.take_parts() else { return Ok(()) };
        parts.dropped().await.map_err(|e| self.error(&e))
    }

    fn take_parts(&mut self) -> Option<Parts> {
        let sending = self.sending.drain(..).collect();
        self.parts.take().map(|upload| Parts { upload, sending })
    }
}

/// Parts of a file that is given up.
struct Parts {
    upload: Box<dyn MultipartUpload>,
    sending: Vec<JoinHandle<object_store::Result<()>>>,
}

impl Parts {
    /// Has the store drop the parts.
    async fn dropped(mut self) -> object_store::Result<()> {
        for task in self.sending {
            task.abort();
            let _ = task.await;
        }
        self.upload.abort().await
    }
}

/// Gives files up, and waits for some time until their stores have dropped the parts, since the
/// process may be about to end. A store that can't be reached keeps them until its own rules remove
/// them.
pub(super) fn give_up(uploads: Vec<Upload>) {
    let io = uploads.first().map(|upload| upload.io.clone());
    let parts: Vec<Parts> = uploads.into_iter().filter_map(|mut upload| upload.take_parts()).collect();
    if let Some(io) = io {
        wait_until_dropped(&io, parts);
    }
}

fn wait_until_dropped(io: &IoThread, all: Vec<Parts>) {
    if all.is_empty() {
        return;
    }
    let (done, waits) = mpsc::channel::<()>();
    io.handle().spawn(async move {
        let dropped = stream::iter(all).for_each_concurrent(ABORTS_AT_ONCE, |parts| async move {
            _ = parts.dropped().await;
        });
        dropped.await;
        drop(done);
    });
    // it ends with an error when the task does
    _ = waits.recv_timeout(ABORT_TIME);
}

impl Drop for Upload {
    fn drop(&mut self) {
        let parts = self.take_parts();
        wait_until_dropped(&self.io, parts.into_iter().collect());
    }
}
