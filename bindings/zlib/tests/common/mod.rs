//! Linking of our library as `make` does, and loading of it and the system's side by side.

#![allow(dead_code)] // not every test uses all of it

pub mod api;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Returns our library, linked from the archive that cargo built for this test.
pub fn ours() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libpelton_z.so");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("link.sh");
        let status = Command::new(script).arg(archive()).arg(&library).status().expect("link.sh runs");
        assert!(status.success(), "link.sh failed");
        library
    })
}

/// Returns the archive in this test's folder. There is one for each set of features that was ever
/// built; cargo has just updated ours, so the newest is right.
fn archive() -> PathBuf {
    let test = std::env::current_exe().expect("the test has a path");
    let files = test.parent().expect("the test is in a directory").read_dir().expect("which can be read");
    let archives = files.flatten().map(|file| file.path()).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libpelton_z-") && name.ends_with(".a")
    });
    archives
        .max_by_key(|path| path.metadata().and_then(|data| data.modified()).ok())
        .expect("cargo builds the archive before this test")
}

/// Returns the system's zlib, at the paths of Debian and others.
pub fn system() -> &'static Path {
    const PLACES: [&str; 5] = [
        "/lib/x86_64-linux-gnu/libz.so.1",
        "/lib/aarch64-linux-gnu/libz.so.1",
        "/usr/lib64/libz.so.1",
        "/lib64/libz.so.1",
        "/usr/lib/libz.so.1",
    ];
    let found = PLACES.iter().map(Path::new).find(|path| path.exists());
    found.expect("the tests compare with the system's libz.so.1: install zlib1g")
}
