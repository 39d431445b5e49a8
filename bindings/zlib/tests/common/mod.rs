//! Links our library as `make` does, and loads it and the system's beside each other.

#![allow(dead_code)] // not every test uses all of it

pub mod api;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Our library, linked from the archive that cargo built for this test.
pub fn ours() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let test = std::env::current_exe().expect("the test has a path");
        let archive = archive(test.parent().expect("the test is in deps"));
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libpelton_z.so");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("link.sh");
        let status = Command::new(script).arg(archive).arg(&library).status().expect("link.sh runs");
        assert!(status.success(), "link.sh failed");
        library
    })
}

/// The archive that cargo built last: `cargo test` leaves it in `deps` under a name with a hash, where others may lie.
fn archive(deps: &Path) -> PathBuf {
    let files = std::fs::read_dir(deps).expect("deps can be listed").flatten();
    let archives = files.filter(|file| {
        let name = file.file_name();
        let name = name.to_string_lossy();
        name.starts_with("libpelton_z-") && name.ends_with(".a")
    });
    let newest = archives.max_by_key(|file| file.metadata().and_then(|about| about.modified()).ok());
    newest.expect("cargo built libpelton_z as an archive").path()
}

/// The system's zlib, where Debian and others have it.
pub fn system() -> &'static Path {
    const PLACES: [&str; 5] = [
        "/lib/x86_64-linux-gnu/libz.so.1",
        "/lib/aarch64-linux-gnu/libz.so.1",
        "/usr/lib64/libz.so.1",
        "/lib64/libz.so.1",
        "/usr/lib/libz.so.1",
    ];
    let found = PLACES.iter().map(Path::new).find(|path| path.exists());
    found.expect("the system's libz.so.1 is what is compared with: install zlib1g")
}
