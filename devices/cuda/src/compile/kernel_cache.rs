//! Compiled kernels on disk, so that only a first run compiles.
//!
//! An entry is the compiled file with a trailer: a magic number and a checksum of the file. A
//! damaged or truncated entry counts as absent. A shared library may have bytes after its end, so
//! it is loaded from the cache's folder. The folder's owner can make Pelton run any code through
//! it: it is made for its user alone.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh64::xxh64;

use super::source::Key;

/// Ends an entry, before its checksum; changes with the entry's form.
const MAGIC: &[u8; 8] = b"PELTONK1";
const TRAILER: usize = MAGIC.len() + 8;

/// A folder of compiled kernels. Without a folder everything is compiled each time.
#[derive(Debug)]
pub(crate) struct KernelCache {
    folder: Option<PathBuf>,
}

impl KernelCache {
    /// Opens the folder in `PELTON_KERNEL_CACHE`, else below `XDG_CACHE_HOME`, else below
    /// `~/.cache`.
    pub fn open() -> KernelCache {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let folder = set("PELTON_KERNEL_CACHE")
            .or_else(|| set("XDG_CACHE_HOME").map(|path| path.join("pelton/kernels")))
            .or_else(|| set("HOME").map(|path| path.join(".cache/pelton/kernels")));
        KernelCache::at(folder)
    }

    pub fn at(folder: Option<PathBuf>) -> KernelCache {
        KernelCache { folder: folder.filter(|path| make_private(path).is_ok()) }
    }

    /// Returns the path of an entry, present or not.
    fn path(&self, key: Key, extension: &str) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{key}.{extension}")))
    }

    /// Returns the entry's path and its bytes without the trailer, if it is there and whole.
    pub fn find(&self, key: Key, extension: &str) -> Option<(PathBuf, Vec<u8>)> {
        let path = self.path(key, extension)?;
        let mut bytes = fs::read(&path).ok()?;
        let len = bytes.len().checked_sub(TRAILER)?;
        let (contents, trailer) = bytes.split_at(len);
        if trailer != make_trailer(contents) {
            return None;
        }
        bytes.truncate(len);
        Some((path, bytes))
    }

    /// Adds an entry, in one step. `None` if it can't be written: the cache only saves time.
    pub fn add(&self, key: Key, extension: &str, contents: &[u8]) -> Option<PathBuf> {
        let path = self.path(key, extension)?;
        let mut file = tempfile::NamedTempFile::new_in(self.folder.as_ref()?).ok()?;
        file.write_all(contents).ok()?;
        file.write_all(&make_trailer(contents)).ok()?;
        file.persist(&path).ok()?;
        Some(path)
    }
}

fn make_trailer(contents: &[u8]) -> [u8; TRAILER] {
    let mut trailer = [0; TRAILER];
    trailer[..MAGIC.len()].copy_from_slice(MAGIC);
    trailer[MAGIC.len()..].copy_from_slice(&xxh64(contents, 0).to_le_bytes());
    trailer
}

fn make_private(path: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(test)]
mod tests;
