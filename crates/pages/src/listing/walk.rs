//! Walk over the local files below a folder.
//!
//! A link to a folder is followed, as if the folder stood in its place, except by `**` in a
//! pattern, as in DuckDB. A link to a folder that it is in is passed over.

use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use glob::Pattern;

use super::{has_extension, is_hidden, match_options};

/// Choice of folders.
#[derive(Debug)]
pub(super) enum Folders {
    /// All but hidden ones.
    Visible,
    /// Those of a pattern.
    Matching {
        /// Patterns of the parts of a path, the file's the last; `None`: any.
        parts: Vec<Option<Pattern>>,
        /// Index of the first `**`.
        recursive: Option<usize>,
    },
}

impl Folders {
    /// Returns the folders in which files match a pattern.
    pub fn matching(pattern: &Pattern) -> Self {
        let parts: Vec<&str> = pattern.as_str().split('/').collect();
        let recursive = parts.iter().position(|part| *part == "**");
        Self::Matching { parts: parts.into_iter().map(|part| Pattern::new(part).ok()).collect(), recursive }
    }

    /// Returns whether the files of a folder count, given its name and its depth from 0 on.
    fn enters(&self, name: &str, depth: usize, is_link: bool) -> bool {
        match self {
            Self::Visible => !is_hidden(name),
            Self::Matching { recursive: Some(first), .. } if depth >= *first => !is_link,
            Self::Matching { parts, .. } => {
                let matches = |part: &Option<Pattern>| {
                    part.as_ref().is_none_or(|part| part.matches_with(name, match_options(false)))
                };
                depth + 1 < parts.len() && parts.get(depth).is_some_and(matches)
            }
        }
    }

    /// Returns whether a file of a name may count.
    fn has_file(&self, name: &str) -> bool {
        match self {
            Self::Visible => !is_hidden(name) && has_extension(name),
            Self::Matching { parts, .. } => match parts.last() {
                Some(Some(last)) => last.matches_with(name, match_options(false)),
                Some(None) | None => true,
            },
        }
    }

    /// Returns the files below a folder, by their paths relative to it, with their attributes.
    ///
    /// # Errors
    /// A folder can't be read, or a name is no UTF-8.
    pub fn files(&self, folder: &Path) -> io::Result<Vec<(String, Metadata)>> {
        let mut walk =
            LocalListing { folders: self, above: vec![fs::canonicalize(folder)?], files: Vec::new() };
        walk.walk(folder, "")?;
        Ok(walk.files)
    }
}

struct LocalListing<'a> {
    folders: &'a Folders,
    /// The present folder and those that it is in, without links in their paths.
    above: Vec<PathBuf>,
    files: Vec<(String, Metadata)>,
}

impl LocalListing<'_> {
    fn walk(&mut self, folder: &Path, relative: &str) -> io::Result<()> {
        let failed =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", folder.display()));
        for entry in fs::read_dir(folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = entry.path();
            let is_link = entry.file_type().map_err(failed)?.is_symlink();
            let kind = match fs::metadata(&path) {
                Ok(kind) => kind,
                // a broken link, or a file that was removed meanwhile
                Err(error) if is_link || error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(failed(error)),
            };
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                let counts = match kind.is_dir() {
                    true => self.folders.enters(&name.to_string_lossy(), self.above.len() - 1, is_link),
                    false => self.folders.has_file(&name.to_string_lossy()),
                };
                if counts {
                    return Err(failed(io::Error::other(format!("the name {name:?} is no UTF-8"))));
                }
                continue;
            };
            let within = if relative.is_empty() { name.to_owned() } else { format!("{relative}/{name}") };
            if kind.is_file() {
                self.files.push((within, kind));
            } else if kind.is_dir() && self.folders.enters(name, self.above.len() - 1, is_link) {
                let target = match (is_link, self.above.last()) {
                    (false, Some(above)) => above.join(name),
                    _ => fs::canonicalize(&path).map_err(failed)?,
                };
                if self.above.contains(&target) {
                    continue;
                }
                self.above.push(target);
                self.walk(&path, &within)?;
                self.above.pop();
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
