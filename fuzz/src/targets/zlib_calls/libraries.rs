//! Both libraries, loaded into one process.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::api::Zlib;

/// Both libraries.
pub struct Libraries {
    /// The one that is right.
    pub system: Zlib,
    /// The one under test.
    pub ours: Zlib,
}

/// Loads them once.
pub fn libraries() -> &'static Libraries {
    static BOTH: OnceLock<Libraries> = OnceLock::new();
    BOTH.get_or_init(|| Libraries { system: Zlib::load(system()), ours: Zlib::load(&ours()) })
}

/// Links our library from the archive that cargo built next to this program.
fn ours() -> PathBuf {
    let program = std::env::current_exe().expect("this program has a path");
    let folder = program.parent().expect("a program is in a folder");
    let archive = folder.join("libpelton_z.a");
    assert!(archive.exists(), "{} is missing: cargo build --release -p pelton-zlib", archive.display());
    let library = folder.join("pelton-fuzz-libz.so");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bindings/zlib/link.sh");
    let status = Command::new(script).arg(archive).arg(&library).status().expect("link.sh can be started");
    assert!(status.success(), "link.sh failed");
    library
}

/// Returns the system's zlib, where Debian has it.
fn system() -> &'static Path {
    const PLACES: [&str; 2] = ["/lib/x86_64-linux-gnu/libz.so.1", "/lib/aarch64-linux-gnu/libz.so.1"];
    let found = PLACES.iter().map(Path::new).find(|path| path.exists());
    found.expect("Debian's libz.so.1 is what is compared with: install zlib1g")
}
