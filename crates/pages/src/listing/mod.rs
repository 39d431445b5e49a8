//! Parquet files at a location: a file, a directory, a glob or a URL.
//!
//! [`list`] lists through an object store, for the engine. [`list_local`] lists local files for
//! DuckDB and, like a shell, passes over hidden files and over directories that cannot be read.
//! [`hive`] makes columns of directory names.

pub mod hive;

use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use futures::TryStreamExt;
use glob::{MatchOptions, Pattern, glob_with};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};
use url::Url;

use crate::Location;
use hive::{HiveRules, partitions};

/// Reason why a location gives no files, in the words that users see.
#[derive(Debug, Clone, thiserror::Error, PartialEq, Eq)]
pub enum ListingError {
    /// The location exists and holds no file, or does not exist.
    #[error("{0}")]
    Missing(String),
    /// The location cannot be listed.
    #[error("{0}")]
    Unreadable(String),
}

/// A file of a table, with the values that its path gives to partition columns:
/// `year=2024/part-0.parquet`.
#[derive(Debug, Clone)]
pub struct ListedFile {
    /// Place of the file in its store.
    pub location: Location,
    /// `(column, value)` from the path below the listed location, outermost first.
    pub partitions: Vec<(String, String)>,
}

/// Extensions of the files that are listed in a directory.
const EXTENSIONS: [&str; 3] = [".parquet", ".parq", ".pq"];

const WILDCARDS: [char; 3] = ['*', '?', '['];

const NO_MATCH: &str = "no file matches";
const EMPTY_DIRECTORY: &str = "the directory holds no file that ends in .parquet, .parq or .pq";
const NOT_FOUND: &str = "no such file or directory";

/// Returns whether a file or directory below a listed directory is left out because of its name.
/// `_date=2024` is a partition; `_delta_log` is not.
fn is_hidden(name: &str) -> bool {
    name.starts_with(['.', '_']) && !name.contains('=')
}

fn has_extension(name: &str) -> bool {
    EXTENSIONS.iter().any(|extension| name.ends_with(extension))
}

/// Returns the path of a local file that is given as a path or as a `file:` URL.
fn without_scheme(location: &str) -> &str {
    location.strip_prefix("file://").unwrap_or(location)
}

fn is_url_of_a_store(location: &str) -> bool {
    location.contains("://") && !location.starts_with("file://")
}

fn match_options(hides_leading_dots: bool) -> MatchOptions {
    MatchOptions {
        require_literal_separator: true,
        require_literal_leading_dot: hides_leading_dots,
        ..MatchOptions::new()
    }
}

fn bad_pattern(error: &glob::PatternError) -> String {
    format!("bad pattern: {error}")
}

/// Lists the files at a location: a file, a directory (all Parquet files below it), a glob, or a
/// URL of an object store. The files of a directory or a glob come in the order of their paths.
///
/// # Errors
/// There is no file, or the location cannot be listed.
pub async fn list(location: &str) -> Result<Vec<ListedFile>, ListingError> {
    let place = Place::new(location)?;
    let files = place.files().await?;
    if files.is_empty() {
        let what = if place.glob.is_some() { NO_MATCH } else { EMPTY_DIRECTORY };
        return Err(ListingError::Missing(format!("{location}: {what}")));
    }
    let listed = files.into_iter().map(|meta| {
        let relative = place.relative(&meta);
        let name = if relative.is_empty() { location.to_owned() } else { place.name(&relative) };
        let directories = relative.rsplit_once('/').map_or("", |(directories, _)| directories);
        let partitions = partitions(directories.split('/'), HiveRules::Engine);
        ListedFile { location: Location::new(place.store.clone(), meta, name), partitions }
    });
    Ok(listed.collect())
}

