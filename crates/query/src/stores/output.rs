//! Files and folders that are written by calls that block: local ones, or those of a store.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::Path as FilePath;
use std::sync::Arc;

use futures::stream::{self, StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use parking_lot::Mutex;
use pelton_pages::listing::{Folder, folder, shown};
use pelton_pages::{Cause, Error as FileError, Existing, OutputFile, Place, is_data_file, store_message};
use tokio::runtime::Handle;

use super::Stores;
use super::upload::{Upload, UploadSize, give_up};
use crate::error::{Error, Result};

/// Requests at a time that complete or remove the files of a folder.
const REQUESTS_AT_ONCE: usize = 16;

/// Returns whether a place is a URL of a store, not a local file.
pub(crate) fn is_in_store(place: &str) -> bool {
    place.contains("://") && !place.starts_with("file://")
}

/// Checks that a place is the name of one file or folder, and no pattern of several.
///
/// # Errors
/// It has a wildcard; the message says what to write.
pub(crate) fn check_is_one(place: &str) -> Result<(), &'static str> {
    match place.contains('*') {
        true => Err("a place to write to has no wildcards; name one file, or one folder"),
        false => Ok(()),
    }
}

/// A file in progress, local or in a store. Dropping it leaves nothing.
#[derive(Debug)]
pub enum Output {
    /// A local file, or a stream.
    Local(OutputFile),
    /// A file of a store.
    InStore(StoreFile),
}

impl Output {
    /// Opens a place for writing. The thread may block, and is none of an async runtime.
    ///
    /// # Errors
    /// No file can be created there.
    pub fn create(place: &str, stores: &Stores) -> Result<Self> {
        check_is_one(place).map_err(|what| write_error(place, &io::Error::other(what)))?;
        if let Some(file) = Self::create_in_store(place, stores) {
            return file;
        }
        let path = FilePath::new(place.strip_prefix("file://").unwrap_or(place));
        OutputFile::create(path).map(Self::Local).map_err(|error| write_error(place, &error))
    }

    /// Opens a place in a store for writing, as [`Output::create`]; `None` for a local place.
    pub fn create_in_store(place: &str, stores: &Stores) -> Option<Result<Self>> {
        let create = || StoreFile::create(place, stores, UploadSize::Large, None).map(Self::InStore);
        is_in_store(place).then(create)
    }

    /// Writes the bytes to disk, or to a store of a folder. Only the name is missing then.
    ///
    /// # Errors
    /// The bytes can't be written.
    pub fn sync(&mut self) -> io::Result<()> {
        match self {
            Self::Local(file) => file.sync(),
            Self::InStore(file) => file.sync(),
        }
    }

    /// Gives the file its name. One of a folder gets it with the folder.
    ///
    /// # Errors
    /// The bytes can't be written, or the name can't be given.
    pub fn commit(self) -> io::Result<()> {
        match self {
            Self::Local(file) => file.commit(),
            Self::InStore(file) => file.commit(),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Local(file) => file.write(bytes),
            Self::InStore(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Local(file) => file.flush(),
            // bytes are sent when there is a part of them
            Self::InStore(_) => Ok(()),
        }
    }
}

/// Returns the error of a local file.
fn write_error(place: &str, error: &io::Error) -> Error {
    Error::Pages(FileError::new(Place::file(&place.into()), Cause::Write(error.to_string())))
}

/// A file of a store in progress.
#[derive(Debug)]
pub struct StoreFile {
    upload: Upload,
    io: Handle,
    /// The folder that gives the file its name.
    folder: Option<Arc<StoreFolder>>,
}

impl StoreFile {
    fn create(
        address: &str,
        stores: &Stores,
        size: UploadSize,
        folder: Option<Arc<StoreFolder>>,
    ) -> Result<Self> {
        let io = stores.io().map_err(Error::Execution)?.handle().clone();
        let upload = io.block_on(stores.upload(address, size))?;
        Ok(Self { upload, io, folder })
    }

    fn sync(&mut self) -> io::Result<()> {
        if self.folder.is_none() {
            return Ok(());
        }
        let sent = self.io.block_on(self.upload.send_all());
        sent.map_err(|error| unnamed(self.upload.name(), &error))
    }

