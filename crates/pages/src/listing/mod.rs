//! Parquet files at a location: a file, a directory, a glob or a URL.
//!
//! [`list`] lists through an object store, for the engine. [`list_local`] lists local files for
//! DuckDB and, like a shell, passes over hidden files and over directories that cannot be read.
//! [`hive`] makes columns of directory names. Delta and Iceberg tables are recognised, and refused.

pub mod hive;
mod lake;
mod place;
mod walk;

use std::collections::BTreeSet;
use std::path::{Path as FilePath, PathBuf};

use glob::{MatchOptions, glob_with};

use crate::Location;
use lake::Lake;
pub use lake::refuse_writing;
use place::Place;
pub use place::{Folder, LocalFiles, OpenStore, OpenedStore, shown, shown_in};
use walk::Folders;

/// Reason why a location gives no files, in the words that users see.
#[derive(Debug, Clone, thiserror::Error, PartialEq, Eq)]
pub enum ListingError {
    /// The location exists and holds no file, or does not exist.
    #[error("{0}")]
    Missing(String),
    /// The location cannot be listed.
    #[error("{0}")]
    Unreadable(String),
    /// The location is a Delta table. Carries the message for callers that read no such tables.
    #[error("{0}")]
    Delta(String),
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

const EMPTY_NAME: &str = "a place is empty; name a file, a folder or a pattern";
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
/// URL, which `stores` opens. The files of a directory or a glob come in the order of their paths.
///
/// # Errors
/// There is no file, the location cannot be listed, or it is in a Delta or an Iceberg table.
pub async fn list(location: &str, stores: &dyn OpenStore) -> Result<Vec<ListedFile>, ListingError> {
    let place = Place::new(location, stores).await?;
    let files = place.files().await?;
    if files.is_empty() {
        let what = if place.has_glob() { NO_MATCH } else { EMPTY_DIRECTORY };
        return Err(ListingError::Missing(format!("{}: {what}", place.shown())));
    }
    Ok(files.into_iter().map(|meta| place.listed(meta)).collect())
}

/// Opens the store of a folder, which need not be there.
///
/// # Errors
/// The location is a pattern, or its store can't be opened.
pub async fn folder(location: &str, stores: &dyn OpenStore) -> Result<Folder, ListingError> {
    let folder = Place::new(location, stores).await?.into_folder();
    folder.ok_or_else(|| ListingError::Unreadable(format!("{}: this is no folder", shown(location))))
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
        let found = Folders::Visible.files(path).map_err(|e| unreadable(e.to_string()))?;
        let wanted = found
            .iter()
            .map(|(name, _)| name)
            .filter(|name| !name.split('/').any(is_hidden) && has_extension(name));
        files.extend(wanted.map(|name| path.join(name)));
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
    let folders: BTreeSet<&FilePath> = files.iter().filter_map(|file| file.parent()).collect();
    for folder in folders {
        if let Some((folder, lake)) = Lake::above(folder) {
            return Err(unreadable(lake.refusal(&folder.to_string_lossy())));
        }
    }
    Ok(files)
}
