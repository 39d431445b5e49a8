//! From what a user calls the files to the files.

use std::path::{Path, PathBuf};

use glob::{MatchOptions, glob_with};

use crate::error::{Error, Result};

/// File names that are taken from a directory.
const EXTENSIONS: [&str; 3] = ["parquet", "parq", "pq"];

/// The files that some names stand for: a file, a directory (all Parquet files below it) or a
/// pattern each, in the order of the names, and by path where one stands for several.
///
/// # Errors
/// A name stands for none.
pub fn list(names: &[String]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for name in names {
        files.extend(named(name)?);
    }
    Ok(files)
}

fn named(name: &str) -> Result<Vec<PathBuf>> {
    let error = |what: &str| Error::Table(format!("{name}: {what}"));
    if name.contains("://") && !name.starts_with("file://") {
        return Err(error("pelton_scan reads local files; read_parquet reads others, with DuckDB's httpfs"));
    }
    let path = Path::new(name.strip_prefix("file://").unwrap_or(name));
    let mut files = Vec::new();
    // a file whose name holds a wildcard character is meant itself
    if path.is_dir() {
        below(path, &mut files).map_err(|e| error(&e.to_string()))?;
        if files.is_empty() {
            return Err(error("the directory holds no file that ends in .parquet, .parq or .pq"));
        }
    } else if path.exists() {
        return Ok(vec![path.to_owned()]);
    } else if name.contains(['*', '?', '[']) {
        let options = MatchOptions {
            require_literal_separator: true,
            require_literal_leading_dot: true,
            ..MatchOptions::new()
        };
        let found =
            glob_with(&path.to_string_lossy(), options).map_err(|e| error(&format!("bad pattern: {e}")))?;
        // what can't be looked into is left out, as the shell does
        files.extend(found.flatten().filter(|path| path.is_file()));
        if files.is_empty() {
            return Err(error("no file matches"));
        }
    } else {
        // a broken link, or a folder that may not be entered, is no file either
        return Err(error("no such file or directory"));
    }
    files.sort();
    Ok(files)
}

fn below(directory: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with(['.', '_']) && !name.contains('=') {
            continue;
        }
        if path.is_dir() {
            below(&path, files)?;
        } else if path.extension().is_some_and(|end| EXTENSIONS.iter().any(|known| end == *known)) {
            files.push(path);
        }
    }
    Ok(())
}
