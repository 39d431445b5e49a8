//! Recognition of tables whose files a log names: Delta and Iceberg. Their folders also hold files
//! of other versions and files with deleted rows, so that reading all of them gives wrong rows.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Kind of a table whose files a log names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lake {
    /// A folder with `_delta_log`.
    Delta,
    /// A folder with `metadata/*.metadata.json`.
    Iceberg,
}

const DELTA_LOG: &str = "_delta_log";
const ICEBERG_METADATA: &str = "metadata";

impl Lake {
    /// Returns why a place in such a table is not read as plain Parquet.
    pub fn refusal(self, folder: &str) -> String {
        let folder = if folder.is_empty() { "." } else { folder };
        match self {
            Lake::Delta => format!(
                "{folder} is a Delta table (it has {DELTA_LOG}), and only its log says which files count; \
                 read it as a whole: FROM '{folder}' or delta_scan('{folder}')"
            ),
            Lake::Iceberg => format!(
                "{folder} is an Iceberg table (it has {ICEBERG_METADATA}/*.metadata.json), which is not \
                 supported; only its metadata says which of its files count"
            ),
        }
    }

    /// Finds the table that a file or folder of a store is in, by the paths below the listed
    /// location. Returns the folder's path, too.
    pub fn in_paths<'a>(paths: impl Iterator<Item = &'a str>) -> BTreeSet<(String, Lake)> {
        paths.filter_map(of_path).collect()
    }

    /// Finds a table that a local folder is in, or is.
    pub fn above(folder: &Path) -> Option<(PathBuf, Lake)> {
        let lake = |folder: &Path| match () {
            () if folder.join(DELTA_LOG).is_dir() => Some(Lake::Delta),
            () if has_iceberg_metadata(&folder.join(ICEBERG_METADATA)) => Some(Lake::Iceberg),
            () => None,
        };
        folder.ancestors().find_map(|folder| Some((folder.to_owned(), lake(folder)?)))
    }
}

/// Checks that no table with a log of its files is at a local folder or above: new files in it
/// would never be seen.
///
/// # Errors
/// There is one; the message names it.
pub fn refuse_writing(folder: &Path) -> Result<(), String> {
    let mut folder = folder.to_owned();
    while !folder.exists() && folder.pop() {}
    let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
    match folder.canonicalize().ok().and_then(|folder| Lake::above(&folder)) {
        None => Ok(()),
        Some((table, lake)) => Err(format!(
            "{} is a table of {}, and new files in it would not be seen; name another folder",
            table.display(),
            if lake == Lake::Delta { "Delta" } else { "Iceberg" }
        )),
    }
}

fn is_iceberg_file(name: &str) -> bool {
    name.ends_with(".metadata.json") || name == "version-hint.text"
}

fn has_iceberg_metadata(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| is_iceberg_file(&entry.file_name().to_string_lossy()))
}

/// Returns the table of a file of a log.
fn of_path(path: &str) -> Option<(String, Lake)> {
    let parts: Vec<&str> = path.split('/').collect();
    let (name, folders) = parts.split_last()?;
    if let Some(log) = folders.iter().position(|part| *part == DELTA_LOG) {
        return Some((folders[..log].join("/"), Lake::Delta));
    }
    match folders.split_last() {
        Some((&ICEBERG_METADATA, above)) if is_iceberg_file(name) => Some((above.join("/"), Lake::Iceberg)),
        _ => None,
    }
}
