//! A location in an object store, which may be the local file system.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::future::ready;
use std::io;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use futures::future::BoxFuture;
use futures::{FutureExt, TryStreamExt};
use glob::Pattern;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{Error, GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt};
use tokio::runtime::Handle;

use super::hive::{HiveRules, partitions};
use super::lake::Lake;
use super::walk::Folders;
use super::{
    EMPTY_NAME, ListedFile, ListingError, NOT_FOUND, WILDCARDS, bad_pattern, has_extension, is_hidden,
    is_url_of_a_store, match_options, without_scheme,
};
use crate::file::attributes;
use crate::{Location, store_message};

/// Opens the stores of URLs.
pub trait OpenStore: fmt::Debug + Send + Sync {
    /// Opens the store of a URL.
    ///
    /// # Errors
    /// The reason why the store can't be used, without the address.
    fn open<'a>(&'a self, address: &'a str) -> BoxFuture<'a, Result<OpenedStore, String>>;
}

/// A store with a path in it.
#[derive(Debug, Clone)]
pub struct OpenedStore {
    /// The store.
    pub store: Arc<dyn ObjectStore>,
    /// Its address, without path and credentials; the same for all files of the store.
    pub origin: Arc<str>,
    /// The path in the store, which may have wildcards.
    pub path: String,
    /// The store can be listed. A web server can't, and its paths have no wildcards.
    pub is_listed: bool,
}

/// Refuses all URLs: for callers that read local files.
#[derive(Debug)]
pub struct LocalFiles;

impl OpenStore for LocalFiles {
    fn open<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<OpenedStore, String>> {
        ready(Err("only local files are read here".to_owned())).boxed()
    }
}

/// Words of the HTTP client for a request that took too long.
const TIMED_OUT: &str = "timed out";

/// Schemes of stores that can be listed.
const LISTED_SCHEMES: [&str; 8] = ["s3", "s3a", "gs", "gcs", "az", "azure", "abfs", "abfss"];

/// Returns a location as it is shown in errors and plans: without the query string and fragment of
/// a URL, which may be a signature, and without a name and a password.
///
/// In a store that can be listed `?` is a wildcard, so that only `?name=` is taken for a query
/// string, and `#` is part of a name.
pub fn shown(location: &str) -> Cow<'_, str> {
    let Some((scheme, rest)) = location.split_once("://") else { return Cow::Borrowed(location) };
    if scheme.eq_ignore_ascii_case("file")
        || !scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    {
        return Cow::Borrowed(location);
    }
    let is_listed = LISTED_SCHEMES.contains(&scheme);
    let is_query = |rest: &str| match rest.as_bytes()[0] {
        b'?' if is_listed => rest.split('/').next().is_some_and(|part| part.contains('=')),
        b'#' => !is_listed,
        _ => true,
    };
    let query = rest.match_indices(['?', '#']).map(|(at, _)| at).find(|&at| is_query(&rest[at..]));
    let place = &rest[..query.unwrap_or(rest.len())];
    let (server, path) = place.split_at(place.find('/').unwrap_or(place.len()));
    let server = match server.rsplit_once('@') {
        Some((user, server)) if !is_listed || user.contains(':') => server,
        _ => server,
    };
    let end = query.map_or(String::new(), |at| format!("{}…", &rest[at..=at]));
    Cow::Owned(format!("{scheme}://{server}{path}{end}"))
}

/// Returns a text with the addresses in it as [`shown`] shows them. An address ends at some
/// characters, or with the text. One without its query string stays.
pub fn shown_in(text: &str, is_end: impl Fn(char) -> bool) -> Cow<'_, str> {
    let mut changed = String::new();
    let (mut rest, mut from) = (text, 0);
    while let Some(at) = rest[from..].find("://").map(|at| from + at) {
        let is_scheme = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
        let start = rest[..at].trim_end_matches(is_scheme).len();
        let end = rest[at..].find(&is_end).map_or(rest.len(), |end| at + end);
        let address = &rest[start..end];
        match shown(address) {
            Cow::Owned(shown) if shown != address && !address.contains("?…") => {
                changed.push_str(&rest[..start]);
                changed.push_str(&shown);
                (rest, from) = (&rest[end..], 0);
            }
            _ => from = end.max(at + 1),
        }
    }
    match changed.is_empty() {
        true => Cow::Borrowed(text),
        false => Cow::Owned(changed + rest),
    }
}

/// A folder, with its store.
#[derive(Debug, Clone)]
pub struct Folder {
    /// As it is shown.
    pub name: String,
    /// The store.
    pub store: Arc<dyn ObjectStore>,
    /// Address of an object store; `None` for local files.
    pub origin: Option<Arc<str>>,
    /// The folder's path in the store.
    pub base: Path,
}