/// Lists the local files with a name: a file, a directory (all Parquet files below it) or a glob.
/// The files of a directory or a glob come in the order of their paths.
///
/// # Errors
/// There is no file, the name is a URL, or a directory cannot be read.
pub fn list_local(name: &str) -> Result<Vec<PathBuf>, ListingError> {
    let missing = |what: &str| ListingError::Missing(format!("{name}: {what}"));
    let unreadable = |what: String| ListingError::Unreadable(format!("{name}: {what}"));
    if is_url_of_a_store(name) {
        return Err(unreadable(
            "pelton_scan reads local files; read_parquet reads others, with DuckDB's httpfs".to_owned(),
        ));
    }
    let path = FilePath::new(without_scheme(name));
    let mut files = Vec::new();
    // A file with a wildcard character in its name is found before the name is read as a glob.
    if path.is_dir() {
        collect_below(path, &mut files).map_err(|e| unreadable(e.to_string()))?;
        if files.is_empty() {
            return Err(missing(EMPTY_DIRECTORY));
        }
    } else if path.exists() {
        return Ok(vec![path.to_owned()]);
    } else if name.contains(WILDCARDS) {
        let found = glob_with(&path.to_string_lossy(), match_options(true))
            .map_err(|e| unreadable(bad_pattern(&e)))?;
        // Directories that cannot be read are passed over, as a shell does.
        files.extend(found.flatten().filter(|path| path.is_file()));
        if files.is_empty() {
            return Err(missing(NO_MATCH));
        }
    } else {
        // A broken link, and a file in a directory without permission, get here too.
        return Err(missing(NOT_FOUND));
    }
    files.sort();
    Ok(files)
}

fn collect_below(directory: &FilePath, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if is_hidden(&name) {
            continue;
        }
        if path.is_dir() {
            collect_below(&path, files)?;
        } else if has_extension(&name) {
            files.push(path);
        }
    }
    Ok(())
}

/// A location in an object store, which may be the local file system.
struct Place {
    location: String,
    store: Arc<dyn ObjectStore>,
    /// The part of the path before the first wildcard.
    base: Path,
    /// The pattern of the rest of the path, if it has wildcards.
    glob: Option<Pattern>,
}

impl Place {
    fn new(location: &str) -> Result<Self, ListingError> {
        let error = |what: String| ListingError::Unreadable(format!("{location}: {what}"));
        if is_url_of_a_store(location) {
            let url = Url::parse(location).map_err(|e| error(e.to_string()))?;
            // Credentials and regions come from the environment, under the names that each cloud's
            // own tools use.
            let settings = std::env::vars_os().filter_map(|(key, value)| {
                Some((key.into_string().ok()?.to_ascii_lowercase(), value.into_string().ok()?))
            });
            let (store, path) = object_store::parse_url_opts(&url, settings).map_err(|e| {
                error(format!(
                    "{e}; object stores other than local files need a build with the feature `cloud`"
                ))
            })?;
            let (base, glob) = split_glob(path.as_ref()).map_err(&error)?;
            let base = Path::parse(base).map_err(|e| error(e.to_string()))?;
            return Ok(Self { location: location.to_owned(), store: store.into(), base, glob });
        }
        let path = without_scheme(location);
        // A file with a wildcard character in its name is found before the name is read as a glob.
        let (base, glob) =
            if FilePath::new(path).exists() { (path, None) } else { split_glob(path).map_err(&error)? };
        let base = if base.is_empty() { "." } else { base };
        let absolute: PathBuf = std::fs::canonicalize(base).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => ListingError::Missing(format!("{location}: {NOT_FOUND}")),
            _ => error(e.to_string()),
        })?;
        let base = Path::from_absolute_path(&absolute).map_err(|e| error(e.to_string()))?;
        Ok(Self { location: location.to_owned(), store: Arc::new(LocalFileSystem::new()), base, glob })
    }

    async fn files(&self) -> Result<Vec<ObjectMeta>, ListingError> {
        let error = |e: object_store::Error| ListingError::Unreadable(format!("{}: {e}", self.location));
        if self.glob.is_none()
            && let Ok(meta) = self.store.head(&self.base).await
        {
            return Ok(vec![meta]);
        }
        let mut files: Vec<ObjectMeta> =
            self.store.list(Some(&self.base)).try_collect().await.map_err(error)?;
        files.retain(|meta| self.includes(meta));
        files.sort_by(|a, b| a.location.cmp(&b.location));
        Ok(files)
    }

    fn includes(&self, meta: &ObjectMeta) -> bool {
        let relative = self.relative(meta);
        match &self.glob {
            Some(pattern) => pattern.matches_with(&relative, match_options(false)),
            None => !relative.split('/').any(is_hidden) && has_extension(&relative),
        }
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
