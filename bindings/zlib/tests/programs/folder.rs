//! Folder of a test.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Removed at the end, unless the test failed.
pub struct Folder(PathBuf);

impl Folder {
    /// Returns an empty folder below cargo's.
    pub fn new(name: &str) -> Self {
        Self::below(Path::new(env!("CARGO_TARGET_TMPDIR")), name)
    }

    /// Returns an empty folder with a short path, for sockets and for other users.
    pub fn short(name: &str) -> Self {
        Self::below(&std::env::temp_dir(), name)
    }

    fn below(parent: &Path, name: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("pelton-{name}-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder can be made");
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns a path in it.
    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Returns a path in it, as text for a command line.
    pub fn name(&self, name: &str) -> String {
        self.join(name).to_str().expect("a path of UTF-8").to_owned()
    }

    /// Makes a folder in it.
    pub fn folder(&self, name: &str) -> PathBuf {
        let path = self.join(name);
        fs::create_dir_all(&path).expect("a folder can be made");
        path
    }

    /// Makes a file in it.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.join(name);
        fs::write(&path, content).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        path
    }

    /// Returns the contents of a file in it.
    pub fn read(&self, name: &str) -> Vec<u8> {
        let path = self.join(name);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // A folder that can't be removed is in the system's folder for temporary files.
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}