/// A location, with its store opened.
pub(super) struct Place {
    /// As it is shown.
    location: String,
    store: Arc<dyn ObjectStore>,
    /// Address of an object store; `None` for local files.
    origin: Option<Arc<str>>,
    is_listed: bool,
    /// The part of the path before the first wildcard.
    base: Path,
    /// The pattern of the rest of the path, if it has wildcards.
    glob: Option<Pattern>,
}

impl Place {
    pub async fn new(location: &str, stores: &dyn OpenStore) -> Result<Self, ListingError> {
        if location.is_empty() {
            return Err(ListingError::Unreadable(EMPTY_NAME.to_owned()));
        }
        let name = shown(location).into_owned();
        let error = |what: String| ListingError::Unreadable(format!("{name}: {what}"));
        if is_url_of_a_store(location) {
            let opened = stores.open(location).await.map_err(&error)?;
            let OpenedStore { store, origin, path, is_listed } = opened;
            let (base, glob) = if is_listed { split_glob(&path).map_err(&error)? } else { (&*path, None) };
            let base = Path::parse(base.trim_matches('/')).map_err(|e| error(e.to_string()))?;
            return Ok(Self { location: name, store, origin: Some(origin), is_listed, base, glob });
        }
        let path = without_scheme(location);
        // A file with a wildcard character in its name is found before the name is read as a glob.
        let (base, glob) =
            if FilePath::new(path).exists() { (path, None) } else { split_glob(path).map_err(&error)? };
        let base = if base.is_empty() { "." } else { base };
        let absolute: PathBuf = std::fs::canonicalize(base).map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => ListingError::Missing(format!("{name}: {NOT_FOUND}")),
            _ => error(e.to_string()),
        })?;
        // reading of a pipe waits for ever, and its bytes can't be read twice
        if std::fs::metadata(&absolute).is_ok_and(|data| !data.is_file() && !data.is_dir()) {
            return Err(error("it is a pipe or a device; write its bytes to a file first".to_owned()));
        }
        let base = Path::from_absolute_path(&absolute).map_err(|e| error(e.to_string()))?;
        let store = Arc::new(LocalFileSystem::new());
        Ok(Self { location: name, store, origin: None, is_listed: true, base, glob })
    }

    /// Returns the location as a folder; `None` if it is a pattern or on a web server.
    pub fn into_folder(self) -> Option<Folder> {
        let Self { location: name, store, origin, is_listed, base, glob } = self;
        (is_listed && glob.is_none()).then_some(Folder { name, store, origin, base })
    }

    /// Returns the location as it is shown.
    pub fn shown(&self) -> &str {
        &self.location
    }

    pub fn has_glob(&self) -> bool {
        self.glob.is_some()
    }

    pub async fn files(&self) -> Result<Vec<ObjectMeta>, ListingError> {
        if self.glob.is_none() {
            match self.head().await {
                Ok(meta) => return Ok(vec![meta]),
                Err(Error::NotFound { .. }) if !self.is_listed => {
                    return Err(ListingError::Missing(format!("{}: {NOT_FOUND}", self.location)));
                }
                Err(e) if !self.is_listed => return Err(self.error(&e)),
                // a directory, or an error that listing has, too
                Err(_) => {}
            }
        }
        let all = match self.origin {
            Some(_) => self.store.list(Some(&self.base)).try_collect().await.map_err(|e| self.error(&e))?,
            None => self.local_files().await?,
        };
        let (mut files, others): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|meta: &ObjectMeta| self.includes(&self.relative(meta)));
        self.refuse_lakes(&files, &others)?;
        files.sort_by(|a, b| a.location.cmp(&b.location));
        Ok(files)
    }

    /// Returns the local files at a folder or pattern.
    async fn local_files(&self) -> Result<Vec<ObjectMeta>, ListingError> {
        let folder = PathBuf::from(format!("/{}", self.base));
        let folders = self.glob.as_ref().map_or(Folders::Visible, Folders::matching);
        let walk = move || folders.files(&folder);
        let found = match Handle::try_current() {
            Ok(runtime) => runtime.spawn_blocking(walk).await.map_err(io::Error::other).flatten(),
            Err(_) => walk(),
        };
        let unreadable = |e: String| ListingError::Unreadable(format!("{}: {e}", self.location));
        let found = found.map_err(|e| unreadable(e.to_string()))?.into_iter();
        let metas = found.filter(|(name, _)| self.includes(name)).map(|(name, data)| {
            let path = Path::parse(format!("{}/{name}", self.base)).map_err(|e| unreadable(e.to_string()))?;
            attributes(path, &data).map_err(|e| unreadable(e.to_string()))
        });
        metas.collect()
    }

    /// Returns the attributes of the file at the location.
    async fn head(&self) -> object_store::Result<ObjectMeta> {
        if self.origin.is_none() {
            let found = std::fs::metadata(format!("/{}", self.base)).and_then(|data| match data.is_file() {
                true => attributes(self.base.clone(), &data),
                false => Err(io::ErrorKind::IsADirectory.into()),
            });
            let failed = |source: io::Error| Error::Generic { store: "file", source: source.into() };
            return found.map_err(failed);
        }
        let head = self.store.head(&self.base).await;
        match head {
            Err(Error::NotFound { .. }) => head,
            // a server that did not answer does not answer a second request either
            Err(ref error) if !self.is_listed && !store_message(error).contains(TIMED_OUT) => {
                // some addresses are signed for GET alone
                let first = GetOptions { range: Some(GetRange::Bounded(0..1)), ..GetOptions::default() };
                match self.store.get_opts(&self.base, first).await {
                    Ok(result) => Ok(result.meta),
                    Err(Error::PermissionDenied { .. } | Error::Unauthenticated { .. }) => head,
                    Err(error) => Err(error),
                }
            }
            head => head,
        }
    }

    fn error(&self, error: &Error) -> ListingError {
        ListingError::Unreadable(format!("{}: {}", self.location, store_message(error)))
    }

    /// Checks that no file is in a table whose log says which files count.
    fn refuse_lakes(&self, files: &[ObjectMeta], others: &[ObjectMeta]) -> Result<(), ListingError> {
        let refused = |folder: &str, lake: Lake, is_whole: bool| match (lake, is_whole) {
            (Lake::Delta, true) => Err(ListingError::Delta(lake.refusal(folder))),
            _ => Err(ListingError::Unreadable(lake.refusal(folder))),
        };
        if self.origin.is_none() {
            let base = PathBuf::from(format!("/{}", self.base));
            let whole = self.glob.is_none().then(|| base.clone());
            let folders = files.iter().filter_map(|meta| meta.location.as_ref().rsplit_once('/'));
            let folders: BTreeSet<PathBuf> =
                folders.map(|(folder, _)| PathBuf::from(format!("/{folder}"))).chain(whole.clone()).collect();
            for folder in &folders {
                if let Some((folder, lake)) = Lake::above(folder) {
                    let is_whole = Some(&folder) == whole.as_ref();
                    let name = match is_whole {
                        true => self.location.clone(),
                        false => folder.to_string_lossy().into_owned(),
                    };
                    return refused(&name, lake, is_whole);
                }
            }
            return Ok(());
        }
        let relative: Vec<String> = others.iter().map(|meta| self.relative(meta)).collect();
        for (folder, lake) in Lake::in_paths(relative.iter().map(String::as_str)) {
            let is_whole = folder.is_empty() && self.glob.is_none();
            let below = |meta: &ObjectMeta| {
                let file = self.relative(meta);
                folder.is_empty() || file.strip_prefix(&folder).is_some_and(|rest| rest.starts_with('/'))
            };
            if is_whole || files.iter().any(below) {
                return refused(self.name(&folder).trim_end_matches('/'), lake, is_whole);
            }
        }
        Ok(())
    }

    /// Returns whether a file below the base is one of the location.
    fn includes(&self, relative: &str) -> bool {
        match &self.glob {
            Some(pattern) => pattern.matches_with(relative, match_options(false)),
            None => !relative.split('/').any(is_hidden) && has_extension(relative),
        }
    }

    /// Returns a listed file, with the values that its path gives to partition columns.
    pub fn listed(&self, meta: ObjectMeta) -> ListedFile {
        let relative = self.relative(&meta);
        let name = if relative.is_empty() { self.location.clone() } else { self.name(&relative) };
        let directories = relative.rsplit_once('/').map_or("", |(directories, _)| directories);
        let partitions = partitions(directories.split('/'), HiveRules::Engine);
        let location = Location::new(self.store.clone(), meta, name).in_store(self.origin.clone());
        ListedFile { location, partitions }
    }

    /// Returns a file's path below the base; empty for the base itself.
    fn relative(&self, meta: &ObjectMeta) -> String {
        let parts = meta.location.prefix_match(&self.base);
        let parts = parts.map(|parts| parts.map(|part| part.as_ref().to_owned()).collect::<Vec<_>>());
        parts.unwrap_or_default().join("/")
    }

    /// Returns the name of a file for errors: the location as the user gave it, and the rest of the
    /// path.
    fn name(&self, relative: &str) -> String {
        let base = match &self.glob {
            Some(_) => split_glob(&self.location).map_or("", |(base, _)| base),
            None => &self.location,
        };
        match base.trim_end_matches('/') {
            "" if base.starts_with('/') => format!("/{relative}"),
            "" => relative.to_owned(),
            base => format!("{base}/{relative}"),
        }
    }
}

/// Splits a path at the last separator before its first wildcard.
fn split_glob(path: &str) -> Result<(&str, Option<Pattern>), String> {
    let Some(wildcard) = path.find(WILDCARDS) else { return Ok((path, None)) };
    let split = path[..wildcard].rfind('/').map_or(0, |slash| slash + 1);
    let pattern = Pattern::new(&path[split..]).map_err(|e| bad_pattern(&e))?;
    Ok((&path[..split], Some(pattern)))
}

#[cfg(test)]
mod tests;