    fn commit(self) -> io::Result<()> {
        let Self { upload, io, folder } = self;
        let Some(folder) = folder else {
            let name = upload.name().to_owned();
            return io.block_on(upload.finish()).map_err(|error| unnamed(&name, &error));
        };
        folder.uploads.lock().push(upload);
        Ok(())
    }
}

/// Returns an error without the file's name, which the caller puts before it.
fn unnamed(name: &str, error: &Error) -> io::Error {
    let text = error.to_string();
    let what = text.strip_prefix(name).and_then(|rest| rest.strip_prefix(": "));
    io::Error::other(what.unwrap_or(&text).to_owned())
}

impl Write for StoreFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.io.block_on(self.upload.write(bytes));
        written.map(|()| bytes.len()).map_err(|error| unnamed(self.upload.name(), &error))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A folder of a store whose new files appear together: all bytes are there before the first file
/// appears. Dropping it removes the bytes.
#[derive(Debug)]
pub(crate) struct StoreFolder {
    address: String,
    stores: Arc<Stores>,
    folder: Folder,
    existing: Existing,
    /// Files that were there before, to be replaced.
    old: Vec<Path>,
    /// Infix of the files' names that no other statement has, if the folder has files.
    pub mark: String,
    uploads: Mutex<Vec<Upload>>,
}

impl StoreFolder {
    /// Opens a folder.
    ///
    /// # Errors
    /// The store can't be opened or listed, or `existing` does not allow the files that it has.
    pub async fn create(address: &str, existing: Existing, stores: &Arc<Stores>) -> Result<Self> {
        Stores::check_output(address)?;
        let folder = folder(address, &**stores).await?;
        let error = |what: String| Error::Table(format!("{}: {what}", folder.name));
        let mut files = folder.store.list(Some(&folder.base)).map_ok(|meta| meta.location);
        let failed = |e: object_store::Error| error(store_message(&e));
        let mut old = Vec::new();
        match existing {
            Existing::Extend => {}
            Existing::Refuse => {
                if files.next().await.transpose().map_err(failed)?.is_some() {
                    return Err(error(
                        "the folder is not empty: add OVERWRITE to replace its files, or APPEND to add to them"
                            .to_owned(),
                    ));
                }
            }
            Existing::Replace => {
                while let Some(file) = files.next().await.transpose().map_err(failed)? {
                    if !is_data(&folder.base, &file) {
                        return Err(error(format!(
                            "OVERWRITE replaces folders of data files only, and this one holds {file}: remove that \
                             first, or name another folder"
                        )));
                    }
                    old.push(file);
                }
            }
        }
        drop(files);
        let mark = match existing {
            Existing::Refuse => String::new(),
            Existing::Replace | Existing::Extend => unused_mark(),
        };
        let (address, stores) = (address.trim_end_matches('/').to_owned(), stores.clone());
        Ok(Self { address, stores, folder, existing, old, mark, uploads: Mutex::default() })
    }

    /// Creates a file in the folder. The thread may block, and is none of an async runtime.
    ///
    /// # Errors
    /// The store can't be opened.
    pub fn file(self: &Arc<Self>, path: &str) -> Result<Output> {
        let address = format!("{}/{path}", self.address);
        StoreFile::create(&address, &self.stores, UploadSize::Small, Some(self.clone())).map(Output::InStore)
    }

    /// Has the files appear, and removes those that they replace.
    ///
    /// # Errors
    /// The store fails. Either no new file is there, or all of them are, and the error names an old
    /// one.
    pub async fn commit(mut self) -> Result<()> {
        let uploads = std::mem::take(self.uploads.get_mut());
        let paths: Vec<Path> = uploads.iter().map(|upload| upload.path().clone()).collect();
        let ended: Vec<Result<()>> =
            stream::iter(uploads).map(Upload::finish).buffer_unordered(REQUESTS_AT_ONCE).collect().await;
        if let Some(error) = ended.into_iter().find_map(Result::err) {
            // a file that was not completed is not there, which is no other error
            _ = remove(&*self.folder.store, paths).await;
            return Err(error);
        }
        if self.existing != Existing::Replace {
            return Ok(());
        }
        let old = std::mem::take(&mut self.old);
        remove(&*self.folder.store, old).await.map_err(|(path, e)| {
            let (name, why) = (&self.folder.name, store_message(&e));
            Error::Table(format!(
                "{name}: the new files are there, and the old file {path} can't be removed: {why}"
            ))
        })
    }
}

impl Drop for StoreFolder {
    fn drop(&mut self) {
        give_up(std::mem::take(self.uploads.get_mut()));
    }
}

/// Returns an infix for names of files that no other statement has.
pub(crate) fn unused_mark() -> String {
    format!("{:016x}_", RandomState::new().hash_one(std::process::id()))
}

/// Removes files, all that can be removed.
///
/// # Errors
/// One can't be removed.
async fn remove(store: &dyn ObjectStore, paths: Vec<Path>) -> Result<(), (Path, object_store::Error)> {
    let removed = stream::iter(paths).map(|path| async move {
        match store.delete(&path).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err((path, error)),
        }
    });
    let removed: Vec<_> = removed.buffer_unordered(REQUESTS_AT_ONCE).collect().await;
    removed.into_iter().collect()
}

/// Returns whether a file of a folder is one that a table is made of.
fn is_data(base: &Path, file: &Path) -> bool {
    let Some(parts) = file.prefix_match(base) else { return false };
    let parts: Vec<String> = parts.map(|part| part.as_ref().to_owned()).collect();
    let Some((name, folders)) = parts.split_last() else { return false };
    is_data_file(name) && folders.iter().all(|folder| folder.contains('='))
}

/// Returns a place as it is shown: without the query string of a URL.
pub(crate) fn shown_place(place: &str) -> String {
    shown(place).into_owned()
}
