//! Compiled kernels on disk, so that only a first run compiles.
//!
//! An entry is the compiled file with a trailer: a magic number and a checksum of what is before
//! it. What is damaged or cut short is taken for absent. A shared library may have bytes after its
//! end, so it is loaded from where it lies. The folder's owner can make Pelton run any code through
//! it: it is made for its user alone.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh64::xxh64;

use crate::source::Key;

/// Ends an entry, before its checksum; changes with the entry's form.
const MAGIC: &[u8; 8] = b"PELTONK1";
const TRAILER: usize = MAGIC.len() + 8;

/// A folder of compiled kernels, or none where no folder can be had: then everything is compiled
/// each time.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: Option<PathBuf>,
}

impl Cache {
    /// In `PELTON_KERNEL_CACHE`, else below `XDG_CACHE_HOME`, else below `~/.cache`.
    pub fn open() -> Cache {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let folder = set("PELTON_KERNEL_CACHE")
            .or_else(|| set("XDG_CACHE_HOME").map(|path| path.join("pelton/kernels")))
            .or_else(|| set("HOME").map(|path| path.join(".cache/pelton/kernels")));
        Cache::at(folder)
    }

    pub fn at(folder: Option<PathBuf>) -> Cache {
        Cache { folder: folder.filter(|path| make_private(path).is_ok()) }
    }

    /// Where the entry would be.
    fn path(&self, key: Key, extension: &str) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{key}.{extension}")))
    }

    /// The entry's path and its bytes without the trailer, if it is there and whole.
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

    /// Adds an entry; it is there as a whole or not at all. `None` if it can't be written: the
    /// cache only saves time.
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
mod tests {
    use super::*;
    use crate::source::Source;

    fn key(text: &str) -> Key {
        Key::new(&Source { name: "a".into(), text: text.into(), headers: vec![] }, &[], &[])
    }

    #[test]
    fn finds_what_was_added_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(Some(folder.path().join("a/b")));
        assert!(cache.find(key("1"), "so").is_none());
        let path = cache.add(key("1"), "so", b"contents").unwrap();
        assert_eq!(cache.find(key("1"), "so"), Some((path, b"contents".to_vec())));
        assert!(cache.find(key("1"), "cubin").is_none());
        assert!(cache.find(key("2"), "so").is_none());
    }

    #[test]
    fn a_damaged_entry_is_no_entry() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(Some(folder.path().to_path_buf()));
        let path = cache.add(key("1"), "so", b"contents").unwrap();
        let whole = fs::read(&path).unwrap();
        for len in 0..whole.len() {
            fs::write(&path, &whole[..len]).unwrap();
            assert!(cache.find(key("1"), "so").is_none(), "cut to {len}");
        }
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&path, &damaged).unwrap();
            assert!(cache.find(key("1"), "so").is_none(), "damaged at {at}");
        }
        cache.add(key("1"), "so", b"contents").unwrap();
        assert!(cache.find(key("1"), "so").is_some());
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, b"").unwrap();
        let cache = Cache::at(Some(file));
        assert!(cache.add(key("1"), "so", b"").is_none());
        assert!(cache.find(key("1"), "so").is_none());
    }
}
